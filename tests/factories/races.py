"""Races of a few requests on a migrated database of its own: `python -m tests.factories.races NAME`."""

from __future__ import annotations

import json
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any


def at_once(*jobs: Callable[[], Any]) -> list[str]:
    """Run jobs in threads that begin together; return the errors that are no message to a user."""
    from django.db import connection

    from evalplatform.errors import UserError

    started = threading.Barrier(len(jobs))
    errors: list[str] = []

    def run(job: Callable[[], Any]) -> None:
        try:
            started.wait()
            job()
        except UserError:
            pass
        except Exception as error:
            errors.append(repr(error)[:200])
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def take_back() -> dict[str, Any]:
    """Answer late while another request of the same rater looks for items: the item is counted once."""
    from django.utils import timezone

    from annotation.models import Assignment, Item
    from annotation.services import judging
    from annotation.services.way import Way
    from tests.factories.campaigns import make_campaign
    from tests.factories.pool import again, faults, joined, next_key

    campaign = make_campaign(n_segments=3, systems=("A",), raters=6, judgements=3, pool=True)
    rater = joined(campaign, "X")
    key = next_key(rater)
    Assignment.objects.update(lease_until=timezone.now() - timedelta(minutes=1))
    next_key(joined(campaign, "Y"))
    append = judging._append

    def slowly(*args: Any) -> Any:
        time.sleep(0.6)
        return append(*args)

    judging._append = slowly
    errors = at_once(
        lambda: _answer(again(rater), key, 5),
        lambda: (time.sleep(0.3), Way(again(rater)).screens_after("", 3)),
    )
    judging._append = append
    given = Item.objects.get(assignments__key=key).given
    return {"errors": errors, "given": given - 2, "miscounted": faults(campaign)["miscounted"]}


def _answer(participation: Any, key: str, score: int) -> Any:
    from annotation.services.judging import judgement_save

    return judgement_save(
        participation=participation, assignment_key=key, client_key=uuid.uuid4().hex, answers={"score": score}
    )


def rounds_and_leaving() -> dict[str, Any]:
    """Give out the extra round twice at once while one leaves and others correct their answers."""
    from django.utils import timezone

    from annotation.models import Assignment, Campaign, Item
    from annotation.services.rounds import round_assign
    from annotation.services.withdrawal import rater_withdraw
    from tests.factories.campaigns import make_campaign
    from tests.factories.pool import again, faults

    errors: list[str] = []
    found: Counter[str] = Counter()
    for turn in range(4):
        campaign = make_campaign(n_segments=6, systems=("A", "B"), raters=6, judgements=3, name=f"d{turn}")
        campaign.participations.update(consented_at=timezone.now(), state="active")
        own = Assignment.objects.filter(item__campaign=campaign).select_related("participation__campaign")
        for number, one in enumerate(own):
            _answer(again(one.participation), one.key, 1 + number * 37 % 100)
        leaver = campaign.participations.select_related("rater").last()
        assert leaver is not None
        raters = [(again(one.participation), one.key) for one in own[:5]]
        errors += at_once(
            *[partial(round_assign, campaign=Campaign.objects.get(pk=campaign.pk)) for _ in range(2)],
            *[partial(_answer, rater, key, 50) for rater, key in raters],
            partial(rater_withdraw, campaign=Campaign.objects.get(pk=campaign.pk), rater=leaver.rater.name),
        )
        found.update({key: value for key, value in faults(campaign).items() if key != "unfinished"})
        found["raised twice"] += Item.objects.filter(campaign=campaign, wanted__gt=6).count()
        found["open with who left"] += leaver.assignments.live().open().count()
    return {"errors": errors, **found}


if __name__ == "__main__":
    import django

    django.setup()
    print(json.dumps({"take_back": take_back, "rounds_and_leaving": rounds_and_leaving}[sys.argv[1]]()))
