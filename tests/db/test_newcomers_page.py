"""Raters who are added on the campaign's page, and where the page says that their links stand."""

import pytest
from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.urls import reverse

from annotation.models import AuditEvent, Campaign, Participation
from annotation.services.campaigns import campaign_close
from annotation.services.withdrawal import rater_withdraw
from tests.factories.campaigns import make_campaign
from tests.factories.pages import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann():
    return User.objects.create_user("ann")


@pytest.fixture
def campaign(ann):
    return make_campaign(name="harbour", n_segments=6, owner=ann)


def add(client, campaign, text):
    """Send the form; return the messages that follow, as (level, words)."""
    answer = client.post(reverse("campaign_add_raters", args=[campaign.key]), {"raters": text})
    assert answer.status_code == 302 and answer.headers["Location"].endswith("/#raters")
    return [(one.level_tag, str(one)) for one in get_messages(answer.wsgi_request)]


def test_new_raters_take_what_lacks_judgements(campaign, ann):
    two = make_campaign(name="two", n_segments=4, raters=2, judgements=2, owner=ann)
    rater_withdraw(campaign=two, rater="R2")
    client = client_of(ann)
    page = client.get(two.get_absolute_url()).content.decode()
    assert "Add raters" in page and 'name="raters"' in page and "R1" in page
    told = add(client, two, "Zoe\r\n\r\n  Yan \r\n")
    level, words = told[0]
    assert level == "success" and words.startswith("Added: Zoe, Yan. Items given out: ")
    assert " to Zoe" in words and " to Yan" in words
    assert 'The links of Zoe, Yan stand under <a href="#invitation-links">Invitation links</a>.' in words
    assert all(text[:1].isupper() and text.endswith(".") for _level, text in told)
    assert two.participations.filter(rater__name__in=("Zoe", "Yan")).count() == 2
    assert AuditEvent.objects.get(action="rater.added").actor == ann
    after = client.get(two.get_absolute_url()).content.decode()
    assert 'id="invitation-links"' in after and after.count("/invite/") == 3


def test_it_is_said_when_nothing_lacks_judgements_and_names_are_alike(campaign, ann):
    told = add(client_of(ann), campaign, "Zoe\nzoe")
    assert told[0][1].startswith("Added: Zoe, zoe. The links of")
    assert any(level == "info" and words.startswith("No item lacks judgements now.") for level, words in told)
    assert any(level == "warning" and "“Zoe” and “zoe”" in words for level, words in told)


def test_who_researches_adds_raters_and_does_not_see_their_links(campaign, ann):
    ben = User.objects.create_user("ben")
    campaign.study.researchers.add(ben)
    client = client_of(ben)
    (_level, words), *_others = add(client, campaign, "Zoe")
    assert "The owner of the study finds the link of Zoe under “Invitation links”." in words
    assert "/invite/" not in client.get(campaign.get_absolute_url()).content.decode()


def test_before_a_campaign_opens_its_links_are_told_for_later(campaign, ann):
    Campaign.objects.filter(pk=campaign.pk).update(state="draft")
    (_level, words), *_others = add(client_of(ann), campaign, "Zoe")
    assert "Once the campaign is open, the link of Zoe stands under “Invitation links”." in words


def test_a_pool_gives_nothing_out(ann):
    pool = make_campaign(name="pool", n_segments=4, owner=ann, pool=True)
    ((level, words),) = add(client_of(ann), pool, "Zoe")
    assert level == "success" and "whoever comes takes the next items" in words
    assert Participation.objects.get(rater__name="Zoe").assignments.count() == 0


def test_names_are_text_on_the_page(campaign, ann):
    client = client_of(ann)
    add(client, campaign, "<b>Zoe</b>")
    page = client.get(campaign.get_absolute_url()).content.decode()
    assert "<b>Zoe</b>" not in page and "&lt;b&gt;Zoe&lt;/b&gt;" in page


@pytest.mark.parametrize(
    ("text", "status", "words"),
    [
        ("", 400, "Nobody is named."),
        (" \n ", 400, "Nobody is named."),
        ("Yan\nR1", 409, "or there until they left: “R1”. Nothing was changed."),
        ("a|b", 400, "a|b"),
        ("Zoe\nZoe", 400, "not unique: “Zoe”. Nobody was added. Name each rater once."),
        ("x" * 121, 400, "120"),
    ],
)
def test_what_cannot_be_added_stays_in_the_form_with_the_reason(campaign, ann, text, status, words):
    address = reverse("campaign_add_raters", args=[campaign.key])
    answer = client_of(ann).post(address, {"raters": text})
    page = answer.content.decode()
    assert answer.status_code == status
    assert f"\n{text}</textarea>" in page and 'aria-invalid="true" autofocus' in page
    assert words in page.partition('id="add-raters-error" role="alert">')[2].partition("</p>")[0]
    assert f'name="next" value="{campaign.get_absolute_url()}"' in page
    assert campaign.participations.count() == 3


def test_not_too_many_and_not_to_what_is_closed(campaign, ann):
    client, address = client_of(ann), reverse("campaign_add_raters", args=[campaign.key])
    many = "\n".join(f"N{n}" for n in range(1001))
    assert client.post(address, {"raters": many}).status_code == 400
    campaign_close(campaign=campaign)
    refused = client.post(address, {"raters": "Zoe"}, headers={"referer": "http://testserver/campaigns/"})
    assert refused.status_code == 409 and "Back to where you came from" in refused.content.decode()
    assert "Add raters" not in client.get(campaign.get_absolute_url()).content.decode()
    assert campaign.participations.count() == 3


def test_handing_over_says_where_the_new_link_stands_in_sentences(ann):
    two = make_campaign(name="two", n_segments=6, raters=2, judgements=1, owner=ann)
    answer = client_of(ann).post(
        reverse("campaign_hand_over", args=[two.key]), {"rater": "R1", "new_rater": "Zoe"}
    )
    told = [(one.level_tag, str(one)) for one in get_messages(answer.wsgi_request)]
    assert 'The link of Zoe stands under <a href="#invitation-links">' in told[0][1]
    one = make_campaign(name="one", n_segments=3, raters=2, judgements=2, owner=ann)
    answer = client_of(ann).post(reverse("campaign_hand_over", args=[one.key]), {"rater": "R1"})
    told = [(one.level_tag, str(one)) for one in get_messages(answer.wsgi_request)]
    assert [level for level, _words in told[:2]] == ["success", "warning"]
    assert "Invitation links" not in told[0][1]
    assert all(text[:1].upper() == text[:1] and text.endswith(".") for _level, text in told)
