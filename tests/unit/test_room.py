"""A full disk is recognised, whoever met it, and answered as such."""

import errno
import sqlite3

import pytest
from django.core.management.base import CommandError
from django.db import OperationalError
from django.test import RequestFactory

from evalplatform.commands import HouseCommand
from evalplatform.middleware import ErrorPages, server_error
from evalplatform.room import room_remedy


def behind(error: Exception) -> Exception:
    """Return an error that another one led to."""
    late = ValueError("it was not written")
    late.__cause__ = error
    return late


FULL = [
    OSError(errno.ENOSPC, "No space left on device"),
    OSError(errno.EDQUOT, "Disk quota exceeded"),
    OperationalError("database or disk is full"),
    OperationalError('could not extend file "base/5/1": No space left on device\nHINT:  Check free space.'),
    sqlite3.OperationalError("database or disk is full"),
]


@pytest.mark.parametrize("error", [*FULL, behind(FULL[0])], ids=repr)
def test_a_full_disk_is_answered_as_such(error):
    request = RequestFactory().get("/runs/")
    answer = ErrorPages(lambda _request: None).process_exception(request, error)
    assert answer is not None and answer.status_code == 507
    assert "The disk of the server is full" in answer.content.decode()
    try:
        raise error
    except Exception:
        assert server_error(request).status_code == 507


@pytest.mark.parametrize("error", FULL, ids=repr)
def test_a_command_says_what_to_do(error):
    class Command(HouseCommand):
        def run(self, **options):
            raise error

    with pytest.raises(CommandError, match="Make room where it is written") as said:
        Command().handle()
    assert "\n" not in str(said.value)


def test_anything_else_is_no_lack_of_room():
    for error in (OSError(errno.EACCES, "no"), OperationalError("database is locked"), ValueError(), None):
        assert room_remedy(error) == ""
