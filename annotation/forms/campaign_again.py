"""What the form of a new campaign holds when it begins from a campaign that is there."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from annotation.forms.campaign_settings import settings_initial
from annotation.models import Campaign, CampaignOutput, Item
from annotation.protocols import PROTOCOLS
from annotation.services.attention_file import attention_rows
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.practice_items import STAGES
from mtcore.models import TextVersion


def initial_again(campaign: Campaign) -> dict[str, Any]:
    """Return all that a campaign was asked for, but its name and seed."""
    made = CampaignSettings.of(campaign)
    rows = campaign.outputs.filter(role=CampaignOutput.Role.SYSTEM)
    inputs = TextVersion.objects.filter(pk__in=rows.values("input_version"))
    invited = campaign.participations.exclude(settings__has_key="joined").order_by("pk")
    found: dict[str, Any] = settings_initial(campaign) | {
        name: getattr(made, name) for name in ("segments", "bad_references", "repeats", "reference_as_system")
    }
    found |= {
        "study": campaign.study.name,
        "protocol": campaign.protocol,
        "scale_low": round(campaign.scale_low),
        "scale_high": round(campaign.scale_high),
        "testsets": _names(rows, "testset__name"),
        "systems": _names(rows, "system__name"),
        "inputs": _versions(inputs),
        "pairs": campaign.pairs or "all",
        "judgements": campaign.judgements,
        "pool": campaign.mode == Campaign.Mode.POOL,
        "spread": campaign.spread,
        "raters": "\n".join(invited.values_list("rater__name", flat=True)),
        "attention": _table(attention_rows(made.attention)),
    }
    if PROTOCOLS[campaign.protocol].context == "reference":
        items = campaign.items.filter(kind=Item.Kind.SYSTEM)
        found["versions"] = _versions(TextVersion.objects.filter(pk__in=items.values("context_version")))
    return found | _practice(campaign, made)


def _names(rows: Any, column: str) -> list[str]:
    return list(dict.fromkeys(rows.order_by("pk").values_list(column, flat=True)))


def _versions(versions: Any) -> str:
    """Return names of versions; nothing where they are the originals, which are meant anyway."""
    if not versions.exclude(kind=TextVersion.Kind.ORIGINAL).exists():
        return ""
    return ", ".join(_names(versions, "name"))


def _table(rows: list[dict[str, Any]]) -> str:
    """Write rows as CSV with a header."""
    if not rows:
        return ""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _practice(campaign: Campaign, made: CampaignSettings) -> dict[str, Any]:
    """Return how many practice items were made from the test set, or those that came from a file."""
    protocol = PROTOCOLS[campaign.protocol]
    items = campaign.items.filter(kind=Item.Kind.PRACTICE).order_by("occurrence")
    rows: dict[str, list[dict[str, Any]]] = {stage: [] for stage in STAGES}
    for item in items.select_related("context_version").prefetch_related("candidates"):
        expected = dict(made.expected[item.occurrence - 1])
        texts = [one.text for one in sorted(item.candidates.all(), key=lambda one: one.position)]
        sides = ("left", "right") if len(texts) == 2 else ("translation",)
        row = dict(zip(sides, texts, strict=True))
        if item.context_version is not None:
            row[protocol.context] = item.context_version.texts.get(segment=item.segment_id).text
        rows[item.group].append(row | expected)
    found: dict[str, Any] = {}
    for stage, own in rows.items():
        is_made = all("reason" in one for one in own)
        found[stage] = len(own) if is_made else 0
        lines = [] if is_made else [json.dumps(one, ensure_ascii=False) for one in own]
        found[f"{stage}_items"] = "\n".join(lines)
    return found
