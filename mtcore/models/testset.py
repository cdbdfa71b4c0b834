"""Test sets: segments, and one text of each in every version (source, references, double translations)."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from mtcore.models.fields import LANGUAGE_LENGTH, hash_field, name_field

PRACTICE_NAME = " · practice "
"""What names of test sets hold that are written for the practice items of a campaign."""


class TestSetQuerySet(models.QuerySet["TestSet"]):
    """Test sets, to be listed."""

    __test__ = False  # not a test class

    def listed(self) -> TestSetQuerySet:
        """Leave out what was written for practice: such texts have a place there, and no checksum."""
        return self.exclude(texts_known=True, sha256="", name__contains=PRACTICE_NAME)


class TestSet(models.Model):
    """A set of segments of one language pair; its texts may be unknown (imported judgements)."""

    __test__ = False  # not a test class

    name = name_field(unique=True)
    source_language = models.CharField(max_length=LANGUAGE_LENGTH)
    target_language = models.CharField(max_length=LANGUAGE_LENGTH)
    texts_known = models.BooleanField(default=True)
    sha256 = hash_field()
    created_at = models.DateTimeField(auto_now_add=True)

    objects = TestSetQuerySet.as_manager()

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Document(models.Model):
    """A group of consecutive segments."""

    testset = models.ForeignKey(TestSet, on_delete=models.CASCADE, related_name="documents")
    name = models.CharField(max_length=500)
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["testset_id", "position"]
        constraints = [
            models.UniqueConstraint(fields=["testset", "name"], name="document_name_once"),
            models.UniqueConstraint(fields=["testset", "position"], name="document_position_once"),
        ]

    def __str__(self) -> str:
        return self.name


class Segment(models.Model):
    """The unit of a test set. `key` is the researcher's own id (the line number when there is none)."""

    class Direction(models.TextChoices):
        DIRECT = "direct", "direct (natural source)"
        REVERSE = "reverse", "reverse (natural target)"
        UNKNOWN = "", "unknown"

    testset = models.ForeignKey(TestSet, on_delete=models.CASCADE, related_name="segments")
    document = models.ForeignKey(
        Document, on_delete=models.CASCADE, null=True, blank=True, related_name="segments"
    )
    position = models.PositiveIntegerField()
    key = models.CharField(max_length=200)
    direction = models.CharField(max_length=7, choices=Direction.choices, blank=True, default="")

    class Meta:
        ordering = ["testset_id", "position"]
        constraints = [
            models.UniqueConstraint(fields=["testset", "position"], name="segment_position_once"),
            models.UniqueConstraint(fields=["testset", "key"], name="segment_key_once"),
            models.CheckConstraint(
                condition=Q(direction__in=["direct", "reverse", ""]), name="segment_direction_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.testset_id}:{self.key}"


class TextVersion(models.Model):
    """One text of every segment: a side, a kind, a name and what it was translated from."""

    class Side(models.TextChoices):
        SOURCE = "source", "source"
        TARGET = "target", "target"

    class Kind(models.TextChoices):
        ORIGINAL = "original", "original"
        ALTERNATIVE = "alternative", "alternative"
        DOUBLE_TRANSLATION = "double_translation", "double translation"

    testset = models.ForeignKey(TestSet, on_delete=models.CASCADE, related_name="versions")
    side = models.CharField(max_length=6, choices=Side.choices)
    kind = models.CharField(max_length=18, choices=Kind.choices)
    name = name_field()
    derived_from = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="translations"
    )
    position = models.PositiveIntegerField(default=0)
    sha256 = hash_field()

    class Meta:
        ordering = ["testset_id", "side", "position"]
        constraints = [
            models.UniqueConstraint(fields=["testset", "side", "name"], name="version_name_once"),
            models.UniqueConstraint(
                fields=["testset", "side"], condition=Q(kind="original"), name="version_one_original"
            ),
            models.CheckConstraint(
                condition=Q(side__in=["source", "target"])
                & Q(kind__in=["original", "alternative", "double_translation"]),
                name="version_side_and_kind_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.side}:{self.name}"


class SegmentText(models.Model):
    """The text of one segment in one version."""

    version = models.ForeignKey(TextVersion, on_delete=models.CASCADE, related_name="texts")
    segment = models.ForeignKey(Segment, on_delete=models.CASCADE, related_name="texts")
    text = models.TextField(blank=True)
    sha256 = hash_field()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["version", "segment"], name="segment_text_once"),
        ]

    def __str__(self) -> str:
        return self.text[:60]
