"""A campaign ready to be rated, written straight into the tables: small, exact and without a plan."""

import re
from collections.abc import Sequence

from django.test import Client
from django.utils import timezone

from annotation.models import (
    Assignment,
    Campaign,
    CampaignOutput,
    Item,
    ItemCandidate,
    Participation,
    Rater,
    Study,
)
from annotation.services.invitations import invitation_url
from mtcore.models import Segment, SegmentText, System, TestSet, TextVersion


def rating_campaign(
    protocol: str = "source_da",
    *,
    name: str = "Shop windows",
    languages: tuple[str, str] = ("en", "de"),
    n_segments: int = 4,
    systems: Sequence[str] = ("OP", "BT"),
    raters: int = 2,
    swap: bool = False,
    consented: bool = True,
    texts: Sequence[str] = (),
) -> Campaign:
    """Return an open campaign in which every rater has every item.

    Direct assessment has an item a system and segment, pairwise fluency one a segment. `texts` replaces the
    invented source texts.
    """
    study, _ = Study.objects.get_or_create(name=f"Study of {name}")
    testset = TestSet.objects.create(
        name=f"set of {name}", source_language=languages[0], target_language=languages[1]
    )
    versions = {
        side: TextVersion.objects.create(testset=testset, side=side, kind="original", name=side)
        for side in ("source", "target")
    }
    campaign = Campaign.objects.create(
        study=study,
        name=name,
        protocol=protocol,
        source_language=languages[0],
        target_language=languages[1],
        state="open",
        judgements=raters,
    )
    outputs = [
        CampaignOutput.objects.create(
            campaign=campaign,
            system=System.objects.get_or_create(name=system)[0],
            testset=testset,
            input_version=versions["source"],
        )
        for system in systems
    ]
    items = []
    for position in range(1, n_segments + 1):
        segment = Segment.objects.create(testset=testset, position=position, key=str(position))
        source = texts[position - 1] if texts else f"Source sentence {position}."
        for side, version in versions.items():
            text = source if side == "source" else f"Reference sentence {position}."
            SegmentText.objects.create(version=version, segment=segment, text=text)
        items += _items(campaign, segment, versions, outputs, texts)
    for number in range(1, raters + 1):
        _participation(campaign, f"R{number}", items, swap=swap, consented=consented)
    Item.objects.filter(campaign=campaign).update(wanted=raters, given=raters)
    return campaign


def _items(campaign, segment, versions, outputs, texts):  # type: ignore[no-untyped-def]
    context = {"source_da": versions["source"], "reference_da": versions["target"]}.get(campaign.protocol)
    shown = [
        (
            f"Text {number} of segment {segment.position}." + (texts[segment.position - 1] if texts else ""),
            output,
        )
        for number, output in enumerate(outputs, start=1)
    ]
    groups = [shown] if campaign.protocol == "pairwise_fluency" else [[one] for one in shown]
    items = []
    for group in groups:
        item = Item.objects.create(
            campaign=campaign,
            segment=segment,
            input_version=versions["source"],
            context_version=context,
            wanted=len(groups),
        )
        for position, (text, output) in enumerate(group, start=1):
            ItemCandidate.objects.create(item=item, position=position, text=text).outputs.add(output)
        items.append(item)
    return items


def _participation(campaign, name, items, *, swap, consented):  # type: ignore[no-untyped-def]
    rater, _ = Rater.objects.get_or_create(study=campaign.study, name=name)
    participation = Participation.objects.create(
        rater=rater, campaign=campaign, consented_at=timezone.now() if consented else None
    )
    Assignment.objects.bulk_create(
        Assignment(item=item, participation=participation, position=position, swap=swap)
        for position, item in enumerate(items, start=1)
    )
    return participation


def participation_of(campaign: Campaign, name: str = "R1") -> Participation:
    """Return a rater's participation, freshly read."""
    return Participation.objects.select_related("campaign", "rater").get(campaign=campaign, rater__name=name)


def rater_client(participation: Participation, client: Client | None = None) -> Client:
    """Return a browser that has opened the rater's invitation."""
    client = client or Client()
    assert client.post(invitation_url(participation, base_url="")).status_code == 302
    return client


def keys(participation: Participation) -> list[str]:
    """Return the keys of a rater's assignments in order."""
    return list(participation.assignments.order_by("position").values_list("key", flat=True))


def answer(browser, campaign, key, client_key="key-00000001", score=64, **more):  # type: ignore[no-untyped-def]
    """Send an answer as the page's script does."""
    body = {"assignment": key, "client_key": client_key, "answers": {"score": score}, **more}
    return browser.post(f"/rate/{campaign.key}/answers", body, content_type="application/json")


def hidden(html: str, name: str) -> str:
    """Return the value of a hidden field."""
    return re.search(rf'name="{name}" value="([^"]+)"', html)[1]


def send_form(browser, campaign, score="64", **changes):  # type: ignore[no-untyped-def]
    """Fill in and send the next item's form as a browser without scripts does; return form and reply."""
    html = browser.get(f"/rate/{campaign.key}/").content.decode()
    form = {name: hidden(html, name) for name in ("assignment", "client_key")}
    return form, browser.post(f"/rate/{campaign.key}/", form | {"score": score} | changes)
