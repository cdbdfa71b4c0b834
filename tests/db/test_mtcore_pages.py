"""Pages of corpora, systems and runs: who may open them, what they say, what their buttons do."""

import csv
import gzip
import io
import json

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver, reverse
from django.utils import timezone

from evalplatform.celery import app
from mtcore.models import Corpus, Run, System, SystemOutput, TestSet
from mtcore.services.corpora import corpus_register
from mtcore.services.corpora_import import corpus_import
from mtcore.services.run_context import run_directory
from mtcore.services.run_kinds import RUN_KINDS
from mtcore.services.run_once import run_launch_once
from mtcore.services.run_presence import Presence
from mtcore.views.words import KINDS
from tests.factories.commands import run as command
from tests.factories.files import write_lines
from tests.factories.runs import TEST_KIND, know_test_kind, launch, work_all

pytestmark = pytest.mark.django_db
EVIL = "<img src=x onerror=alert(1)>{{7*7}}</script>"
GETS = {
    "runs": (), "machine": (), "run": ("run",), "run_live": ("run",), "run_log": ("run",),
    "run_data": ("run", "options"), "run_history": ("run",), "run_file": ("run", "text"), "corpora": (),
    "corpus_import": (), "corpora_mix": (), "corpus": ("corpus",), "corpus_filter": ("corpus",),
    "corpus_split": ("corpus",), "corpus_translate": ("corpus",), "systems": (), "system_train": (),
    "lm_train": (), "outputs_score": (), "diversity_measure": (), "fluency_compare": (),
    "directions_compare": (), "system": ("system",), "testset_translate": ("system",),
    "lm_score": ("lm",), "recipes": (), "recipe": ("tiny-op",),
}  # fmt: skip
OF_RESEARCHERS = {"testsets", "testset_import", "testset", "output_import", "output", "output_file"}
"""Pages that researchers open too; their rights are tested with them."""
POSTS = {"run_change": ("run",), "corpus_check": ("corpus",)}


@pytest.fixture(autouse=True)
def _kind():
    know_test_kind()


@pytest.fixture
def admin():
    client = Client()
    client.force_login(User.objects.create_superuser("root", password="harbour-root"))
    return client


@pytest.fixture
def corpus(tmp_path):
    return made(tmp_path, "train", [("one two", "eins zwei"), ("three", "drei"), ("four five", "vier fünf")])


def made(tmp_path, name, pairs):
    source = write_lines(tmp_path / f"{len(name)}.en", [one for one, _ in pairs])
    target = write_lines(tmp_path / f"{len(name)}.de", [other for _, other in pairs])
    draft = corpus_import(name=name, languages=("en", "de"), sources=[source], targets=[target])
    return corpus_register(draft)[0]


@pytest.fixture
def testset(tmp_path):
    source = write_lines(tmp_path / "t.s", ["The lamp is lit.", "The pier is long."])
    output = write_lines(tmp_path / "t.o", ["Die Lampe brennt.", "Der Pier ist lang."])
    command("import_testset", "Pier", "--languages", "en-de", "--source", source, "--reference", output)
    command("import_output", "Pier", "OP", output)
    return TestSet.objects.get()


def text_of(client, name, *arguments, **query):
    response = client.get(reverse(name, args=arguments), query)
    assert response.status_code == 200, response.content
    return response.content.decode()


def shown(message_response, client):
    """Follow a redirect and return the page."""
    assert message_response.status_code == 302, message_response.content.decode()
    return client.get(message_response.url).content.decode()


# Who may


@pytest.fixture
def things(corpus, testset):
    lm = Run.objects.create(kind="train_lm", name="lm", state="succeeded", result={})
    found = launch(name="x")
    result = run_directory(found.pk)
    result.create().say("a line of the log")
    with result.staged() as folder:
        (folder / "text").write_text("made")
    names = {"run": found.pk, "corpus": corpus.pk, "system": System.objects.get().pk, "lm": lm.pk}
    return {
        name: reverse(name, args=[names.get(one, one) for one in arguments])
        for name, arguments in (GETS | POSTS).items()
    }


