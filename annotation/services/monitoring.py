"""Whether the installation can work, and its numbers for whoever watches over it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Count
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric

from annotation.models import Assignment, Campaign, Judgement, Participation
from mtcore.models import Run
from mtcore.services.run_presence import workers_alive

OK, BAD, WARNING = "ok", "bad", "warning"


@dataclass(frozen=True)
class Check:
    """One thing that was looked at: its name, how it is, and what to do when it is not well."""

    name: str
    state: str
    detail: str = ""


def readiness_checks() -> list[Check]:
    """Look at everything the platform needs to take answers; workers only warn, for pages work without."""
    checks = [_database()]
    if checks[0].state == OK:
        checks.append(_migrations())
    return [*checks, _folder(), _workers()]


def metrics_text() -> bytes:
    """Return the numbers of this installation in Prometheus' text format.

    They come from the database, so they are the same whichever process is asked.
    """
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Numbers())
    return generate_latest(registry)


class _Numbers:
    """Collects when it is asked."""

    def collect(self) -> Iterator[Metric]:
        """Yield every number."""
        yield _one("judgements", "Judgements stored, corrections included", Judgement.objects.count())
        yield _by("campaigns", "Campaigns", ["state"], Campaign.objects.all())
        yield _by("assignments", "Assignments given out", ["state"], Assignment.objects.all())
        yield _by("participations", "Raters in campaigns", ["state"], Participation.objects.all())
        yield _by("runs", "Runs of heavy work", ["kind", "state"], Run.objects.all())
        workers = workers_alive()
        family = GaugeMetricFamily(
            "evalplatform_workers", "Workers that have shown themselves lately", labels=["queue"]
        )
        for queue in sorted({"default", "gpu"} | {queue for worker in workers for queue in worker.queues}):
            family.add_metric([queue], sum(queue in worker.queues for worker in workers))
        yield family
        usage = shutil.disk_usage(settings.DATA_DIR)
        yield _one("disk_free_bytes", "Free space where DATA_DIR lies", usage.free)
        yield _one("disk_total_bytes", "All space where DATA_DIR lies", usage.total)


def _one(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"evalplatform_{name}", text, value=value)


def _by(name: str, text: str, columns: list[str], rows) -> Metric:  # type: ignore[no-untyped-def]
    family = GaugeMetricFamily(f"evalplatform_{name}", text, labels=columns)
    for values in rows.order_by().values_list(*columns).annotate(n=Count("pk")).order_by(*columns):
        family.add_metric([str(value) for value in values[:-1]], values[-1])
    return family


def _database() -> Check:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return Check("database", BAD, "It does not answer: see DATABASE_URL and the log.")
    return Check("database", OK)


def _migrations() -> Check:
    executor = MigrationExecutor(connection)
    waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if waiting:
        return Check("migrations", BAD, f"{len(waiting)} to apply: run `manage.py migrate`.")
    return Check("migrations", OK)


def _folder() -> Check:
    try:
        with tempfile.TemporaryFile(dir=Path(settings.DATA_DIR)) as file:
            file.write(b"1")
            file.flush()
    except OSError as error:
        return Check("data_dir", BAD, f"Nothing can be written there: {error.strerror}.")
    return Check("data_dir", OK)


def _workers() -> Check:
    if workers_alive("default"):
        return Check("workers", OK)
    return Check("workers", WARNING, "None has shown itself: pages compute what is not there, runs wait.")
