"""What the API says about campaigns."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.models import Campaign
from annotation.services.report.glance import agreement_glance
from annotation.services.sealing import is_sealed


class CampaignSerializer(serializers.ModelSerializer):
    """A campaign, its progress and the addresses of its scores and judgements."""

    study = serializers.CharField(source="study.name", read_only=True)
    scale = serializers.SerializerMethodField()
    sealed = serializers.SerializerMethodField()
    n_assigned = serializers.IntegerField(read_only=True)
    n_done = serializers.IntegerField(read_only=True)
    url = serializers.HyperlinkedIdentityField(view_name="api_campaign", lookup_field="key")
    scores = serializers.HyperlinkedIdentityField(view_name="api_scores", lookup_field="key")
    judgements = serializers.HyperlinkedIdentityField(view_name="api_judgements", lookup_field="key")

    class Meta:
        model = Campaign
        fields = [
            "key", "name", "study", "protocol", "source_language", "target_language", "scale", "sealed",
            "state", "mode", "seed", "n_assigned", "n_done", "created_at", "opened_at", "closed_at", "url",
            "scores", "judgements",
        ]  # fmt: skip

    def get_sealed(self, campaign: Campaign) -> bool:
        """Tell whether nobody sees its results before it is closed."""
        return is_sealed(campaign)

    def get_scale(self, campaign: Campaign) -> list[float]:
        """Return the lowest and highest score."""
        return [campaign.scale_low, campaign.scale_high]


class GlanceSerializer(serializers.Serializer):
    """How far raters agree; `at` is null where it is true of the judgements of this moment."""

    value = serializers.FloatField(help_text="Krippendorff's α: of ratings on z, of preferences nominal")
    row = serializers.CharField(help_text="of the report's table of agreement")
    n_items = serializers.IntegerField()
    n_several = serializers.IntegerField(help_text="items that two raters or more judged")
    words = serializers.CharField()
    at = serializers.DateTimeField(allow_null=True)


class CampaignDetailSerializer(CampaignSerializer):
    """A campaign, and how far its raters agree."""

    agreement = serializers.SerializerMethodField()

    class Meta(CampaignSerializer.Meta):
        fields = [*CampaignSerializer.Meta.fields, "agreement"]

    @extend_schema_field(GlanceSerializer(allow_null=True))
    def get_agreement(self, campaign: Campaign) -> dict[str, Any] | None:
        """Say how far raters agree; null while results are sealed, or where nothing can be said."""
        found = agreement_glance(campaign, getattr(campaign, "n_done", 0))
        return None if found is None else dict(GlanceSerializer(found).data)
