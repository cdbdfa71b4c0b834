"""The tables of the machine-translation wing."""

from mtcore.models.corpus import Corpus
from mtcore.models.metric import MetricResult
from mtcore.models.run import Run
from mtcore.models.system import OutputSegment, System, SystemOutput
from mtcore.models.testset import Document, Segment, SegmentText, TestSet, TextVersion

__all__ = [
    "Corpus",
    "Document",
    "MetricResult",
    "OutputSegment",
    "Run",
    "Segment",
    "SegmentText",
    "System",
    "SystemOutput",
    "TestSet",
    "TextVersion",
]
