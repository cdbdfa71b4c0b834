"""The pages of corpora: uploads and what stops them, filtering, splitting and mixing from the page."""

import gzip

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from mtcore.models import Corpus, Run
from tests.factories.mtcore_pages import made, pier, shown, text_of
from tests.factories.pages import client_of
from tests.factories.runs import work_all

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin():
    return client_of(User.objects.create_superuser("root", password="harbour-root"))


@pytest.fixture
def corpus(tmp_path):
    return made(tmp_path, "train", [("one two", "eins zwei"), ("three", "drei"), ("four five", "vier fünf")])


@pytest.fixture
def testset(tmp_path):
    return pier(tmp_path)


def file(name, text):
    return SimpleUploadedFile(name, text if isinstance(text, bytes) else text.encode())


def upload(admin, **given):
    values = {"name": "new", "languages": "en-de", "test_segments": "refuse"} | given
    return admin.post(reverse("corpus_import"), values)


def uploads(settings):
    folder = settings.DATA_DIR / "uploads"
    return list(folder.rglob("*")) if folder.exists() else []


def test_a_small_text_is_imported_at_once_without_a_worker(admin, settings):
    page = shown(
        upload(
            admin, sources=file("a.en.gz", gzip.compress(b"one\ntwo\n")), targets=file("a.de", "eins\nzwei\n")
        ),
        admin,
    )
    found = Corpus.objects.get()
    assert (
        "“new” is imported" in page
        and found.n_lines == 2
        and found.report["files"] == [["a.en.gz"], ["a.de"]]
    )
    assert not uploads(settings) and not Run.objects.exists()


def test_a_larger_text_is_imported_by_a_run_and_its_upload_removed(admin, settings, monkeypatch):
    monkeypatch.setattr("mtcore.services.corpora_upload.SMALL_BYTES", 10)
    page = shown(
        upload(admin, languages="de", sources=[file("a.de", "eins\nzwei\n"), file("b.de", "drei\n")]), admin
    )
    found = Run.objects.get()
    assert found.kind == "import_corpus" and "Nobody is working" in page
    assert found.requested_by.username == "root"
    again = upload(admin, languages="de", sources=file("a.de", "eins\nzwei\n"))
    assert f"Run {found.pk} imports a corpus of this name already" in again.content.decode()
    work_all()
    assert Corpus.objects.get().n_lines == 3
    upload(admin, name="other", languages="de", sources=file("c.de", "vier\n"))
    assert not [path for path in uploads(settings) if path.is_file()]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sources": ("a.en", "one\n")}, "needs the text of the target"),
        ({"languages": "de", "sources": ("a.de", "eins\n"), "targets": ("b", "x\n")}, "no target"),
        ({"sources": ("a.en", "one\ntwo\n"), "targets": ("a.de", "eins\n")}, "2 lines"),
        ({"languages": "xx-yy-zz", "sources": ("a", "x\n"), "targets": ("b", "y\n")}, "several hyphens"),
        ({"languages": "de", "sources": ("a.de", b"\xff\xfe\x00")}, "UTF-16"),
        ({"languages": "de", "sources": ("a.zip", b"PK\x03\x04aaaa")}, "packed with zip"),
        ({"languages": "de", "sources": ("a.gz", gzip.compress(b"eins\n")[:-4])}, "cut short"),
        ({"languages": "de", "sources": ("a.gz", b"\x1f\x8bnothing of the kind")}, "damaged"),
        ({"languages": "de", "sources": ("a.de", "eins\n"), "name": "a|b"}, "joins merged systems"),
        ({"languages": "de", "sources": ("a.de", "eins\n"), "name": " a"}, "begins or ends with a blank"),
        ({"languages": "de", "sources": ("a.de", "eins\n"), "name": ""}, "required"),
        ({"languages": "de", "sources": ("a.de", b"")}, "empty"),
        ({"languages": "de"}, "required"),
    ],
)
def test_uploads_that_cannot_be_used(admin, settings, given, said):
    files = {name: file(*given[name]) for name in ("sources", "targets") if name in given}
    response = upload(admin, **{**given, **files})
    assert response.status_code == 400
    text = response.content.decode()
    assert said in text, text
    assert not Corpus.objects.exists() and not Run.objects.exists() and not uploads(settings)


@pytest.mark.parametrize(
    "name", ["../../escape_1", "..\\escape_2", "/etc/escape_3", "x" * 300 + ".de", "…\u202e.de"]
)
def test_names_of_files_lead_nowhere(admin, settings, monkeypatch, name):
    """SEC-03."""
    monkeypatch.setattr("mtcore.services.corpora_upload.SMALL_BYTES", 0)
    sent = SimpleUploadedFile("plain", b"eins\n")
    sent._name = name
    response = upload(admin, languages="de", sources=sent)
    assert response.status_code == 302
    for path in settings.DATA_DIR.parent.rglob("*escape*"):
        assert (settings.DATA_DIR / "uploads") in path.parents
    (source,) = Run.objects.get().options["sources"]
    assert source.startswith(str(settings.DATA_DIR / "uploads"))
    assert all(part not in ("..", "") for part in source.split("/")[1:])


def test_a_bomb_is_stopped(admin, settings, monkeypatch):
    monkeypatch.setattr("mtcore.services.corpora_upload.MOST_UNPACKED", 10_000_000)
    bomb = gzip.compress(b"a\n" * 20_000_000, compresslevel=6)
    response = upload(admin, languages="de", sources=file("a.gz", bomb))
    assert "unpacks to more than" in response.content.decode() and not uploads(settings)


