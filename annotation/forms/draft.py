"""The form on which a campaign is changed before it is opened."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy

from annotation.forms.campaign_settings import SettingsForm, settings_initial
from annotation.models import Campaign
from annotation.protocols import PROTOCOLS
from annotation.services.campaign_settings import CampaignSettings
from mtcore.forms.fields import NameField

OF_POOLS = ("lease_minutes", "most_items")
SECTIONS: list[tuple[Any, tuple[str, ...]]] = [
    (gettext_lazy("The campaign"), ("name",)),
    (gettext_lazy("What raters read"), ("low_label", "high_label", "guidelines", "consent")),
    (gettext_lazy("The rating page"), ("context_segments", "break_after", "can_skip")),
    (gettext_lazy("Who takes part"), ("native", "fluent", "asks_profile")),
    (gettext_lazy("Joining and panels"), ("joins", "joins_an_hour", "return_url", *OF_POOLS)),
    (gettext_lazy("When raters disagree"), ("reading", "points", "treatment")),
    (gettext_lazy("Results"), ("sealed",)),
]


class DraftForm(SettingsForm):
    """All of a draft that needs no plan, as it is now."""

    name = NameField("campaign", label=gettext_lazy("Name"))

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        initial = settings_initial(campaign) | {"name": campaign.name}
        super().__init__(*args, initial=initial, **kwargs)
        self.campaign = campaign
        self.rated = PROTOCOLS[campaign.protocol].record == "rating"
        unfit = () if self.rated else ("low_label", "high_label", "reading", "points", "treatment")
        for name in (*unfit, *(() if campaign.mode == Campaign.Mode.POOL else OF_POOLS)):
            del self.fields[name]

    def sections(self) -> list[dict[str, Any]]:
        """Return the sections that have fields; guidelines by language are folded."""
        found = [
            {"title": title, "fields": [self[name] for name in names if name in self.fields]}
            for title, names in SECTIONS
        ]
        return [one for one in found if one["fields"]]

    def fold(self) -> dict[str, Any]:
        """Return the group of guidelines by language."""
        names = self.guidelines_fields()
        is_open = any(self.initial.get(name) for name in names) or any(name in self.errors for name in names)
        return {"fields": [self[name] for name in names], "open": is_open}

    def change(self) -> dict[str, Any]:
        """Return name and texts, once the form is valid."""
        return {name: self.cleaned_data[name] for name in ("name", "guidelines", "consent")}

    def made(self) -> dict[str, Any]:
        """Return all settings of the form; what was emptied is as usual."""
        usual = CampaignSettings()
        names = (name for name in self.fields if name in usual.__dataclass_fields__ and name != "guidelines")
        emptied = {name: getattr(usual, name) for name in names} | {"guidelines": {}}
        return emptied | self.settings(rated=self.rated)