def test_every_address_is_looked_at():
    ours = [p.name for p in get_resolver("mtcore.urls").url_patterns]
    assert sorted(ours) == sorted({*GETS, *POSTS, *OF_RESEARCHERS})


def test_whoever_is_not_signed_in_is_led_there(things):
    client = Client()
    for name, address in things.items():
        for ask in (client.get, client.post) if name in GETS else (client.post,):
            response = ask(address)
            refused = response.status_code == 302 and response.url.startswith(reverse("login"))
            assert refused or response.status_code == 405, (name, response.status_code)
    assert Run.objects.exclude(state="queued").count() == 1


def test_others_are_refused_in_words(things):
    client = Client()
    client.force_login(User.objects.create_user("ann", password="harbour-ann"))
    before = Run.objects.count(), Corpus.objects.count()
    for name, address in things.items():
        for ask in (client.get, client.post) if name in GETS else (client.post,):
            response = ask(address)
            assert response.status_code in (403, 405), (name, response.status_code)
            if response.status_code == 403:
                assert "for administrators" in response.content.decode()
                assert "harbour" not in response.content.decode().lower().replace("harbour-ann", "")
    assert (Run.objects.count(), Corpus.objects.count()) == before


def test_administrators_open_everything(things, admin):
    for name, address in things.items():
        if name in GETS:
            response = admin.get(address)
            assert response.status_code == 200, (name, response.content)
            if response["Content-Type"].startswith("text/html"):
                text = response.content.decode()
                assert "style=" not in text and " onclick" not in text and "<script>" not in text, name
        else:
            assert admin.get(address).status_code == 405


def test_only_administrators_see_the_links(admin):
    assert reverse("runs") in text_of(admin, "campaigns")
    client = Client()
    client.force_login(User.objects.create_user("ann"))
    assert reverse("runs") not in text_of(client, "campaigns")


def test_posts_need_the_token(corpus):
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.create_superuser("root"))
    found = launch()
    assert client.post(reverse("run_change", args=[found.pk]), {"action": "cancel"}).status_code == 403
    file = SimpleUploadedFile("x.de", b"eins\n")
    given = {"name": "new", "languages": "de", "sources": file, "test_segments": "refuse"}
    assert client.post(reverse("corpus_import"), given).status_code == 403
    assert Run.objects.get().state == "queued" and Corpus.objects.count() == 1


@pytest.mark.parametrize("pk", [0, 99_999_999, 10**30])
def test_what_is_not_there_is_404(admin, pk):
    for name in (
        "run",
        "run_live",
        "run_log",
        "run_history",
        "corpus",
        "corpus_filter",
        "system",
        "lm_score",
    ):
        assert admin.get(reverse(name, args=[pk])).status_code == 404, name
    assert admin.get(reverse("recipe", args=["no-such"])).status_code == 404


# Runs


def test_the_list_filters_and_finds(admin):
    first, second = launch(name="north"), launch(name="south", queue="gpu")
    Run.objects.filter(pk=second.pk).update(state="failed", message="It broke.")
    text = text_of(admin, "runs")
    assert "north" in text and "south" in text and "It broke." in text
    assert "south" not in text_of(admin, "runs", q="nor")
    assert "north" not in text_of(admin, "runs", state="failed")
    assert "north" not in text_of(admin, "runs", queue="gpu")
    assert "south" in text_of(admin, "runs", q=str(second.pk))
    assert "No run is like that" in text_of(admin, "runs", q="%")
    assert "No run is like that" in text_of(admin, "runs", kind="nonsense")
    assert first.name in text_of(admin, "runs", page="999") and text_of(admin, "runs", page="x")