def test_what_is_too_large_is_refused_before_it_is_read(admin, monkeypatch):
    monkeypatch.setattr("mtcore.views.corpora_import.MOST_BYTES", 1000)
    monkeypatch.setattr("mtcore.views.corpora_import._MORE", 0)
    response = upload(admin, languages="de", sources=file("a.de", "eins\n" * 2000))
    assert response.status_code == 400 and "import_corpus" in response.content.decode()
    monkeypatch.setattr("mtcore.views.corpora_import._MORE", 10**6)
    monkeypatch.setattr("mtcore.services.corpora_upload.MOST_BYTES", 1000)
    response = upload(admin, languages="de", sources=file("a.de", "eins\n" * 2000))
    assert "import_corpus" in response.content.decode() and not Corpus.objects.exists()


def test_an_upload_with_test_segments(admin, testset):
    lines = "The lamp is lit.\nA bird sings.\n"
    refused = upload(admin, languages="en", sources=file("a.en", lines)).content.decode()
    assert "test segments" in refused and "“Pier”" in refused and not Corpus.objects.exists()
    upload(admin, languages="en", sources=file("a.en", lines), test_segments="keep")
    found = Corpus.objects.get()
    text = text_of(admin, "corpus", found.pk, overlap="1")
    assert "Pier" in text and "tested on what it has seen" in text and 'href="?line=1"' in text


def test_a_corpus_page_shows_counts_lines_and_origin(admin, corpus):
    text = text_of(admin, "corpus", corpus.pk)
    assert corpus.sha256 in text and corpus.path in text and "one two" in text and "vier fünf" in text
    assert 'lang="de" dir="ltr"' in text
    later = text_of(admin, "corpus", corpus.pk, line="3")
    assert "four five" in later and "one two" not in later
    for odd in ("-1", "0", "x", "9" * 30, "²"):
        assert "lines" in text_of(admin, "corpus", corpus.pk, line=odd)
    assert "None." in text_of(admin, "corpus", corpus.pk, overlap="1")


def test_a_corpus_whose_files_are_gone_says_so(admin, corpus, settings):
    assert "The files are those" in shown(admin.post(reverse("corpus_check", args=[corpus.pk])), admin)
    path = settings.DATA_DIR / corpus.path / "text.de"
    path.write_text("changed\n")
    assert "has changed" in shown(admin.post(reverse("corpus_check", args=[corpus.pk])), admin)
    assert "as many lines as each other" in text_of(admin, "corpus", corpus.pk, line="3")
    path.unlink()
    assert "are missing" in text_of(admin, "corpus", corpus.pk)


def test_filtering_from_the_page_is_a_run_once(admin, corpus):
    address = reverse("corpus_filter", args=[corpus.pk])
    given = {
        "name": "clean", "min_words": 2, "max_words": 250, "max_ratio": 1.5, "min_letters": 12,
        "duplicates": "on", "drop_test_segments": "on",
    }  # fmt: skip
    first, second = admin.post(address, given), admin.post(address, given)
    assert first.url == second.url and Run.objects.count() == 1
    (done,) = work_all()
    assert done.state == "succeeded", done.message
    clean = Corpus.objects.get(name="clean")
    assert clean.n_lines == 2 and list(clean.derived_from.all()) == [corpus]
    page = text_of(admin, "corpus", clean.pk)
    assert "too short" in page and "33.3 %" in page and reverse("corpus", args=[corpus.pk]) in page
    assert "clean" in text_of(admin, "corpus", corpus.pk)
    assert reverse("corpus", args=[clean.pk]) in text_of(admin, "run", done.pk)
    third = admin.post(address, given).content.decode()
    assert "There is a corpus “clean” already" in third and Run.objects.count() == 1
    odd = admin.post(address, given | {"name": "c2", "max_ratio": "0.5"}).content.decode()
    assert "max_ratio" in odd
    for name, value in (("min_words", "-1"), ("max_words", "x"), ("max_ratio", "nan"), ("max_words", "1e99")):
        assert admin.post(address, given | {"name": "c2", name: value}).status_code == 400, value
    assert Run.objects.count() == 1


def test_splitting_and_mixing_from_the_page(admin, corpus):
    split = reverse("corpus_split", args=[corpus.pk])
    assert (
        "give fewer" in admin.post(split, {"rest": "a", "held": "b", "lines": 3, "seed": 1}).content.decode()
    )
    assert (
        "same name" in admin.post(split, {"rest": "a", "held": "a", "lines": 1, "seed": 1}).content.decode()
    )
    admin.post(split, {"rest": "a", "held": "b", "lines": 1, "seed": 1})
    work_all()
    assert [one.n_lines for one in Corpus.objects.filter(name__in="ab").order_by("name")] == [2, 1]
    mix = reverse("corpora_mix")
    admin.post(
        mix, {"name": "m", "corpus_1": "a", "copies_1": 2, "corpus_3": "b", "copies_3": 1, "tag_3": "<BT>"}
    )
    work_all()
    mixed = Corpus.objects.get(name="m")
    assert mixed.n_lines == 5 and "&lt;BT&gt;" in text_of(admin, "corpus", mixed.pk, line="5")
    assert "required" in admin.post(mix, {"name": "n"}).content.decode()
