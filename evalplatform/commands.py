"""The base of every management command: one line on stderr and exit code 1 for a user's mistake."""

import os
import re
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from django.apps import apps
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from evalplatform.acting import acting
from evalplatform.errors import UserError
from evalplatform.leftovers import leftovers_remove, part_file
from evalplatform.room import room_remedy

_EXPLAINED = (UserError, ValidationError, OSError, DatabaseError, sqlite3.Error, UnicodeEncodeError)
_NEGATIVE = re.compile(r"-\.?\d")
_TELLING = ("name", "run", "corpus", "rest", "system", "testset", "lm", "recipe", "output", "file")


class Error(CommandError):
    """A user's mistake; the name is what Django prints before the message."""


class HouseCommand(BaseCommand):
    """A command whose mistakes are explained in one line, never by a traceback.

    Subclasses implement `run(**options)` and may return text to print.
    """

    requires_migrations_checks = False
    #: Changes or hands out something, so that the audit trail tells of it even where no service has.
    audited = False

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Make a parser whose errors are CommandErrors."""
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.called_from_command_line = False
        # A value may begin with a minus and a digit, as the scale -25-0 does; no option does.
        parser._negative_number_matcher = _NEGATIVE
        return parser

    def run_from_argv(self, argv: list[str]) -> None:
        """Run; wrong options are a CommandError as well (exit code 1)."""
        try:
            _check_utf8(argv)
            super().run_from_argv(argv)
        except CommandError as error:
            self.stderr.write(" ".join(f"Error: {error}".replace("Error: Error: ", "Error: ").split()))
            sys.exit(1)
        except BrokenPipeError:
            # The reader (head, less) has gone: not a mistake. Keep Python from complaining at exit.
            sys.stdout = None
            sys.exit(0)

    def handle(self, *args: Any, **options: Any) -> str | None:
        """Run the command and say a user's mistake in one line."""
        name = type(self).__module__.rpartition(".")[2]
        try:
            with acting(command=name) as now:
                said = self.run(**options)
                if self.audited and not now.n_events and not options.get("dry_run"):
                    apps.get_model("annotation", "AuditEvent").note("command.run", **_told(options))
            return said
        except BrokenPipeError:
            raise
        except _EXPLAINED as error:
            raise Error(" ".join(_explain(error, options.get("output")).split())) from error

    def run(self, **options: Any) -> str | None:
        """Do the work."""
        raise CommandError(f"{type(self).__module__} does nothing yet.")


@contextmanager
def whole_file(path: Path, *, binary: bool = False) -> Iterator[IO[Any]]:
    """Open a file that appears whole at the end of the block, or not at all.

    What was there before stays until then. A pipe or device is written to as it is.
    """
    if path.exists() and not path.is_file():
        with _opened(path, binary) as stream:
            yield stream
        return
    draft = part_file(path)
    try:
        leftovers_remove(path)
        with _opened(draft, binary) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(path)
    except OSError as error:
        if error.filename == str(draft):
            error.filename = str(path)
        raise
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def _opened(path: Path, binary: bool) -> IO[Any]:
    return path.open("wb") if binary else path.open("w", encoding="utf-8", newline="")


def _told(options: dict[str, Any]) -> dict[str, str]:
    """Return the names among a command's options: which run, which corpus, which file."""
    plain = {name: options.get(name) for name in _TELLING}
    return {
        name: Path(str(value)).name if name in ("output", "file") else str(value)[:200]
        for name, value in plain.items()
        if value not in (None, "", False)
    }


class Plain:
    """Write to a command's output without line ends of its own."""

    def __init__(self, out: Any) -> None:
        self.out = out

    def write(self, text: str) -> None:
        """Write as it is."""
        self.out.write(text, ending="")


def _explain(error: Exception, output: str | None = None) -> str:
    """Say what went wrong, and what to do about it; `output` is the file being written, if any."""
    if isinstance(error, ValidationError):
        return " ".join(error.messages)
    if isinstance(error, OSError):
        room = room_remedy(error)
        where = error.filename or output or ("The disk" if room else "A file")
        return f"{where}: {error.strerror or error}. {room}".rstrip()
    if isinstance(error, UnicodeEncodeError):
        return f"{error.object[error.start : error.end]!r} is not text in UTF-8: check names and options."
    if isinstance(error, DatabaseError | sqlite3.Error):
        text = str(error)
        if "no such table" in text or ("relation" in text and "does not exist" in text):
            return "The database is empty: run `manage.py migrate` first."
        said = f"The database refused: {text.strip().partition(chr(10))[0]}. Nothing was changed."
        return f"{said} {room_remedy(error)}".rstrip()
    return str(error)


def _check_utf8(argv: list[str]) -> None:
    """Refuse arguments whose bytes are not UTF-8: they could be neither stored nor shown."""
    for argument in argv:
        try:
            argument.encode("utf-8")
        except UnicodeEncodeError:
            shown = argument.encode("utf-8", "replace").decode("utf-8")
            raise Error(f"The argument {shown!r} is not UTF-8. Write it in UTF-8.") from None