def test_lists_ask_a_fixed_number_of_questions(admin, tmp_path):
    def grow(n):
        for number in range(n):
            parent = launch(name=f"p{number}")
            launch(name=f"c{number}", parents=[parent])
            running = launch(name=f"r{number}")
            Run.objects.filter(pk=running.pk).update(
                state="running", started_at=timezone.now(), lease_until=timezone.now()
            )
            ended = launch(name=f"e{number}")
            Run.objects.filter(pk=ended.pk).update(
                state="succeeded", started_at=timezone.now(), finished_at=timezone.now()
            )
            system = System.objects.create(name=f"S{System.objects.count()}")
            Run.objects.create(kind="train_model", name=system.name, options={"system": system.name})
            Run.objects.create(kind="train_model", name="alone", options={"system": f"none{number}"})
            Run.objects.create(kind="train_lm", name="lm")
            Corpus.objects.create(
                name=f"K{Corpus.objects.count()}", kind="monolingual", source_language="de", path="x"
            )

    counts = {}
    for n in (1, 6):
        grow(n)
        for name in ("runs", "machine", "corpora", "systems", "corpora_mix", "system_train", "lm_train"):
            with CaptureQueriesContext(connection) as caught:
                text_of(admin, name)
            counts.setdefault(name, []).append(len(caught))
    assert all(first == second for first, second in counts.values()), counts
    assert max(map(max, counts.values())) <= 20, counts


def test_a_run_page_asks_a_fixed_number_of_questions(admin):
    counts = []
    for n in (2, 9):
        parents = [launch(name=f"p{number}") for number in range(n)]
        found = launch(parents=parents)
        for number in range(n):
            launch(name=f"c{number}", parents=[found])
        with CaptureQueriesContext(connection) as caught:
            text = text_of(admin, "run", found.pk)
        assert text.count('class="g-box') == 2 * n + 1
        counts.append(len(caught))
    assert counts[0] == counts[1] <= 20


def test_a_run_says_that_nobody_works_and_how_to_start_a_worker(admin):
    """CEL-06."""
    found = launch(queue="gpu")
    text = text_of(admin, "run", found.pk)
    assert "Nobody is working on the queue “gpu”: no worker shows itself." in text
    assert "manage.py work --queue gpu" in text and "Nothing is lost" in text
    for page in (text_of(admin, "runs"), text_of(admin, "machine")):
        assert "Nobody is working on the queue “gpu”" in page and "manage.py work --queue gpu" in page
    with Presence(name="here:1", host="here", pid=1, queues=["gpu"], device="cuda:0"):
        assert "Nobody is working" not in text_of(admin, "run", found.pk)
        assert "Nobody is working" not in text_of(admin, "runs")
        page = text_of(admin, "machine")
        assert "here:1" in page and "cuda:0" in page and "Nobody" not in page


def test_without_a_broker_nothing_breaks_and_nothing_is_lost(
    admin, corpus, monkeypatch, django_capture_on_commit_callbacks
):
    """CEL-06."""
    monkeypatch.setattr(app.conf, "broker_url", "redis://127.0.0.1:1/0")
    given = {"name": "clean", "min_words": 1, "max_words": 9, "max_ratio": 2, "min_letters": 12}
    with django_capture_on_commit_callbacks(execute=True) as called:
        response = admin.post(reverse("corpus_filter", args=[corpus.pk]), given)
    assert response.status_code == 302 and called
    assert "Nobody is working" in shown(response, admin)
    assert work_all()[0].state == "succeeded"


def test_a_run_that_waits_for_another_says_so(admin):
    parent = launch(name="first", fail=True)
    child = launch(name="second", parents=[parent])
    assert f"Waits for run {parent.pk}" in text_of(admin, "run", child.pk)
    assert f"Waits for run {parent.pk}." in text_of(admin, "runs")
    work_all()
    assert "resume that one" in text_of(admin, "run", child.pk)


def test_a_broken_run_shows_why_its_log_curves_numbers_and_files(admin):
    found = launch(name="curves", reports=5, fail=True)
    work_all()
    run_directory(found.pk).say("\x1b[31mred\x1b[0m and \x07 a bell")
    text = text_of(admin, "run", found.pk)
    assert "The data are odd. Correct them." in text and "It failed." in text
    assert "<polyline" in text and "Loss" in text and "0.2" in text
    assert "red and � a bell" in text
    rows = list(
        csv.reader(io.StringIO(b"".join(admin.get(reverse("run_history", args=[found.pk]))).decode()))
    )
    assert rows[0] == ["at", "attempt", "progress", "loss"]
    assert [row[3] for row in rows[1:] if row[3]] == ["1.0", "0.5", str(1 / 3), "0.25", "0.2"]
    log = admin.get(reverse("run_log", args=[found.pk]))
    assert log["Content-Type"].startswith("text/plain") and "attachment" in log["Content-Disposition"]
    assert b"bell" in b"".join(log)


