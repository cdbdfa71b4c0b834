"""What a killed command or run left among the corpora: found, removed, counted; never a living one's."""

import os
import subprocess
import time
from pathlib import Path

import pytest
from django.urls import reverse

from mtcore.engines.guard import start_of
from mtcore.models import Corpus
from mtcore.services import corpora_places
from mtcore.services.corpora import corpora_register, corpus_find
from mtcore.services.corpora_derive import corpus_split
from mtcore.services.corpora_import import corpus_import
from mtcore.services.corpora_places import corpora_folder, corpora_sweep, draft_folder
from mtcore.services.corpora_write import draft_discard
from mtcore.services.disk import DRAFTS, disk_use
from mtcore.services.run_work import Worker
from tests.factories.commands import run
from tests.factories.files import write_lines
from tests.factories.runs import know_test_kind, launch

pytestmark = pytest.mark.django_db
DAY = 24 * 3600


def quiet(path: Path, seconds: float) -> Path:
    """Let nothing have been written there for so long."""
    for one in (*path.rglob("*"), path) if path.is_dir() else (path,):
        os.utime(one, (time.time() - seconds,) * 2)
    return path


def not_allowed(path: Path) -> None:
    raise PermissionError(13, "Permission denied", str(path))


@pytest.fixture
def owned(monkeypatch):
    """Another process of this machine, and a way to write corpora in its name."""
    process = subprocess.Popen(["sleep", "600"])
    own = corpora_places._owner()
    machine = own.partition("-")[0]
    monkeypatch.setattr(corpora_places, "_owner", lambda: f"{machine}-{process.pid}-{start_of(process.pid)}")
    yield process
    process.kill()
    process.wait()


def killed(process: subprocess.Popen) -> None:
    process.kill()
    process.wait()


def test_what_a_killed_command_was_writing_is_removed_by_the_next_one(tmp_path, owned):
    left, scratch = draft_folder("now"), draft_folder("now-scratch")
    (left / "text.de").write_text("half a line")
    quiet(left, DAY * 9), quiet(scratch, DAY * 9)
    assert corpora_sweep() == [], "its process lives, however long it thinks"
    killed(owned)
    text = write_lines(tmp_path / "x.de", ["a"])
    run("import_corpus", "x", "--languages", "de", "--text", text)
    assert [one.name for one in corpora_folder().iterdir()] == [Path(corpus_find("x").path).name]


def test_what_has_just_been_written_is_left_a_while(owned):
    left = draft_folder("now")
    killed(owned)
    assert corpora_sweep() == [] and left.is_dir()
    quiet(left, 61)
    assert corpora_sweep() == [left.name] and not left.exists()


def test_another_process_with_the_same_number_does_not_keep_it():
    left = draft_folder("now")
    other = left.with_name(left.name.replace(f"-{start_of(os.getpid())}.", "-1."))
    quiet(left.rename(other), 61)
    assert corpora_sweep() == [other.name]


def test_what_another_machine_writes_stays_for_a_day_of_quiet():
    left = draft_folder("now")
    owner = left.name.split(".")[2]
    other = quiet(left.rename(left.with_name(left.name.replace(owner, "0" * 8 + "-1-5"))), DAY - 60)
    older = corpora_folder() / ".now.k3_9abcd"  # as earlier versions named theirs
    older.mkdir()
    assert corpora_sweep() == []
    quiet(other, DAY + 60), quiet(older, DAY + 60)
    assert sorted(corpora_sweep()) == sorted([other.name, older.name])


def test_what_a_run_wrote_stays_until_it_has_ended():
    know_test_kind()
    going = launch()
    left, ended = draft_folder(f"run-{going.pk}-rest"), draft_folder("run-999999")
    quiet(left, DAY), quiet(ended, DAY)
    assert corpora_sweep() == [ended.name] and left.is_dir()
    going.state = "cancelled"
    going.save()
    assert corpora_sweep() == [left.name]


def test_what_is_not_ours_is_never_touched(tmp_path):
    text = write_lines(tmp_path / "x.de", ["a"])
    run("import_corpus", "x", "--languages", "de", "--text", text)
    for name in (".snapshot", ".nfs0001", "backup of mine", ".now", ".run-7"):
        (corpora_folder() / name).mkdir()
    (corpora_folder() / ".now.link1234").symlink_to(tmp_path)
    before = sorted(quiet(one, DAY * 99) for one in corpora_folder().iterdir() if not one.is_symlink())
    assert corpora_sweep() == []
    assert sorted(one for one in corpora_folder().iterdir() if not one.is_symlink()) == before


def test_a_half_of_a_split_that_is_whole_and_in_no_database_is_removed(tmp_path, owned):
    text = write_lines(tmp_path / "x.de", list("abcdef"))
    run("import_corpus", "x", "--languages", "de", "--text", text)
    rest, held = corpus_split(corpus=corpus_find("x"), names=("rest", "held"), held_out=2, seed=1)
    for one in corpora_folder().iterdir():
        quiet(one, DAY)
    assert corpora_sweep() == []
    killed(owned)
    removed = corpora_sweep()
    assert sorted(name.split(".")[1] for name in removed) == sorted(
        f"now-{one.folder}" for one in (rest, held)
    )
    assert [one.name for one in corpora_folder().iterdir()] == [Path(corpus_find("x").path).name]


def test_a_corpus_whose_note_was_left_behind_stays(tmp_path, owned):
    text = write_lines(tmp_path / "x.de", list("abcdef"))
    run("import_corpus", "x", "--languages", "de", "--text", text)
    (place,) = corpora_folder().iterdir()
    corpora_places.made_note(place.name)
    killed(owned)
    for one in corpora_folder().iterdir():
        quiet(one, DAY)
    assert len(corpora_sweep()) == 1
    assert list(corpora_folder().iterdir()) == [place] and corpus_find("x").n_lines == 6


def test_nothing_is_noted_any_more_of_what_is_registered_or_discarded(tmp_path):
    text = write_lines(tmp_path / "x.de", list("abcdef"))
    run("import_corpus", "x", "--languages", "de", "--text", text)
    corpora_register(corpus_split(corpus=corpus_find("x"), names=("r", "h"), held_out=2, seed=1))
    draft = corpus_import(name="y", languages=["de"], sources=[text])
    assert [one.name for one in corpora_folder().iterdir() if one.name.startswith(f".now-{draft.folder}.")]
    draft_discard(draft)
    assert {one.name for one in corpora_folder().iterdir()} == {
        Path(one.path).name for one in Corpus.objects.all()
    }


def test_a_worker_removes_it_too_and_goes_on_where_it_may_not(owned, monkeypatch):
    left = draft_folder("now")
    killed(owned)
    quiet(left, DAY)
    worker = Worker(queues=["default"])
    with monkeypatch.context() as patch:
        patch.setattr(corpora_places, "_remove", not_allowed)
        assert worker.look() is None and left.is_dir()
    assert worker.look() is None and left.is_dir(), "it does not look all the time"
    assert Worker(queues=["default"]).look() is None and not left.exists()


def test_the_disk_page_counts_it(client, django_user_model):
    (draft_folder("now") / "text.de").write_text("a" * 5_000)
    found = {one.name: one.n_bytes for one in disk_use().folders}
    assert found[DRAFTS] == 5_000 and "corpora" not in found
    client.force_login(django_user_model.objects.create_superuser("root"))
    assert "corpora/.*" in client.get(reverse("machine")).content.decode()
