"""Hypotheses in another order are another output: it is worse by every metric that looks at a reference."""

from tests.contract.test_metrics_contract import _models, against_references, made
from tests.factories.campaigns import invented_lines
from tests.factories.metrics import spoiled

__all__ = ["_models"]  # the fixture that says where models lie


@against_references
def test_permuting_the_hypotheses_changes_every_metric(name):
    metric = made(name)
    reference = invented_lines(8, seed=1)
    output = spoiled(reference, 2)
    turned = [*output[1:], output[0]]
    own = [metric.score(lines, [reference]) for lines in (output, turned)]
    assert (own[0] - own[1]) * (1 if metric.higher_is_better else -1) > 0.05 * abs(own[0])