def test_losses_that_are_no_numbers_do_not_break_the_curves(admin):
    found = launch(nan="yes", reports=2)
    work_all()
    text = text_of(admin, "run", found.pk)
    assert "nan" in text and "inf" in text and 'points="nan' not in text


def test_files_of_a_run_and_nothing_beside_them(admin):
    found = launch()
    place = run_directory(found.pk)
    with place.create().staged() as folder:
        (folder / "model.bin").write_bytes(b"\0\1")
        (folder / "sub").mkdir()
        (folder / "sub" / "vocabulary").write_text("a")
    (place.root / "secret").write_text("s")
    text = text_of(admin, "run", found.pk)
    assert "model.bin" in text and "sub/vocabulary" in text
    sent = admin.get(reverse("run_file", args=[found.pk, "model.bin"]))
    assert b"".join(sent) == b"\0\1" and "attachment" in sent["Content-Disposition"]
    assert sent["X-Content-Type-Options"] == "nosniff"
    assert b"".join(admin.get(reverse("run_file", args=[found.pk, "sub/vocabulary"]))) == b"a"
    root = reverse("run", args=[found.pk])
    for name in ("manifest.json", "../secret", "%2e%2e/secret", "..%2fsecret", "/etc/passwd", "nothing"):
        assert admin.get(f"{root}files/{name}").status_code in (404, 301), name
    (place.result / "model.bin").unlink()
    (place.result / "model.bin").symlink_to(place.root / "secret")
    assert admin.get(reverse("run_file", args=[found.pk, "model.bin"])).status_code == 404
    (place.result / "model.bin").unlink()
    assert "missing" in text_of(admin, "run", found.pk)


def test_names_messages_and_logs_are_escaped(admin, tmp_path):
    found = launch(name=EVIL, reports=2, note=EVIL, fail=True)
    work_all()
    history = [{**point, "metrics": {EVIL: 1.0 + n}} for n, point in enumerate(found.history or [])]
    Run.objects.filter(pk=found.pk).update(
        message=EVIL, progress_note=EVIL, worker=EVIL, device=EVIL, result={EVIL: EVIL},
        history=history or [
            {"at": f"2026-01-01T00:00:0{n}+00:00", "attempt": 1, "progress": 0.1, "metrics": {EVIL: n + 1.0}}
            for n in range(3)
        ],
    )  # fmt: skip
    run_directory(found.pk).say(EVIL)
    launch(name=EVIL, parents=[found])
    System.objects.create(name=EVIL, description=EVIL)
    evil = made(tmp_path, EVIL, [(EVIL, EVIL)])
    pages = [
        text_of(admin, "run", found.pk), text_of(admin, "runs"), text_of(admin, "machine"),
        text_of(admin, "corpora"), text_of(admin, "corpus", evil.pk), text_of(admin, "systems"),
        text_of(admin, "system", System.objects.get().pk), text_of(admin, "corpora_mix"),
        text_of(admin, "corpus_filter", evil.pk), text_of(admin, "system_train"),
        text_of(admin, "runs", q=EVIL),
        admin.get(reverse("run_live", args=[found.pk])).json()["parts"]["status"],
    ]  # fmt: skip
    for number, page in enumerate(pages):
        assert "<img" not in page, number
        assert "&lt;img src=x" in page or number == 2


