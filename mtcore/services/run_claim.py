"""Claim runs, keep them, end them: by conditional updates, so that one worker has a run and others nothing.

A claim is a token in the row's `worker` column. Whoever no longer finds its token there has lost the run and
may write nothing more about it.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from evalplatform.words import storable
from mtcore.models import Run
from mtcore.services.run_context import Outcome
from mtcore.services.run_effort import history_closed

logger = logging.getLogger(__name__)

MAX_ATTEMPTS = 3
"""A run whose worker was lost so often is not begun again by itself."""
GPU = "gpu"
"""The queue whose runs have a device of their own."""
QUEUES = ("default", GPU)
_CANDIDATES = 20
_DEVICE_LOCK = 7_221_904_119


@dataclass(frozen=True)
class Claim:
    """A run that is ours until the token is gone from its row."""

    run: Run
    token: str


def lease() -> timedelta:
    """Return how long a run stays with a worker that is not heard from."""
    return timedelta(seconds=settings.RUN_LEASE_SECONDS)


def run_claim(
    *, worker: str, host: str, queues: Sequence[str], device: str = "", among: Sequence[int] | None = None
) -> Claim | None:
    """Take the oldest run that may begin on one of these queues; None when there is none for us.

    Args:
        worker: who asks, as shown to people.
        host: the machine; devices are counted by machine.
        queues: the queues it serves.
        device: the accelerators of this worker, as "cuda:0" or "0,1"; empty means whatever the machine has.
        among: take one of these runs only.
    """
    waiting = Run.objects.claimable().filter(queue__in=queues)
    if among is not None:
        waiting = waiting.filter(pk__in=among)
    for run in waiting[:_CANDIDATES]:
        claim = _take(run, f"{worker} {secrets.token_hex(4)}", host, device if run.queue == GPU else None)
        if claim:
            return claim
    return None


def run_keep(claim: Claim, changes: Mapping[str, Any]) -> tuple[bool, bool]:
    """Write a heartbeat and what was reported; return whether it is still ours, and cancelled."""
    now = timezone.now()
    if not _ours(claim).update(heartbeat_at=now, lease_until=now + lease(), **changes):
        return False, False
    cancelled = Run.objects.filter(pk=claim.run.pk).values_list("cancel_requested", flat=True).first()
    return True, bool(cancelled)


def run_succeed(claim: Claim, outcome: Outcome, changes: Mapping[str, Any]) -> bool:
    """Mark the run as succeeded and register what it made, both or neither; False when it is not ours."""
    with transaction.atomic():
        changed = (
            _ours(claim)
            .filter(cancel_requested=False)
            .update(
                **{**changes, **_end(Run.State.SUCCEEDED), "progress": 1.0, "result": dict(outcome.result)}
            )
        )
        if changed and outcome.register:
            outcome.register(Run.objects.get(pk=claim.run.pk))
    return bool(changed)


def run_fail(claim: Claim, message: str, changes: Mapping[str, Any], *, exit_code: int | None = None) -> bool:
    """Mark the run as failed, with its message; a run that was to be cancelled is cancelled."""
    fields = {**changes, **_end(Run.State.FAILED), "message": storable(message), "exit_code": exit_code}
    return bool(_ours(claim).filter(cancel_requested=False).update(**fields)) or run_give_up(claim, changes)


def run_give_up(claim: Claim, changes: Mapping[str, Any]) -> bool:
    """Mark the run as cancelled when that was asked for, else return it to the queue for another worker."""
    ended = {**changes, **_end(Run.State.CANCELLED), "message": "Cancelled while it ran."}
    back = {**changes, "state": Run.State.QUEUED, "worker": "", "device": "", "lease_until": None}
    for _ in range(2):  # it may be cancelled between the two; what waits and is cancelled would never begin
        if _ours(claim).filter(cancel_requested=True).update(**ended):
            return True
        if _ours(claim).filter(cancel_requested=False).update(**back, attempts=F("attempts") - 1):
            return True
    return False


def runs_reap() -> list[Run]:
    """Return to the queue what lost workers held; what was to be cancelled, or was lost too often, ends.

    Safe to call from anywhere at any time: each run is looked at under the lease that was found.
    """
    reaped = []
    for run in Run.objects.lapsed(timezone.now()):
        held = Run.objects.filter(
            pk=run.pk,
            state=Run.State.RUNNING,
            worker=run.worker,
            lease_until=run.lease_until,
            cancel_requested=run.cancel_requested,
        )
        if held.update(**_after_loss(run)):
            logger.warning("run %s: its worker %s is lost", run.pk, run.worker)
            reaped.append(run)
    return reaped


def _take(run: Run, token: str, host: str, device: str | None) -> Claim | None:
    """Claim one run; `device` is None for a run that needs none."""
    now = timezone.now()
    with transaction.atomic():
        if device is not None and not _device_is_free(host, device):
            return None
        # No join and no subquery here: a row changed meanwhile is looked at again, and only it.
        waiting = Run.objects.filter(pk=run.pk, state=Run.State.QUEUED, cancel_requested=False)
        taken = waiting.filter(heartbeat_at=run.heartbeat_at).update(  # nobody has had it since we looked
            history=history_closed(run),
            state=Run.State.RUNNING,
            worker=token,
            device="" if device is None else f"{host} {device}".strip(),
            attempts=F("attempts") + 1,
            started_at=now,
            finished_at=None,
            heartbeat_at=now,
            lease_until=now + lease(),
            message="",
            exit_code=None,
        )
    return Claim(Run.objects.get(pk=run.pk), token) if taken else None


def _device_is_free(host: str, device: str) -> bool:
    """Tell whether no live run has one of these devices; holds the answer until the transaction ends."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_DEVICE_LOCK])
    wanted = _devices(device)
    for used in Run.objects.held(timezone.now()).exclude(device="").values_list("device", flat=True):
        where, _, names = used.partition(" ")
        taken = _devices(names)
        if where == host and (not wanted or not taken or wanted & taken):
            return False
    return True


def _devices(names: str) -> set[str]:
    """Split "cuda:0,cuda:1" or "0,1"; an empty set stands for all of a machine's devices."""
    return {name.strip().removeprefix("cuda:") for name in names.split(",") if name.strip()}


def _ours(claim: Claim) -> Any:
    return Run.objects.filter(pk=claim.run.pk, state=Run.State.RUNNING, worker=claim.token)


def _end(state: str) -> dict[str, Any]:
    return {"state": state, "finished_at": timezone.now(), "lease_until": None, "exit_code": None}


def _after_loss(run: Run) -> dict[str, Any]:
    if run.cancel_requested:
        return {**_end(Run.State.CANCELLED), "message": "Cancelled; its worker was lost meanwhile."}
    if run.attempts >= MAX_ATTEMPTS:
        return {
            **_end(Run.State.FAILED),
            "message": f"Its worker was lost {run.attempts} times while doing it (the last: {run.worker}). "
            "Look at the log and at the machine's memory, then resume it.",
        }
    return {"state": Run.State.QUEUED, "worker": "", "device": "", "lease_until": None}
