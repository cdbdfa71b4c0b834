"""The page that names corpora by their part, translations by system and rows by label."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotation.models import AuditEvent, Study
from annotation.services.study_members import study_add
from annotation.services.study_tables.material import rows_chosen
from annotation.services.study_tables.texts import study_texts_set, texts_of, texts_version
from mtcore.models import System
from tests.factories.commands import refused, run
from tests.factories.files import write_lines

pytestmark = pytest.mark.django_db
NOTHING = {"train": "", "dev": "", "test": "", "translations": "", "rows": ""}


@pytest.fixture
def study(tmp_path):
    ann = User.objects.create_user("ann")
    found = Study.objects.create(name="Europarl", owner=ann)
    found.researchers.add(User.objects.create_user("ben"))
    for name in ("TRANS", "LSTM", "LSTM back"):
        System.objects.create(name=name)
    english = write_lines(tmp_path / "en", ["A line.", "Another line."])
    for name in ("train a", "train b"):
        french = write_lines(tmp_path / "fr", [f"Une ligne {name}.", "Une autre ligne."])
        run("import_corpus", name, "--languages", "en-fr", "--source", english, "--target", french)
    run("import_corpus", "by TRANS", "--languages", "fr", "--text", write_lines(tmp_path / "t", ["Une."]))
    return found


def client_of(name):
    client = Client()
    client.force_login(User.objects.get(username=name))
    return client


def send(study, status=302, name="ben", **given):
    filled = NOTHING | {"seen": texts_version(study)}
    answer = client_of(name).post(reverse("study_texts", args=[study.pk]), filled | given)
    assert answer.status_code == status, answer.content.decode()
    study.refresh_from_db()
    return answer.content.decode()


def told(study):
    texts = texts_of(study)
    return dict(texts.corpora), dict(texts.translations), list(rows_chosen(study).items())


def test_what_is_typed_is_set_shown_and_in_the_trail(study):
    tables = client_of("ben").get(reverse("study_tables", args=[study.pk])).content.decode()
    assert reverse("study_texts", args=[study.pk]) in tables
    send(
        study, train="train a\r\ntrain b\r\n", translations="TRANS | by TRANS",
        rows="T | TRANS\r\nL | LSTM | LSTM back",
    )  # fmt: skip
    assert told(study) == (
        {"train": ["train a", "train b"]},
        {"TRANS": "by TRANS"},
        [("T", ["TRANS"]), ("L", ["LSTM", "LSTM back"])],
    )
    event = AuditEvent.objects.get(action="study.texts")
    assert event.actor.username == "ben" and event.study == study
    page = client_of("ben").get(reverse("study_texts", args=[study.pk])).content.decode()
    assert "train a\ntrain b" in page and "TRANS | by TRANS" in page and "L | LSTM | LSTM back" in page
    out, _ = run("study_texts", "Europarl")
    assert "row L: “LSTM”, “LSTM back”" in out


def test_what_is_left_out_goes_and_rows_have_the_order_of_their_lines(study):
    study_texts_set(
        study=study,
        corpora={"train": ["train a"], "dev": ["train b"]},
        translations={"TRANS": "by TRANS"},
        rows={"T": ["TRANS"], "L": ["LSTM"]},
    )
    send(study, dev="train b", rows="L | LSTM\nT | TRANS")
    assert told(study) == ({"dev": ["train b"]}, {}, [("L", ["LSTM"]), ("T", ["TRANS"])])
    send(study)
    assert told(study) == ({}, {}, [])
    n_events = AuditEvent.objects.filter(action="study.texts").count()
    send(study)
    assert AuditEvent.objects.filter(action="study.texts").count() == n_events


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("train", "no such", "no such"),
        ("train", "by TRANS", "in one language"),
        ("translations", "TRANS", "is not like"),
        ("translations", "TRANS | by TRANS | train a", "is not like"),
        ("translations", "NOBODY | by TRANS", "no system"),
        ("translations", "TRANS | by TRANS\nTRANS | train a", "stands there twice"),
        ("rows", "L |", "is not like"),
        ("rows", "| TRANS", "is not like"),
        ("rows", "L | NOBODY", "no system"),
        ("rows", "L\u202e | TRANS", "U+202E"),
        ("rows", "L" * 121 + " | TRANS", "120 are allowed"),
        ("rows", "\n".join(f"L{n} | TRANS" for n in range(201)), "200 at most"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_set(study, field, text, said):
    page = send(study, 400, **{field: text})
    assert said in page and text.replace("<", "&lt;").split("\n")[0] in page
    assert told(study) == ({}, {}, []) and not AuditEvent.objects.filter(action="study.texts").exists()


def test_corpora_are_listed_for_administrators_alone(study):
    address = reverse("study_texts", args=[study.pk])
    assert "train a" not in client_of("ben").get(address).content.decode()
    User.objects.create_user("root", is_staff=True)
    page = client_of("root").get(address).content.decode()
    assert "train a, train b" in page and "LSTM back" in page
    User.objects.create_user("stranger")
    assert client_of("stranger").get(address).status_code == 404


def test_a_save_over_something_newer_is_refused_and_shows_both(study):
    old = texts_version(study)
    send(study, rows="T | TRANS")
    page = send(study, 409, seen=old, rows="L | LSTM", train="train a")
    assert "T | TRANS" in page and "L | LSTM" in page and "What is there now" in page
    assert told(study) == ({}, {}, [("T", ["TRANS"])])
    page = send(study, 409, seen=old)  # an old form in which nothing was typed
    assert told(study) == ({}, {}, [("T", ["TRANS"])]) and texts_version(study) in page
    send(study, rows="L | LSTM")  # as the form goes on from what was shown
    assert told(study) == ({}, {}, [("L", ["LSTM"])])
    assert send(study, 400, seen="")


def test_labels_kept_before_they_were_checked_are_shown_and_can_be_taken_away(study):
    rows = [["", ["TRANS"]], ["a\nb | c", ["LSTM"]], ["x" * 300, ["LSTM back"]]]
    study.settings = {"tables": {"rows": rows}}
    study.save()
    assert "x" * 300 in client_of("ben").get(reverse("study_texts", args=[study.pk])).content.decode()
    study_texts_set(study=study, rows={label: list(names) for label, names in rows[:2]})
    study_texts_set(study=study, rows={"": []})
    assert [label for label, _ in told(study)[2]] == ["a\nb | c", "x" * 300]
    send(study, rows="L | LSTM")
    assert told(study)[2] == [("L", ["LSTM"])]


@pytest.mark.parametrize("label", ["", "a\nb", "a\u202eb", "x" * 200_000, "a\x01b"])
def test_labels_that_are_no_names_are_refused_at_every_door(study, label):
    answer = client_of("ben").post(
        f"/api/v1/studies/{study.pk}/texts/", {"rows": {label: ["TRANS"]}},
        content_type="application/json", headers={"Idempotency-Key": "k"},
    )  # fmt: skip
    assert answer.status_code == 400 and len(answer.content) < 1000, answer.content
    assert told(study) == ({}, {}, [])
    if label:
        assert "row name" in refused("study_texts", "Europarl", "--row", f"{label}=TRANS")


def test_what_corpora_there_are_is_told_to_administrators_alone(study):
    User.objects.create_user("root", is_staff=True)
    for name, told_all in (("ben", False), ("root", True)):
        for given in ({"corpora": {"train": ["nope"]}}, {"translations": {"TRANS": "nope"}}):
            answer = client_of(name).post(
                f"/api/v1/studies/{study.pk}/texts/", given,
                content_type="application/json",
            )  # fmt: skip
            assert answer.status_code == 404 and ("train a" in answer.content.decode()) == told_all
        page = send(study, 400, name=name, train="nope")
        assert ("“train b”" in page) == told_all


def test_tables_have_a_flavour_in_which_no_cell_is_a_formula(study, tmp_path):
    label = '=HYPERLINK("http://x")'
    more = write_lines(tmp_path / "s", ["One."]), write_lines(tmp_path / "r", ["Un."])
    run("import_testset", "set", "--languages", "en-fr", "--source", more[0], "--reference", more[1])
    study_add(study=study, testsets=["set"], systems=["TRANS"])
    study_texts_set(study=study, rows={label: ["TRANS"]})
    client = client_of("ben")
    page = reverse("study_tables_file", args=[study.pk, "vanmassenhove", "csv"])
    api = f"/api/v1/studies/{study.pk}/tables/vanmassenhove/?file=csv"
    for address, more in ((page, "?"), (api, "&")):
        exact = client.get(address).content.decode()
        assert '"=HYPERLINK' in exact
        safe = client.get(f"{address}{more}flavour=spreadsheet").content.decode()
        assert '"=HYPERLINK' not in safe and "\"'=HYPERLINK" in safe
        assert client.get(f"{address}{more}flavour=odd").status_code == 400
    out, _ = run(
        "report_study", "Europarl", "--tables", "vanmassenhove", "--format", "csv", "--flavour", "spreadsheet"
    )
    assert '"=HYPERLINK' not in out
    shown = client.get(reverse("study_tables_of", args=[study.pk, "vanmassenhove"])).content.decode()
    assert "vanmassenhove.csv?flavour=spreadsheet" in shown
