"""The page that names corpora by their part, translations by system and rows by label."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotation.models import AuditEvent, Study
from annotation.services.study_tables.material import rows_chosen
from annotation.services.study_tables.texts import study_texts_set, texts_of
from mtcore.models import System
from tests.factories.commands import run
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
    answer = client_of(name).post(reverse("study_texts", args=[study.pk]), NOTHING | given)
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
