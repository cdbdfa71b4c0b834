"""What the API takes to make campaigns and studies, and what it says of raters."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.models import Participation, Study
from annotation.protocols import PROTOCOLS
from annotation.services.practice_file import MOST
from annotation.services.sealing import LONGEST_REASON
from evalplatform.asks import Asked
from mtcore.api.fields import TextField


def _names(help_text: str = "") -> serializers.ListField:
    return serializers.ListField(
        child=serializers.CharField(max_length=120), default=list, help_text=help_text or None
    )


@extend_schema_field(
    {"oneOf": [{"type": "integer", "minimum": 0}, {"type": "array", "items": {"type": "string"}}]}
)
class RatersField(serializers.Field):
    """How many raters, or their names."""

    def to_internal_value(self, data: object) -> object:
        """Take either."""
        is_number = isinstance(data, int) and not isinstance(data, bool) and data >= 0
        if is_number or (isinstance(data, list) and all(isinstance(one, str) for one in data)):
            return data
        raise serializers.ValidationError("Give a number, or a list of names.")

    def to_representation(self, value: object) -> object:
        """Give it as it is."""
        return value


@extend_schema_field(
    {
        "oneOf": [
            {"type": "integer", "minimum": 0, "maximum": MOST},
            {"type": "array", "maxItems": MOST, "items": {"type": "object"}},
        ]
    }
)
class PracticeField(serializers.Field):
    """How many items are made from the test set, or the items themselves, with the columns of a file."""

    def to_internal_value(self, data: object) -> object:
        """Take either."""
        if isinstance(data, int) and not isinstance(data, bool) and 0 <= data <= MOST:
            return data
        if isinstance(data, list) and len(data) <= MOST and all(isinstance(one, dict) for one in data):
            return data
        raise serializers.ValidationError(f"Give a number up to {MOST}, or a list of up to {MOST} items.")

    def to_representation(self, value: object) -> object:
        """Give it as it is."""
        return value


class NewCampaignSerializer(Asked):
    """A campaign, as `create_campaign` takes it: with its texts, or over imported test sets."""

    name = serializers.CharField(max_length=120)
    protocol = serializers.ChoiceField(sorted(PROTOCOLS))
    languages = serializers.CharField(max_length=80, default="", allow_blank=True, help_text="as en-de")
    source = TextField(default=())  # type: ignore[assignment]
    references = serializers.DictField(child=TextField(), default=dict, help_text="by name")
    outputs = serializers.DictField(child=TextField(), default=dict, help_text="by system")
    direction = serializers.ChoiceField(["", "direct", "reverse"], default="")
    testsets = _names()
    systems = _names()
    inputs = _names()
    versions = _names("of references, by name or notation")
    raters = RatersField(default=())
    judgements = serializers.IntegerField(default=3, min_value=1, max_value=1000)
    seed = serializers.IntegerField(default=None, allow_null=True, min_value=0, max_value=2**63 - 1)
    scale = serializers.ListField(
        child=serializers.IntegerField(min_value=-1000, max_value=1000), default=[1, 100], max_length=2
    )
    pairs = serializers.CharField(max_length=200, default="all")
    spread = serializers.BooleanField(default=False)
    segments = serializers.CharField(max_length=200, default="", allow_blank=True)
    guidelines = serializers.CharField(
        default="", allow_blank=True, trim_whitespace=False, help_text="Markdown"
    )
    consent = serializers.CharField(default="", allow_blank=True, trim_whitespace=False)
    study = serializers.CharField(max_length=120, default="", allow_blank=True)
    opened = serializers.BooleanField(default=True)
    pool = serializers.BooleanField(default=False)
    practice = PracticeField(default=0)
    calibration = PracticeField(default=0)
    settings = serializers.DictField(
        child=serializers.JSONField(), default=dict, help_text="by name, as CampaignSettings has them"
    )


class LinkSerializer(serializers.Serializer):
    """The invitation of one rater."""

    rater = serializers.CharField()
    link = serializers.URLField()


class EstimateSerializer(serializers.Serializer):
    """What a campaign would ask of its raters, and what it would find."""

    items = serializers.IntegerField()
    judgements = serializers.IntegerField()
    loads = serializers.DictField(child=serializers.IntegerField(), help_text="judgements by rater")
    minutes = serializers.DictField(child=serializers.FloatField(), help_text="by rater")
    power = serializers.CharField()
    notes = serializers.ListField(child=serializers.CharField())


class StateSerializer(Asked):
    """Whether raters may rate."""

    state = serializers.ChoiceField(["open", "closed"])


class UnsealSerializer(Asked):
    """Why results are seen before the campaign is closed."""

    reason = serializers.CharField(max_length=LONGEST_REASON)


class RaterSerializer(serializers.ModelSerializer):
    """A rater of a campaign, and how far he or she is."""

    rater = serializers.CharField(source="rater.name", read_only=True)
    n_assigned = serializers.IntegerField(read_only=True)
    n_done = serializers.IntegerField(read_only=True)

    class Meta:
        model = Participation
        fields = ["rater", "state", "n_assigned", "n_done", "excluded_by", "last_seen_at"]


class StudySerializer(serializers.ModelSerializer):
    """A study and what belongs to it."""

    owner = serializers.CharField(source="owner.username", default=None, allow_null=True, read_only=True)
    researchers: serializers.SlugRelatedField = serializers.SlugRelatedField(
        "username", many=True, read_only=True
    )
    testsets: serializers.SlugRelatedField = serializers.SlugRelatedField("name", many=True, read_only=True)
    systems: serializers.SlugRelatedField = serializers.SlugRelatedField("name", many=True, read_only=True)
    campaigns: serializers.SlugRelatedField = serializers.SlugRelatedField("name", many=True, read_only=True)

    class Meta:
        model = Study
        fields = [
            "id", "name", "description", "owner", "researchers", "testsets", "systems", "campaigns",
            "created_at",
        ]  # fmt: skip


class NewStudySerializer(Asked):
    """A study to be made."""

    name = serializers.CharField(max_length=120)
    description = serializers.CharField(default="", allow_blank=True, max_length=20_000)
