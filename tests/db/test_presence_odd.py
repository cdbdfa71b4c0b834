"""Workers' notes where clocks jump and folders may not be written to."""

import json
import time

import pytest
from django.urls import reverse

from mtcore.services import run_presence
from mtcore.services.run_presence import Presence, workers_alive

HOUR = 3600.0


def note(settings, at: object, name: str = "there-7") -> None:
    folder = settings.DATA_DIR / "workers"
    folder.mkdir(parents=True, exist_ok=True)
    seen = {"name": name, "host": "there", "pid": 7, "queues": ["default"], "device": "", "at": at}
    (folder / f"{name}.json").write_text(json.dumps(seen))


def test_a_clock_that_was_set_back_keeps_no_dead_worker_alive(settings):
    note(settings, time.time() + 9 * HOUR)
    assert workers_alive() == []
    note(settings, time.time() + 60)
    assert [one.name for one in workers_alive()] == ["there-7"], "the machines' clocks differ a little"


@pytest.mark.parametrize("odd", ["noon", None, [], "nan"])
def test_a_note_without_a_time_is_nobody(settings, odd):
    note(settings, odd)
    assert workers_alive() == []


@pytest.mark.django_db
def test_who_may_not_remove_old_notes_sees_the_page_all_the_same(settings, monkeypatch, admin_client):
    note(settings, time.time() - 99 * HOUR)
    monkeypatch.setattr("pathlib.Path.unlink", refuse)
    assert workers_alive() == []
    assert admin_client.get(reverse("machine")).status_code == 200


def test_a_worker_ends_well_where_its_note_cannot_be_taken_away(settings, monkeypatch):
    with Presence(name="me", host="here", pid=1, queues=["default"], device=""):
        assert [one.name for one in workers_alive()] == ["me"]
        monkeypatch.setattr(run_presence.Path, "unlink", refuse)


def refuse(path, *_arguments, **_more):
    raise PermissionError(13, "Permission denied", str(path))
