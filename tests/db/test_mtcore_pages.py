"""Pages of corpora, systems and runs: who may open them, what they say, what their buttons do."""

import csv
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
from mtcore.models import Corpus, Run, System, SystemOutput
from mtcore.services.run_context import run_directory
from mtcore.services.run_kinds import RUN_KINDS
from mtcore.services.run_once import run_launch_once
from mtcore.services.run_presence import Presence
from mtcore.views.words import KINDS
from tests.factories.commands import run as command
from tests.factories.mtcore_pages import made, pier, shown, text_of
from tests.factories.pages import client_of
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
    return client_of(User.objects.create_superuser("root", password="harbour-root"))


@pytest.fixture
def corpus(tmp_path):
    return made(tmp_path, "train", [("one two", "eins zwei"), ("three", "drei"), ("four five", "vier fünf")])


@pytest.fixture
def testset(tmp_path):
    return pier(tmp_path)


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
