"""Copy the database as it is at one moment, while people go on working; and put such a copy back."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.db import DatabaseError, connection
from django.db.backends.postgresql.client import DatabaseClient
from django.db.migrations.loader import MigrationLoader
from django.db.models import Model

from evalplatform.errors import Conflict, UserError

SQLITE, POSTGRESQL = "sqlite", "postgresql"
NAMES = {SQLITE: "database.sqlite3", POSTGRESQL: "database.dump"}
"""Kind of database → the name of its copy."""


class BackupFailed(UserError):
    """A backup that could not be made or put back; nothing was changed."""


def database_kind() -> str:
    """Return the kind of database the platform uses here."""
    return POSTGRESQL if connection.vendor == "postgresql" else SQLITE


def database_copy(place: Path) -> None:
    """Write a copy of one moment of the database; those who write meanwhile do not wait.

    Raises:
        BackupFailed: the program for it is missing or failed, or the copy is damaged.
    """
    if database_kind() == POSTGRESQL:
        _postgres(["pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={place}"])
    else:
        with closing(_sqlite_open()) as source, closing(sqlite3.connect(place)) as copy:
            source.backup(copy)  # all pages in one reading transaction
            copy.execute("PRAGMA journal_mode=DELETE")
            _sqlite_check(copy, place)


def database_place(copy: Path) -> None:
    """Put a copy in the place of the database, all of it or nothing.

    Raises:
        BackupFailed: the copy is damaged, or the program for it is missing or failed.
    """
    connection.close()
    if database_kind() == POSTGRESQL:
        _postgres(
            ["pg_restore", "--clean", "--if-exists", "--no-owner", "--no-privileges", "--exit-on-error",
             "--single-transaction"],
            file=copy,
        )  # fmt: skip
        return
    target = _sqlite_path()
    with closing(sqlite3.connect(copy)) as source:
        _sqlite_check(source, copy)
        with closing(sqlite3.connect(target, timeout=20)) as own:
            source.backup(own)  # into the file that is there: whoever has it open sees the new content


def database_require_empty() -> None:
    """Make sure that nothing would be overwritten.

    Raises:
        Conflict: the database holds something; the message says what.
    """
    models: list[type[Model]] = [
        User,
        *apps.get_app_config("mtcore").get_models(),
        *apps.get_app_config("annotation").get_models(),
    ]
    for model in models:
        try:
            n_rows = model._default_manager.count()
        except DatabaseError:
            continue  # no such table yet
        if n_rows:
            raise Conflict(
                f"The database of this installation is not empty: it holds {n_rows:,} "
                f"{model._meta.verbose_name if n_rows == 1 else model._meta.verbose_name_plural}.",
                "A backup is put back into an empty installation only: name another DATA_DIR or database.",
            )


def migrations_applied() -> list[str]:
    """List the migrations that the database has seen."""
    return sorted(".".join(key) for key in MigrationLoader(connection).applied_migrations)


def migrations_unknown(applied: Sequence[str]) -> list[str]:
    """List the migrations of our wings that this version of the platform does not know."""
    known = {".".join(key) for key in MigrationLoader(None).disk_migrations}
    return [name for name in applied if name not in known and name.split(".")[0] in ("mtcore", "annotation")]


def _sqlite_path() -> Path:
    return Path(str(settings.DATABASES["default"]["NAME"]))


def _sqlite_open() -> sqlite3.Connection:
    path = _sqlite_path()
    if not path.is_file():
        raise BackupFailed(f"There is no database at {path}.", "Run `manage.py migrate` first.")
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=20)


def _sqlite_check(database: sqlite3.Connection, path: Path) -> None:
    try:
        found = database.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.DatabaseError as error:
        found = str(error)
    if found != "ok":
        raise BackupFailed(
            f"The copy {path.name} of the database is damaged: {found}.", "Use another backup."
        )


def _postgres(command: list[str], file: Path | None = None) -> None:
    """Run one of PostgreSQL's own programs on our database; the password goes through its environment."""
    program = shutil.which(command[0])
    if program is None:
        raise BackupFailed(
            f"{command[0]} is not installed here.", "Install PostgreSQL's client (Debian: postgresql-client)."
        )
    own = connection.settings_dict
    _, variables = DatabaseClient.settings_to_cmd_args_env(own, [])
    where = [f"--{name}={own[key]}" for name, key in _ADDRESS.items() if own.get(key)]
    done = subprocess.run(
        [program, *command[1:], *where, *([str(file)] if file else [])],
        env={str(key): str(value) for key, value in (variables or {}).items()},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        said = " ".join(done.stderr.split()) or f"exit code {done.returncode}"
        raise BackupFailed(f"{command[0]} failed: {said}", "Nothing was changed.")


_ADDRESS: Mapping[str, str] = {"host": "HOST", "port": "PORT", "username": "USER", "dbname": "NAME"}
