"""Campaigns that ask something before rating, and raters who come through it by the pages."""

import re
from typing import Any

from django.test import Client

from annotation.models import Campaign, Participation
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.joining import joining_url
from annotation.services.practice_items import PracticeDraft
from tests.factories.campaigns import make_campaign
from tests.factories.rating import hidden, participation_of, rater_client

GERMAN = {"native_1": "German", "fluent_1": "English"}


def asking(
    name: str = "Lighthouse", protocol: str = "source_da", *, opened: bool = True, **settings: Any
) -> Campaign:
    """Return an open campaign with some settings; `practice` and `calibration` may be drafts."""
    drafts = [one for key in ("practice", "calibration") for one in _drafts(settings, key)]
    more: dict[str, Any] = {
        key: settings.pop(key)
        for key in (
            "raters",
            "judgements",
            "n_segments",
            "segments",
            "guidelines",
            "consent",
            "study",
            "seed",
            "pool",
        )
        if key in settings
    }
    return make_campaign(
        name=name,
        protocol=protocol,
        practice=tuple(drafts),
        settings=CampaignSettings.read(settings),
        opened=opened,
        **{"raters": 2, "judgements": 1, "n_segments": 4} | more,
    )


def _drafts(settings: dict[str, Any], key: str) -> tuple[PracticeDraft, ...]:
    return settings.pop(key) if isinstance(settings.get(key), tuple) else ()


def scale_items(stage: str, *bounds: tuple[int, int]) -> tuple[PracticeDraft, ...]:
    """Return items of a scale, each with what is expected."""
    return tuple(
        PracticeDraft(stage, f"Source {n}.", (f"Übung {n}.",), low, high, why=f"Because of **{n}**.")
        for n, (low, high) in enumerate(bounds, start=1)
    )


def fill_in(browser: Client, campaign: Campaign, **fields: str) -> Any:
    """Send the form on languages, and say once more that it is right where that is asked."""
    reply = browser.post(f"/rate/{campaign.key}/profile", GERMAN | fields)
    if reply.status_code == 200 and reply.context["asked"]:
        reply = browser.post(f"/rate/{campaign.key}/profile", GERMAN | fields)
    return reply


def agree(browser: Client, campaign: Campaign) -> Any:
    """Agree to take part."""
    return browser.post(f"/rate/{campaign.key}/consent", {"agree": "on"})


def practise(browser: Client, campaign: Campaign, *answers: str, field: str = "score") -> list[Any]:
    """Answer practice items without a script, one after the other; return the replies."""
    replies = []
    for answer in answers:
        html = browser.get(f"/rate/{campaign.key}/practice/").content.decode()
        form = {name: hidden(html, name) for name in ("assignment", "client_key")}
        replies.append(browser.post(f"/rate/{campaign.key}/practice/", form | {field: answer}))
    return replies


def begin(browser: Client, campaign: Campaign) -> Any:
    """Go on to rating."""
    return browser.post(f"/rate/{campaign.key}/practice/", {"action": "begin"})


def newcomer(campaign: Campaign, name: str = "R1") -> tuple[Client, Participation]:
    """Return the browser of a rater who has opened the invitation and done nothing else."""
    rater = participation_of(campaign, name)
    return rater_client(rater), rater


def join_address(campaign: Campaign) -> str:
    """Return the joining link without its host."""
    campaign.refresh_from_db()
    return joining_url(campaign, base_url="")


def words(response: Any) -> str:
    """Return the text of a page, without marks and with single spaces."""
    html = re.sub(r"<(script|style|datalist).*?</\1>", " ", response.content.decode(), flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())