def test_cancel_resume_and_again_once_each(admin):
    found = launch(name="x", wait=True)
    change = reverse("run_change", args=[found.pk])
    assert "is cancelled; it had not begun" in shown(admin.post(change, {"action": "cancel"}), admin)
    assert "already finished (cancelled)" in shown(admin.post(change, {"action": "cancel"}), admin)
    assert "will go on" in shown(admin.post(change, {"action": "resume"}), admin)
    assert "queued already" in shown(admin.post(change, {"action": "resume"}), admin)
    refused = admin.post(change, {"action": "again"})
    assert refused.status_code == 400
    admin.post(change, {"action": "cancel"})
    first = admin.post(change, {"action": "again"})
    new = Run.objects.latest("pk")
    assert first.url == reverse("run", args=[new.pk]) and new.options == found.options
    second = admin.post(change, {"action": "again"})
    assert second.url == first.url and Run.objects.count() == 2
    assert "does it already" in shown(second, admin)
    assert admin.post(change, {"action": "explode"}).status_code == 400
    assert admin.get(change).status_code == 405


def test_cancelling_with_what_waits_for_it(admin):
    parent = launch()
    child = launch(parents=[parent])
    text = text_of(admin, "run", parent.pk)
    assert "Cancel with what waits for it" in text
    admin.post(reverse("run_change", args=[parent.pk]), {"action": "cancel_children"})
    assert set(Run.objects.values_list("state", flat=True)) == {"cancelled"}
    assert "Cancel with what waits" not in text_of(admin, "run", child.pk)


def test_the_live_address_tells_how_a_run_gets_on(admin):
    found = launch(reports=3)
    address = reverse("run_live", args=[found.pk])
    before = admin.get(address)
    assert before["Cache-Control"].startswith("max-age=0") and before.json()["finished"] is False
    assert "waiting" in before.json()["parts"]["status"] and "Cancel" in before.json()["parts"]["actions"]
    work_all()
    after = admin.get(address).json()
    assert after["finished"] and after["state"] == "succeeded" and "polyline" in after["parts"]["curves"]
    assert "csrf" not in json.dumps(after)  # else every answer would differ from the one before


def test_a_run_without_its_folder_and_with_an_unknown_kind_is_shown(admin):
    found = Run.objects.create(kind="from_the_future", state="failed", message="x", history=[{"odd": 1}])
    assert "from the future" in text_of(admin, "run", found.pk)
    assert admin.get(reverse("run_log", args=[found.pk])).status_code == 404


def test_the_machine_page_measures_the_disk(admin):
    found = launch()
    run_directory(found.pk).create().say("x" * 5000)
    text = text_of(admin, "machine")
    assert "folders of runs" in text and "4.9" in text and reverse("run", args=[found.pk]) in text


# Corpora


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


# Systems


def test_a_system_page_shows_outputs_scores_and_lost_lines(admin, testset):
    output = SystemOutput.objects.get()
    output.lines.filter(segment__position=output.lines.first().segment.position).update(status="too_long")
    command("score_outputs", "Pier", "--metrics", "bleu", "--resamples", "0")
    text = text_of(admin, "system", System.objects.get().pk)
    assert "too long: 1" in text and "bleu" in text and "100" in text and output.sha256 in text
    assert "was not trained here" in text


def test_recipes_show_every_figure(admin):
    text = text_of(admin, "recipes")
    assert "edunov-bt" in text and "tiny-op" in text
    text = text_of(admin, "recipe", "edunov-bt")
    assert "back_translation.decoding.sampling" in text and "training.max_updates" in text
    part = text_of(admin, "recipe", "tiny-op", part="figures")
    assert "<html" not in part and "training.max_updates" in part


def test_the_same_request_at_the_same_moment_launches_one_run():
    first = run_launch_once(kind="for_tests", options={"a": 1}, name="x")
    second = run_launch_once(kind="for_tests", options={"a": 1}, name="x")
    other = run_launch_once(kind="for_tests", options={"a": 2}, name="x")
    assert first[0] == second[0] and (first[1], second[1], other[1]) == (True, False, True)
    assert Run.objects.count() == 2


def test_every_kind_of_run_has_words():
    assert set(RUN_KINDS) - {TEST_KIND} == set(KINDS) - {TEST_KIND}
