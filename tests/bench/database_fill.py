"""Fill a database with campaigns as imports make them, by statements of many rows."""

from collections.abc import Iterable
from itertools import repeat
from typing import Any

import numpy as np
from django.core.management import call_command
from django.db import connection, transaction
from django.db.models import Max, Model
from django.utils import timezone

from annotation import models as a
from mtcore import models as m

SYSTEMS, RATERS, JUDGEMENTS, DOCUMENT = 20, 200, 3, 10
SEGMENTS = {"small": 1_667, "large": 16_667}
FIRST = np.datetime64("2024-05-01T08:00:00.123456", "us")


def fill() -> dict[str, float]:
    """Make both campaigns."""
    call_command("migrate", verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA synchronous=OFF")
    systems = [m.System.objects.create(name=f"s{n:02d}") for n in range(SYSTEMS)]
    for name, segments in SEGMENTS.items():
        with transaction.atomic():
            _campaign(name, segments, systems)
    return {}


def _campaign(name: str, n_segments: int, systems: list[m.System]) -> None:
    rng = np.random.default_rng(1)
    study = a.Study.objects.create(name=name)
    testset = m.TestSet.objects.create(
        name=name, source_language="en", target_language="de", texts_known=False
    )
    campaign = a.Campaign.objects.create(
        study=study, name=name, protocol="source_da", source_language="en", target_language="de",
        state="closed", mode="imported", scale_low=0, scale_high=100, judgements=JUDGEMENTS,
    )  # fmt: skip
    outputs = a.CampaignOutput.objects.bulk_create(
        a.CampaignOutput(campaign=campaign, system=system, testset=testset) for system in systems
    )
    raters = a.Rater.objects.bulk_create(a.Rater(study=study, name=f"r{n:03d}") for n in range(RATERS))
    parts = a.Participation.objects.bulk_create(a.Participation(rater=r, campaign=campaign) for r in raters)
    n_documents = -(-n_segments // DOCUMENT)
    documents = _insert(
        m.Document, n_documents, testset_id=repeat(testset.pk), position=range(1, n_documents + 1),
        name=[f"doc{n:05d}" for n in range(n_documents)],
    )  # fmt: skip
    places = range(n_segments)
    segments = _insert(
        m.Segment, n_segments, testset_id=repeat(testset.pk), position=[n + 1 for n in places],
        key=[str(n + 1) for n in places], document_id=[documents[n // DOCUMENT] for n in places],
    )  # fmt: skip
    n_items = n_segments * SYSTEMS
    items = _insert(
        a.Item, n_items, campaign_id=repeat(campaign.pk), segment_id=np.repeat(segments, SYSTEMS).tolist(),
        wanted=repeat(JUDGEMENTS), given=repeat(JUDGEMENTS),
    )  # fmt: skip
    candidates = _insert(a.ItemCandidate, n_items, item_id=items)
    _insert(
        a.ItemCandidate.outputs.through, n_items, itemcandidate_id=candidates,
        campaignoutput_id=[output.pk for output in outputs] * n_segments,
    )  # fmt: skip
    _judgements(name, rng, np.array(items), np.array([part.pk for part in parts]))


def _judgements(name: str, rng: np.random.Generator, items: np.ndarray, parts: np.ndarray) -> None:
    """Let JUDGEMENTS raters judge all systems of a segment, one after the other."""
    n_segments = len(items) // SYSTEMS
    who = rng.random((n_segments, RATERS)).argpartition(JUDGEMENTS, axis=1)[:, :JUDGEMENTS]
    item = np.repeat(items.reshape(n_segments, 1, SYSTEMS), JUDGEMENTS, axis=1).ravel()
    rater = np.repeat(who.ravel(), SYSTEMS)
    order = rater.argsort(kind="stable")
    starts = np.searchsorted(rater[order], np.arange(RATERS))
    position = np.empty(len(rater), dtype=np.int64)
    position[order] = np.arange(len(rater)) - starts[rater[order]] + 1
    n = len(rater)
    given = _insert(
        a.Assignment, n, item_id=item.tolist(), participation_id=parts[rater].tolist(), state=repeat("done"),
        position=position.tolist(), key=[f"{name}-{number:012d}" for number in range(n)],
    )  # fmt: skip
    scores = np.clip(np.rint(rng.normal(70, 15, n)), 0, 100).tolist()
    active_ms = rng.integers(2_000, 40_000, n)
    shown = FIRST + (position * 45_000_000).astype("timedelta64[us]")
    _insert(
        a.Judgement, n, assignment_id=given, client_key=[f"{name}-{number:012d}" for number in range(n)],
        score=scores, scale_low=repeat(0.0), scale_high=repeat(100.0),
        answers=[f'{{"score": {score}}}' for score in scores], active_ms=active_ms.tolist(),
        shown_at=_stored(shown), submitted_at=_stored(shown + (active_ms * 1000).astype("timedelta64[us]")),
    )  # fmt: skip


def _stored(times: np.ndarray) -> list[str]:
    """Return times as Django stores them in SQLite."""
    return [text.replace("T", " ") for text in np.datetime_as_string(times).tolist()]


def _insert(model: type[Model], n: int, **given: Iterable[Any]) -> list[int]:
    """Insert n rows; fields that are not given have their defaults. Return the ids."""
    first = (model._default_manager.aggregate(last=Max("pk"))["last"] or 0) + 1
    values: dict[str, Iterable[Any]] = {}
    for field in model._meta.local_concrete_fields:
        if field.primary_key:
            values[field.column] = range(first, first + n)
        elif field.attname in given:
            values[field.column] = given.pop(field.attname)
        else:
            default = timezone.now() if getattr(field, "auto_now_add", False) else field.get_default()
            values[field.column] = repeat(field.get_db_prep_save(default, connection))
    assert not given, f"{model.__name__} has no {', '.join(given)}"
    names = ", ".join(f'"{column}"' for column in values)
    marks = ", ".join(["%s"] * len(values))
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f'COPY "{model._meta.db_table}" ({names}) FROM STDIN') as copy:
                for row in zip(*values.values(), strict=False):
                    copy.write_row(row)
            return list(range(first, first + n))
        cursor.executemany(
            f'INSERT INTO "{model._meta.db_table}" ({names}) VALUES ({marks})',
            zip(*values.values(), strict=False),
        )
    return list(range(first, first + n))
