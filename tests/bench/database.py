"""A million judgements in a database: scored to JSON, and exported, each in a process of its own."""

import json
import os
import subprocess
import sys
import tempfile

from tests.bench.memory import grows_at_most
from tests.bench.timing import Section, table
from tests.paths import ROOT

FORMATS = ("csv", "tsv", "jsonl", "parquet", "appraise")
ROWS_A_SECOND, MEMORY_RATIO = 50_000, 1.5
Found = dict[str, float]


def measure() -> Section:
    """Fill a fresh database, then score and export it, each in a fresh process."""
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ) | {"DATA_DIR": folder, "LOG_LEVEL": "ERROR"}
        environment.pop("DATABASE_URL", None)
        _worker(environment, "fill")
        score = _worker(environment, "score", "large")
        exports = {
            format: [_worker(environment, "export", name, format) for name in ("small", "large")]
            for format in FORMATS
        }
    section = Section("A million judgements in the database", _text(score, exports))
    for format, (small, large) in exports.items():
        section.promise(
            f"{format}: at least {ROWS_A_SECOND:,} rows a second of processor time",
            _speed(large) >= ROWS_A_SECOND,
        )
        section.promise(
            f"{format}: ten times the campaign takes at most {MEMORY_RATIO} times the memory",
            grows_at_most(MEMORY_RATIO, small["grown"], large["grown"]),
        )
    return section


def _text(score: Found, exports: dict[str, list[Found]]) -> str:
    outside = score["processor"] - score["database"]
    scoring = [
        "to JSON", f"{score['processor']:.1f} s", f"{score['database']:.1f} s", f"{outside:.1f} s",
        f"{outside / score['processor']:.0%}", _mebibytes(score),
    ]  # fmt: skip
    rows = [
        [format, f"{large['processor']:.1f} s", f"{_speed(large):,.0f}", _mebibytes(small), _mebibytes(large)]
        for format, (small, large) in exports.items()
    ]
    small, large = exports[FORMATS[0]]
    return (
        "SQLite, 20 systems, 200 raters, 16,667 segments, three judgements an item; processor time, each "
        "line in a process of its own. Memory is what the process grew by at its peak.\n\n"
        f"Scoring {score['rows']:,.0f} judgements. *Database*: the same queries alone, every row fetched and "
        "dropped.\n\n"
        + table(["", "whole", "database", "outside", "share outside", "memory"], [scoring])
        + f"\n\nExporting {large['rows']:,.0f} rows, and {small['rows']:,.0f} for the memory beside it.\n\n"
        + table(["format", "time", "rows a second", f"memory, {small['rows']:,.0f}", "memory, all"], rows)
    )


def _speed(found: Found) -> float:
    return found["rows"] / found["processor"]


def _mebibytes(found: Found) -> str:
    return f"{found['grown'] / 2**20:,.0f} MiB"


def _worker(environment: dict[str, str], *arguments: str) -> Found:
    command = [sys.executable, "-m", "tests.bench.database_worker", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout)
