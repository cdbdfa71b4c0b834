"""The work that tests/bench/database.py measures, in a process of its own: fill, score, export."""

import json
import sys
import time
from pathlib import Path
from typing import Any

import django

from tests.bench.memory import peak_bytes


def fill() -> dict[str, float]:
    """Make both campaigns."""
    from tests.bench.database_fill import fill as work

    return work()


def score(name: str) -> dict[str, float]:
    """Score a campaign to JSON, then run its queries again alone to see what the database's share was."""
    from django.db import connection

    from annotation.models import Campaign, Judgement
    from annotation.services.scoring import campaign_score
    from annotation.stats.options import ScoreOptions

    campaign = Campaign.objects.get(name=name)
    asked: list[tuple[str, Any]] = []

    def note(execute, sql, params, many, context):  # type: ignore[no-untyped-def]
        if sql.startswith("SELECT"):
            asked.append((sql, params))
        return execute(sql, params, many, context)

    clock = _Clock()
    with connection.execute_wrapper(note):
        scores = campaign_score(campaign=campaign, options=ScoreOptions())
        json.dumps(scores.result, allow_nan=False)
    found = clock.stop()
    clock = _Clock()
    with connection.cursor() as cursor:
        for sql, params in asked:
            cursor.execute(sql, params)
            while cursor.fetchmany(2000):
                pass
    alone = clock.stop()
    rows = Judgement.objects.of_campaign(campaign.pk).count()
    return found | {"rows": rows, "database": alone["processor"]}


def export(name: str, format: str) -> dict[str, float]:
    """Export a campaign to a file that is thrown away."""
    from annotation.models import Campaign
    from annotation.services.judgement_export import BINARY_FORMATS, judgements_export

    if format == "parquet":
        import pyarrow.parquet  # noqa: F401 (what the library itself takes is no part of the campaign's cost)
    campaign = Campaign.objects.get(name=name)
    binary = format in BINARY_FORMATS
    options = {} if binary else {"encoding": "utf-8", "newline": ""}
    with Path("/dev/null").open("wb" if binary else "w", **options) as stream:  # type: ignore[call-overload]
        clock = _Clock()
        done = judgements_export(campaign=campaign, stream=stream, format=format)
    return clock.stop() | {"rows": done.n_judgements}


class _Clock:
    """Time of the clock and of the processor, in seconds, and growth of the peak of memory, in bytes."""

    def __init__(self) -> None:
        self.start = (time.perf_counter(), time.process_time(), peak_bytes())

    def stop(self) -> dict[str, float]:
        """Return what has passed since it was made."""
        now = (time.perf_counter(), time.process_time(), peak_bytes())
        passed = (after - before for after, before in zip(now, self.start, strict=True))
        return dict(zip(("seconds", "processor", "grown"), passed, strict=True))


if __name__ == "__main__":
    from evalplatform.env import use_settings

    use_settings()
    django.setup()
    work = {"fill": fill, "score": score, "export": export}[sys.argv[1]]
    print(json.dumps(work(*sys.argv[2:])))
