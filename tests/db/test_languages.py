"""The interface in every language offered: complete catalogues, whole pages, plurals, a menu that holds."""

import gettext
import html
import re

import pytest
from django.conf import settings
from django.template.loader import render_to_string
from django.test import Client
from django.utils import translation

from annotation.models import Participation
from annotation.protocols.base import AnswerError, Scale, read_whole_number
from annotation.services.invitations import invitation_url
from tests.catalogue import (
    LOCALE,
    module_sentences,
    placeholders,
    read_catalogue,
    template_sentences,
    uses,
)
from tests.factories.rating import answer, keys, participation_of, rater_client, rating_campaign

LANGUAGES = [code for code, _ in settings.LANGUAGES if code != "en"]
THANKS = {"ru": "Спасибо.", "ar": "شكرًا لك."}
RATER_TEMPLATES = ("rater", "errors", "base.html", "login.html", "language_form.html", "language_menu.html")
RATER_MODULES = (
    "annotation/protocols",
    "annotation/forms/rater.py",
    "annotation/services/invitations.py",
    "annotation/services/judging.py",
    "annotation/services/participation.py",
    "annotation/services/screens.py",
    "annotation/views/access.py",
    "annotation/views/rater.py",
    "evalplatform/errors.py",
    "evalplatform/middleware.py",
)


def rater_sentences() -> set[str]:
    found = set().union(*map(template_sentences, RATER_TEMPLATES), *map(module_sentences, RATER_MODULES))
    assert len(found) > 200 and "Source" in found and "Save and next" in found
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_a_rater_can_meet_is_translated(language):
    _, _, entries = read_catalogue(language)
    translated = {entry.msgid for entry in entries if all(entry.forms)}
    assert rater_sentences() - translated == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_entry_is_empty_or_a_guess(language):
    n_forms, _, entries = read_catalogue(language)
    for entry in entries:
        assert all(entry.forms) and "fuzzy" not in entry.flags, entry.msgid
        assert len(entry.forms) == (n_forms if entry.plural else 1), entry.msgid


@pytest.mark.parametrize("language", LANGUAGES)
def test_places_for_values_come_through(language):
    """A form that serves a single number may say it in words; no form may name what is not there."""
    _, rule, entries = read_catalogue(language)
    served = uses(rule)
    for entry in entries:
        if not entry.plural:
            assert placeholders(entry.forms[0]) == placeholders(entry.msgid), entry.msgid
            continue
        wanted = placeholders(entry.plural)
        for number, form in enumerate(entry.forms):
            named = placeholders(form)
            assert named == wanted or (set(named) <= set(wanted) and served.get(number, 2) == 1), form


@pytest.mark.parametrize("language", LANGUAGES)
def test_compiled_catalogues_say_what_their_sources_say(language):
    _, _, entries = read_catalogue(language)
    with (LOCALE / language / "LC_MESSAGES" / "django.mo").open("rb") as stream:
        compiled = dict(gettext.GNUTranslations(stream)._catalog)  # type: ignore[attr-defined]
    compiled.pop("")
    wanted = {}
    for entry in entries:
        key = f"{entry.context}\x04{entry.msgid}" if entry.context else entry.msgid
        for number, form in enumerate(entry.forms):
            wanted[(key, number) if entry.plural else key] = form
    assert compiled == wanted


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (
            "ru",
            {
                0: "Сохранено 0 ваших ответов.",
                1: "Сохранён 1 ваш ответ.",
                2: "Сохранены 2 ваших ответа.",
                5: "Сохранено 5 ваших ответов.",
                21: "Сохранён 21 ваш ответ.",
            },
        ),
        (
            "ar",
            {
                0: "لا إجابات محفوظة.",
                1: "إجابتك محفوظة.",
                2: "إجابتاك محفوظتان.",
                5: "حُفظت 5 إجابات.",
                21: "حُفظت 21 إجابة.",
            },
        ),
    ],
)
def test_counts_take_the_plural_of_their_language(language, expected):
    one, more = "Thank you. Your answer is saved.", "Thank you. Your %(done)s answers are saved."
    with translation.override(language):
        for n, sentence in expected.items():
            page = render_to_string("rater/finish.html", {"has_left": True, "progress": {"done": n}})
            assert (sentence in page) == (n > 0)  # without an answer the page says nothing of them
            assert translation.ngettext(one, more, n) % {"done": n} == f"{THANKS[language]} {sentence}"


def test_what_is_wrong_with_an_answer_is_said_in_english_without_a_catalogue():
    with pytest.raises(AnswerError) as caught:
        read_whole_number("101", Scale())
    assert str(caught.value) == "101 is outside the scale: choose a whole number from 1 to 100."
    assert caught.value.msgid % {"text": "x", "low": 0, "high": 5} == (
        "x is outside the scale: choose a whole number from 0 to 5."
    )


