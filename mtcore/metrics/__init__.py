"""Automatic metrics: one file a metric, and the registry of them all."""

from mtcore.metrics.base import Metric, MetricError, MetricUnavailable
from mtcore.metrics.beer import Beer
from mtcore.metrics.bertscore import BertScore
from mtcore.metrics.bleu import Bleu
from mtcore.metrics.chrf import Chrf, ChrfPlusPlus
from mtcore.metrics.comet import Comet
from mtcore.metrics.meteor import Meteor
from mtcore.metrics.perplexity import Perplexity
from mtcore.metrics.ter import Ter

METRICS: dict[str, type[Metric]] = {
    metric.name: metric
    for metric in (Bleu, Chrf, ChrfPlusPlus, Ter, Meteor, Beer, BertScore, Comet, Perplexity)
}
"""Name → metric; a new metric is a new file and one name here."""

__all__ = ["METRICS", "Metric", "MetricError", "MetricUnavailable"]
