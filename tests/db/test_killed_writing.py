"""A command that is killed at any of its writes has done nothing or all of it; given again, it works."""

import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.clerk import Clerk
from tests.factories.answered import STUDY
from tests.paths import ROOT
from tests.server import migrated_copy

pytestmark = pytest.mark.process
MOST_WRITES = 400
Rows = dict[str, list[str]]
LATER = ("annotation_auditevent", "sqlite_sequence")
"""Changes of texts, which know nothing of campaigns, enter the audit trail right after they are written."""
STEPS = {
    "export_study": {"annotation_study"},
    "export_study folder": {"annotation_study"},
    "forget_rater": {
        "annotation_participation", "annotation_assignment", "annotation_item", "annotation_auditevent",
        "annotation_campaign", "sqlite_sequence",
    },
}  # fmt: skip
"""What may be changed already by a command that takes several steps, of which each is whole: an export gives
the study its key for pseudonyms; a rater leaves each campaign before being forgotten."""


@dataclass(frozen=True)
class Place:
    """A folder with a database, and who gives commands there."""

    folder: Path
    clerk: Clerk

    @property
    def database(self) -> Path:
        return self.folder / "data" / "platform.sqlite3"

    def reset(self, database: Path) -> None:
        """Begin anew from a database, with nothing else in the folder of data."""
        shutil.rmtree(self.folder / "data", ignore_errors=True)
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        (self.folder / "out").mkdir()
        self.database.parent.mkdir()
        with closing(sqlite3.connect(database)) as old, closing(sqlite3.connect(self.database)) as new:
            old.backup(new)

    def rows(self) -> Rows:
        """Return everything that the database holds, by table."""
        with closing(sqlite3.connect(self.database)) as connection:
            names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            return {
                name: sorted(map(repr, connection.execute(f'SELECT * FROM "{name}"')))
                for (name,) in names.fetchall()
            }

    def files(self) -> dict[str, str]:
        """Return the files that are neither the database's nor the queue's, with what is in them."""
        return {
            str(path.relative_to(self.folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for top in ("data", "out")
            for path in sorted((self.folder / top).rglob("*"))
            if path.is_file()
            and not path.name.startswith(("platform.sqlite3", "secret_key"))
            and not path.is_relative_to(self.folder / "data" / "queue")
        }


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Place:
    folder = tmp_path_factory.mktemp("killed")
    environment = {
        "PATH": os.environ["PATH"], "PYTHONUTF8": "1", "DATA_DIR": str(folder / "data"), "LOG_LEVEL": "ERROR",
    }  # fmt: skip
    place = Place(folder, Clerk(environment))
    lines = {
        "s": [f"Lamp {n} is lit at dusk." for n in range(1, 5)],
        "r": [f"Lampe {n} brennt am Abend." for n in range(1, 5)],
        "op": [f"Lampe {n} leuchtet." for n in range(1, 5)],
        "bt": [f"Lampe {n} brennt." for n in range(1, 5)],
    }
    for name, text in lines.items():
        (folder / name).write_text("".join(f"{line}\n" for line in text))
    rows = [
        f"u{rater},{system},{n},{rater * 20 + n}" for rater in (1, 2) for system in "AB" for n in range(9)
    ]
    (folder / "judged.csv").write_text("\n".join(["who,what,where,points", *rows]) + "\n")
    empty = folder / "empty.sqlite3"
    migrated_copy(empty)
    place.reset(empty)
    command = [sys.executable, "-m", "tests.factories.answered"]
    more = {"DJANGO_SETTINGS_MODULE": "evalplatform.settings"}
    subprocess.run(command, cwd=ROOT, env=environment | more, check=True)
    with (
        closing(sqlite3.connect(place.database)) as old,
        closing(sqlite3.connect(folder / "answered.sqlite3")) as new,
    ):
        old.backup(new)
    yield place
    place.clerk.end()


TEXTS = ("--source", "s", "--reference", "r")
EMPTY = {
    "create_campaign": (
        "create_campaign", "New", "--protocol", "source_da", "--languages", "en-de", "--source", "s",
        "--output", "OP=op", "--output", "BT=bt", "--raters", "4", "--judgements", "2", "--repeats", "0.2",
        "--seed", "3",
    ),
    "import_testset": ("import_testset", "New", "--languages", "en-de", *TEXTS),
    "import_judgements": (
        "import_judgements", "Old", "judged.csv", "--format", "csv", "--protocol", "source_da",
        "--languages", "en-de", "--map", "rater=who,system=what,segment=where,score=points",
    ),
}  # fmt: skip
ANSWERED = {
    "disagreement_round": ("disagreement_round", "Rated", "--points", "10"),
    "close_campaign": ("close_campaign", "Half"),
    "add_raters": ("add_raters", "Half", "Zoe"),
    "withdraw_rater": ("withdraw_rater", "Half", "R2"),
    "exclude_rater": ("exclude_rater", "Rated", "R2", "--why", "too fast"),
    "forget_rater": ("forget_rater", "Rated", "R2"),
    "export_study": ("export_study", STUDY, "--output", "out/lamps.zip"),
    "export_study folder": ("export_study", STUDY, "--output", "out/lamps"),
    "export_judgements": ("export_judgements", "Rated", "--format", "csv", "--output", "out/j.csv"),
    "score_campaign": ("score_campaign", "Rated", "--format", "json"),
}  # fmt: skip


def counts(rows: Rows) -> dict[str, int]:
    """Return how many rows there are, but for the audit trail's: see `LATER`."""
    return {table: len(found) for table, found in rows.items() if table not in LATER}


def checked(place: Place, database: Path, name: str, arguments: tuple[str, ...]) -> int:
    """Kill the command at each of its writes; return how many there are."""
    names = {path.name for path in place.folder.iterdir() if path.is_file()}
    given = tuple(_placed(place.folder, names, one) for one in arguments)
    place.reset(database)
    before = place.rows()
    done = place.clerk.run(given)
    assert done.returncode == 0, done.stderr
    after, made = counts(place.rows()), place.files()
    for write in range(1, MOST_WRITES):
        where = f"killed at write {write}"
        place.reset(database)
        killed = place.clerk.run(given, dies_at=write)
        if killed.returncode != -9:
            assert killed.returncode == 0, killed.stderr
            return write - 1
        rows, files = place.rows(), place.files()
        assert files.get("out/j.csv") in (None, made.get("out/j.csv")), where
        if counts(rows) == after and files.keys() == made.keys() and (rows != before or made):
            continue  # it was done
        touched = {table for table, found in rows.items() if found != before[table]}
        assert touched <= STEPS.get(name, set()), where
        again = place.clerk.run(given)
        assert again.returncode == 0, (where, again.stderr)
        assert counts(place.rows()) == after, where
        assert place.files().keys() == made.keys(), where
    raise AssertionError("it never ends")


def _placed(folder: Path, names: set[str], argument: str) -> str:
    """Give files of the folder, and what is made there, their full paths."""
    key, equals, value = argument.rpartition("=")
    return f"{key}{equals}{folder / value}" if value in names or value.startswith("out/") else argument


@pytest.mark.long
@pytest.mark.parametrize("name", EMPTY)
def test_where_there_was_nothing(place, name):
    assert checked(place, place.folder / "empty.sqlite3", name, EMPTY[name]) > 2


@pytest.mark.long
@pytest.mark.parametrize("name", ANSWERED)
def test_where_people_have_rated(place, name):
    assert checked(place, place.folder / "answered.sqlite3", name, ANSWERED[name]) > 0
