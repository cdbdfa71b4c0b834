"""A new campaign: what is wrong stands beside its field, all is kept, and checking shows what comes."""

import gzip

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import Campaign
from tests.factories.campaigns import make_campaign
from tests.factories.pages import client_of

pytestmark = pytest.mark.django_db
PRACTICE = 'source,translation,low,high,why\n"Late, is it",Spät,80,100,**All** there\n'
WISH = {
    "name": "made", "protocol": "source_da", "testsets": ["texts"], "systems": ["OP", "BT"], "raters": "3",
    "judgements": "2", "bad_references": "0", "repeats": "0", "scale_low": "1", "scale_high": "100",
    "practice": "0", "calibration": "0", "action": "check",
}  # fmt: skip


@pytest.fixture
def client():
    make_campaign(name="texts", n_segments=5)
    return client_of(User.objects.create_superuser("root"))


def file(text, name="items.csv"):
    return SimpleUploadedFile(name, text if isinstance(text, bytes) else text.encode())


@pytest.mark.parametrize(
    ("field", "fields", "words"),
    [
        ("raters", {"raters": ""}, "No raters are given"),
        ("name", {"name": "texts"}, "exists already"),
        ("scale_high", {"scale_low": "5", "scale_high": "5"}, "above the lowest score"),
        ("return_url", {"return_url": "ftp://panel"}, "https://panel.example.org"),
        ("native", {"native": "target, klingon!"}, "klingon"),
        ("fluent", {"fluent": "x y"}, "x y"),
        ("break_after", {"break_after": "9999"}, "480"),
        ("points", {"points": "-2"}, "0"),
        ("pool", {"lease_minutes": "5"}, "“A pool"),
        ("spread", {"pool": "on", "joins": "on", "spread": "on"}, "deals segment by segment"),
        ("guidelines_de", {"guidelines_de": "x" * 100_001}, "100,001 characters"),
        ("practice_items", {"practice_items": "source,translation,low,high\na,b,1,200\n"}, "line 2: high"),
        ("practice_items", {"practice_items": PRACTICE, "practice": "2"}, "not both"),
        ("calibration_items", {"calibration_items": '{"source": "a"}'}, "line 1: low is no"),
        ("attention", {"attention": "translation,low\na,1\n"}, "columns"),
        ("consent", {"consent_file": file(b"\xe4\xf6 bad", "consent.txt")}, "consent.txt"),
        ("consent", {"consent_file": file(b"x" * 1_048_577, "long.txt")}, "larger than 1 MB"),
    ],
)  # fmt: skip
def test_what_is_wrong_stands_beside_its_field(client, field, fields, words):
    page = client.post("/campaigns/new/", WISH | fields)
    form = page.context["form"]
    assert page.status_code == 400 and list(form.errors) == [field]
    assert words in " ".join(form.errors[field])
    folds = [fold for section in form.sections() for fold in section["folds"]]
    assert all(fold["open"] for fold in folds if field in {one.name for one in fold["fields"]})
    assert Campaign.objects.count() == 1


def test_files_survive_a_refused_form_and_become_the_campaign(client):
    files = {
        "practice_items_file": file(PRACTICE),
        "guidelines_de_file": file(gzip.compress(b"Genau & gut\n"), "de.md.gz"),
        "raters_file": file("Ada\nBen\nCem\n", "raters.txt"),
    }
    page = client.post("/campaigns/new/", WISH | {"return_url": "nowhere", "consent": "Mine"} | files)
    form = page.context["form"]
    assert list(form.errors) == ["return_url"]
    typed = {name: form[name].value() for name in ("practice_items", "guidelines_de", "raters", "consent")}
    assert typed == {
        "practice_items": PRACTICE, "guidelines_de": "Genau & gut\n", "raters": "Ada\nBen\nCem\n",
        "consent": "Mine",
    }  # fmt: skip
    assert "Genau &amp; gut" in page.content.decode()
    sent = {name: text.replace("\n", "\r\n") for name, text in typed.items()}
    assert client.post("/campaigns/new/", WISH | sent | {"action": "draft"}).status_code == 302
    made = Campaign.objects.get(name="made")
    assert made.settings["guidelines"] == {"de": "Genau & gut\n"} and made.settings["practice"] == 1
    names = made.participations.order_by("pk").values_list("rater__name", flat=True)
    assert (made.consent, list(names)) == ("Mine", ["Ada", "Ben", "Cem"])


def test_checking_shows_what_a_rater_meets_before_the_first_item(client):
    asked = {
        "consent": "I agree <freely>.", "guidelines": "Look **hard**", "guidelines_de": "Genau hinsehen",
        "native": "target", "practice_items": PRACTICE, "joins": "on", "break_after": "0", "spread": "on",
        "points": "12", "calibration": "1",
    }  # fmt: skip
    page = client.post("/campaigns/new/", WISH | asked).content.decode()
    before = page.partition('id="before"')[2].partition('id="preview-title"')[0]
    for words in (
        "German as a native language", "I agree &lt;freely&gt;.", "Look <strong>hard</strong>",
        "Genau hinsehen", "Late, is it", "80 to 100", "<strong>All</strong> there", "Calibration",
    ):  # fmt: skip
        assert words in before, words
    told = page.partition('id="settings-told"')[2].partition("</section>")[0]
    for words in ("joining link", "3 places", "No break", "on its own", "12 points"):
        assert words in told, words
    usual = client.post("/campaigns/new/", WISH).content.decode()
    assert 'id="settings-told"' not in usual and "Taking part is voluntary" in usual
    assert not Campaign.objects.filter(name="made").exists()


def test_groups_are_closed_until_something_in_them_is_not_as_usual(client):
    def opened(page):
        form = page.context["form"]
        return [str(f["title"]) for section in form.sections() for f in section["folds"] if f["open"]]

    there = Campaign.objects.get()
    assert opened(client.get(f"/campaigns/new/?from={there.key}")) == []
    there.settings = there.settings | {"break_after": 0}
    there.save()
    assert opened(client.get(f"/campaigns/new/?from={there.key}")) == ["The rating page"]
    assert client.get("/campaigns/new/?from=nowhere").status_code == 404
    blank = client.get("/campaigns/new/")
    assert opened(blank) == []
    form = blank.context["form"]
    shown = {name: form[name].value() for name in form.fields}
    usual = {name: value for name, value in shown.items() if value is not None and value is not False}
    assert opened(client.post("/campaigns/new/", usual | WISH)) == []
    assert opened(client.post("/campaigns/new/", usual | WISH | {"break_after": "3"})) == ["The rating page"]
