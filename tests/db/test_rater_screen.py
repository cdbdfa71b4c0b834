"""What a screen says about its place in a document, and what the campaign allows on it."""

import pytest

from annotation.models import Item, Judgement
from annotation.services.campaign_settings import CampaignSettings
from evalplatform.errors import BadInput
from mtcore.models import Document, Segment, SegmentText
from tests.factories.rating import keys, participation_of, rater_client, rating_campaign

pytestmark = pytest.mark.django_db


def documents(campaign, *sizes):
    """Cut the campaign's segments into documents of the sizes given; what is left stays without one."""
    segments = list(Segment.objects.filter(testset__name=f"set of {campaign.name}").order_by("position"))
    for number, size in enumerate(sizes):
        document = Document.objects.create(testset=segments[0].testset, name=f"d{number}", position=number)
        some, segments = segments[:size], segments[size:]
        Segment.objects.filter(pk__in=[one.pk for one in some]).update(document=document)


def around(campaign, path=""):
    """Return (before, text, after) of the screens in order."""
    rater = participation_of(campaign)
    browser = rater_client(rater)
    found = []
    for key in keys(rater):
        screen = browser.get(f"/rate/{campaign.key}/item/{key}").context["screen"]
        before, after = ((screen[name] or {}).get("text") for name in ("before", "after"))
        found.append((before, screen["context"][0]["text"] if screen["context"] else None, after))
    return found


def one_system(protocol="source_da", **settings):
    campaign = rating_campaign(protocol, n_segments=6, systems=("OP",), raters=1)
    campaign.settings = settings
    campaign.save()
    return campaign


def line(n, side="Source"):
    return f"{side} sentence {n}."


def lines(*numbers, side="Source"):
    return "\n".join(line(n, side) for n in numbers) or None


def test_neighbours_are_those_of_the_same_document():
    campaign = one_system()
    documents(campaign, 4, 1)
    assert around(campaign) == [
        (lines(), line(1), lines(2, 3)),
        (lines(1), line(2), lines(3, 4)),
        (lines(1, 2), line(3), lines(4)),
        (lines(2, 3), line(4), lines()),
        (None, line(5), None),
        (None, line(6), None),
    ]


def test_the_campaign_says_how_many_neighbours():
    campaign = one_system(context_segments=1)
    documents(campaign, 6)
    assert around(campaign)[2] == (lines(2), line(3), lines(4))
    campaign.settings = {"context_segments": 0}
    campaign.save()
    assert around(campaign)[2] == (None, line(3), None)


def test_beside_a_reference_stand_the_references_neighbours():
    campaign = one_system("reference_da")
    documents(campaign, 6)
    SegmentText.objects.filter(version__name="target", segment__position=2).update(text=" ")
    before, text, after = around(campaign)[2]
    assert (before, text) == (lines(1, side="Reference"), line(3, side="Reference"))
    assert after == lines(4, 5, side="Reference")


def test_a_page_is_for_the_rater_whose_invitation_was_opened_last():
    """UI-04: what a page of somebody else sends is neither stored nor answered with their items."""
    campaign = rating_campaign()
    one, two = participation_of(campaign, "R1"), participation_of(campaign, "R2")
    browser = rater_client(one)
    mark = browser.get(f"/rate/{campaign.key}/").context["config"]["owner"]
    rater_client(two, browser)
    for key in (keys(one)[0], keys(two)[0]):
        body = {"assignment": key, "client_key": "key-00000001", "answers": {"score": 64}}
        url, kind = f"/rate/{campaign.key}/answers", "application/json"
        reply = browser.post(url, body, content_type=kind, headers={"X-Rating-Owner": mark})
        assert reply.status_code == 401 and "Somebody else" in reply.json()["detail"]
    reply = browser.get(f"/rate/{campaign.key}/screens", headers={"X-Rating-Owner": mark})
    assert reply.status_code == 401 and Judgement.objects.count() == 0
    rater_client(one, browser)
    assert browser.post(
        url, body | {"assignment": keys(one)[0]}, content_type=kind, headers={"X-Rating-Owner": mark}
    ).json()["saved"]


def test_styles_and_scripts_are_sent_small_and_nothing_else(client):
    """A page or reply of a rater stays as it is: its length tells of what is on it."""
    campaign = rating_campaign()
    zipped = {"Accept-Encoding": "gzip"}
    small = client.get("/static/css/app.css", headers=zipped)
    assert small.headers["Content-Encoding"] == "gzip" and "Accept-Encoding" in small.headers["Vary"]
    assert len(b"".join(small.streaming_content)) < 10_000
    page = rater_client(participation_of(campaign)).get(f"/rate/{campaign.key}/", headers=zipped)
    assert "Content-Encoding" not in page.headers


def test_two_fluent_texts_stand_alone():
    campaign = rating_campaign("pairwise_fluency", raters=1)
    documents(campaign, 4)
    assert set(around(campaign)) == {(None, None, None)}


def test_skipping_is_offered_where_the_campaign_allows_it():
    """And only while the item waits for an answer."""
    campaign = one_system()
    rater = participation_of(campaign)
    browser = rater_client(rater)
    page = browser.get(f"/rate/{campaign.key}/")
    assert page.context["screen"]["can_skip"] is False
    campaign.settings = {"can_skip": True, "low_label": "worthless", "high_label": "perfect"}
    campaign.save()
    page = browser.get(f"/rate/{campaign.key}/")
    assert page.context["screen"]["can_skip"] is True
    question = page.context["screen"]["protocol_question"]
    assert (question["low_label"], question["high_label"]) == ("worthless", "perfect")
    assert "perfect" in page.content.decode()


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"low_label": "x" * 81}, "end of the scale"),
        ({"high_label": "all\nof it"}, "end of the scale"),
        ({"context_segments": 11}, "11 context segments"),
        ({"context_segments": -1}, "-1 context segments"),
        ({"break_after": 481}, "481 break after"),
    ],
)
def test_what_a_page_cannot_show_is_refused(said, message):
    with pytest.raises(BadInput, match=message):
        CampaignSettings.read(said)


def test_the_kind_of_an_item_does_not_show_in_its_neighbours():
    campaign = one_system()
    documents(campaign, 6)
    before = around(campaign)
    Item.objects.filter(campaign=campaign, segment__position=3).update(kind="bad_reference")
    assert around(campaign) == before
