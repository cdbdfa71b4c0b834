"""What the API says about campaigns."""

from rest_framework import serializers

from annotation.models import Campaign
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