@pytest.mark.django_db
class TestPages:
    """What browsers receive."""

    @pytest.fixture
    def campaign(self):
        return rating_campaign(languages=("en", "ar"))

    @pytest.fixture
    def rater(self, campaign):
        return participation_of(campaign)

    def pages(self, campaign, rater, language):
        """Return every page of a rater's way, asked for in a language."""
        client = Client(headers={"accept-language": language})
        invitation = invitation_url(rater, base_url="")
        way = [client.get(invitation), client.get(f"{invitation}x"), client.get(f"/rate/{campaign.key}/")]
        client.post(invitation)
        Participation.objects.filter(pk=rater.pk).update(consented_at=None)
        way += [client.get(f"/rate/{campaign.key}/consent"), client.post(f"/rate/{campaign.key}/consent")]
        client.post(f"/rate/{campaign.key}/consent", {"agree": "on"})
        way += [client.get(f"/rate/{campaign.key}/{page}") for page in ("", "guidelines")]
        way.append(
            client.post(f"/rate/{campaign.key}/", {"assignment": keys(rater)[0], "client_key": "k" * 9})
        )
        Participation.objects.filter(pk=rater.pk).update(state="left")
        way += [client.get(f"/rate/{campaign.key}/finish"), client.get("/login/"), client.get("/nowhere")]
        return way

    @pytest.mark.parametrize("protocol", ["source_da", "reference_da", "pairwise_fluency"])
    @pytest.mark.parametrize("language", LANGUAGES)
    def test_pages_hold_no_english_sentence(self, language, protocol):
        campaign = rating_campaign(protocol, languages=("en", "ar"))
        rater = participation_of(campaign)
        # Names of keys, as "Page ↓", may be the same in other languages: two words make a sentence.
        several = re.compile(r"[A-Za-z]{2,}\W+[A-Za-z]{2,}")
        english = {text for text in rater_sentences() if several.search(text) and not placeholders(text)}
        direction = "rtl" if language == "ar" else "ltr"
        for response in self.pages(campaign, rater, language):
            page = html.unescape(response.content.decode())
            assert f'<html lang="{language}" dir="{direction}">' in page, response.request["PATH_INFO"]
            assert [text for text in english if text in page] == []

    def test_english_sentences_would_be_found(self, campaign, rater):
        pages = [html.unescape(page.content.decode()) for page in self.pages(campaign, rater, "en")]
        found = [text for text in rater_sentences() if " " in text and any(text in page for page in pages)]
        assert len(found) > 70

    def test_refusals_speak_the_language_of_the_page(self, campaign, rater):
        client = Client(headers={"accept-language": "de"})
        rater_client(rater, client)
        said = answer(client, campaign, keys(rater)[0], score=101).json()
        assert said["detail"] == "101 liegt außerhalb der Skala: Wählen Sie eine ganze Zahl von 1 bis 100."
        assert said["title"] == "Diese Eingabe ist nicht verwendbar"
        assert said["detail"] in (
            client.post(
                f"/rate/{campaign.key}/",
                {"assignment": keys(rater)[0], "client_key": "k" * 9, "score": "101"},
            ).content.decode()
        )

    def test_arrows_and_ends_follow_the_direction(self, campaign, rater):
        client = rater_client(rater)
        response = client.get(f"/rate/{campaign.key}/", headers={"accept-language": "ar"})
        page = response.content.decode()
        assert response.context["language_pair_label"] == "الإنجليزية ← العربية"
        assert "<bdi>Shop windows</bdi>" in page and "1 · <bdi>لا شيء منه</bdi>" in page

    def test_the_menu_changes_the_language_for_good(self, campaign, rater):
        client = Client(headers={"accept-language": "de"})
        rater_client(rater, client)
        address = f"/rate/{campaign.key}/item/{keys(rater)[2]}"
        page = client.get(address).content.decode()
        assert '<html lang="de"' in page and f'name="next" value="{address}"' in page
        assert re.findall(r'name="language" value="(\w+)"', page) == ["en", *LANGUAGES]
        assert re.search(r'value="de" lang="de" aria-current="true"', page)
        chosen = client.post("/language/", {"language": "ar", "next": address})
        assert chosen.status_code == 302 and chosen.headers["Location"] == address
        assert '<html lang="ar" dir="rtl">' in client.get(address).content.decode()
        client.cookies.pop("sessionid")  # the session ends, the choice stays
        assert '<html lang="ar" dir="rtl">' in client.get("/login/").content.decode()
        assert client.cookies["django_language"]["max-age"] > 30 * 24 * 3600

    def test_every_page_offers_the_languages_once(self, campaign, rater):
        for response in self.pages(campaign, rater, "fr"):
            page = response.content.decode()
            assert page.count('class="languages"') == 1, response.request["PATH_INFO"]

    @pytest.mark.parametrize("place", ["invitation", "menu"])
    def test_a_choice_needs_the_form_and_leads_nowhere_else(self, rater, place):
        """An invitation stays on its page without writing its address; the menu leads to no other site."""
        client = Client(enforce_csrf_checks=True)
        invitation = invitation_url(rater, base_url="")
        page = client.get(invitation).content.decode()
        address = invitation if place == "invitation" else "/language/"
        form = {
            "language": "ru",
            "next": "https://elsewhere.example/",
            "csrfmiddlewaretoken": re.search(r'csrfmiddlewaretoken" value="(\w+)"', page)[1],
        }
        headers = {"origin": "null"}  # a page that sends no referrer
        assert client.post(address, {"language": "ru"}, headers=headers).status_code == 403
        chosen = client.post(address, form, headers=headers)
        assert chosen.status_code == 302
        assert chosen.headers["Location"] == ("./" if place == "invitation" else "/")
        assert chosen.cookies["django_language"].value == "ru"
        assert not client.session.get("participations") and invitation not in page
