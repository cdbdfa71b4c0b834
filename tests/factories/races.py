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


def forgetting_and_closing() -> dict[str, Any]:
    """Forget a rater twice at once while a researcher lets the same one leave and another campaign closes."""
    from annotation.models import AuditEvent, Campaign, Rater
    from annotation.services.campaigns import campaign_close
    from annotation.services.forgetting import is_forgotten, rater_forget
    from annotation.services.handing_over import work_hand_over
    from tests.factories.campaigns import make_campaign
    from tests.factories.pool import faults

    errors: list[str] = []
    found: Counter[str] = Counter()
    for turn in range(4):
        names = [f"f{turn}{number}" for number in range(3)]
        campaigns = [
            make_campaign(n_segments=6, raters=4, judgements=2, name=name, study=f"f{turn}") for name in names
        ]
        rater = Rater.objects.get(study=campaigns[0].study, name="R1")

        def fresh(place: int, of: Any = campaigns) -> Any:
            return Campaign.objects.get(pk=of[place].pk)

        errors += at_once(
            *[partial(rater_forget, rater=Rater.objects.get(pk=rater.pk)) for _ in range(2)],
            partial(work_hand_over, campaign=fresh(1), rater="R1"),
            partial(campaign_close, campaign=fresh(2)),
            partial(work_hand_over, campaign=fresh(2), rater="R2", new_rater="New"),
        )
        found["not forgotten"] += not is_forgotten(Rater.objects.get(pk=rater.pk))
        left = rater.participations.exclude(campaign=campaigns[2]).filter(state="left").count()
        found["not left"] += left != 2
        events = list(
            AuditEvent.objects.filter(campaign=campaigns[2]).order_by("pk").values_list("action", flat=True)
        )
        after = events[events.index("campaign.closed") + 1 :]
        found["dealt when closed"] += "rater.withdrawn" in after or "rater.invited" in after
        for campaign in campaigns:
            found.update({key: value for key, value in faults(campaign).items() if key != "unfinished"})
    return {"errors": errors, **found}


def opening_and_deleting() -> dict[str, Any]:
    """Open and delete a draft twice at once while raters are added and its consent text is changed."""
    from annotation.models import AuditEvent, Campaign, Item, Participation
    from annotation.services.campaigns import campaign_open
    from annotation.services.drafts import draft_change, draft_delete
    from annotation.services.newcomers import raters_add
    from tests.factories.campaigns import make_campaign

    errors: list[str] = []
    found: Counter[str] = Counter()
    for turn in range(6):
        made = make_campaign(n_segments=6, raters=3, judgements=2, name=f"o{turn}", opened=False)

        def fresh(pk: int = made.pk) -> Any:
            return Campaign.objects.select_related("study").get(pk=pk)

        errors += at_once(
            *[partial(draft_delete, campaign=fresh()) for _ in range(2)],
            *[partial(campaign_open, campaign=fresh()) for _ in range(2)],
            partial(raters_add, campaign=fresh(), names=["New"]),
            partial(draft_change, campaign=fresh(), change={"consent": "other"}, made={}),
        )
        there = Campaign.objects.filter(pk=made.pk).first()
        gone = AuditEvent.objects.filter(action="campaign.deleted", data__name=made.name).count()
        opened = AuditEvent.objects.filter(action="campaign.opened", data={}).count() - found["opened"]
        found["opened"] += opened
        found["neither or both"] += (gone, opened) not in ((1, 0), (0, 1))
        found["still a draft"] += there is not None and there.state != "open"
        left = Item.objects.filter(campaign_id=made.pk).exists()
        left |= Participation.objects.filter(campaign_id=made.pk).exists()
        found["half deleted"] += left != (there is not None)
    del found["opened"]
    return {"errors": errors, **found}


if __name__ == "__main__":
    import django

    django.setup()
    races = (take_back, rounds_and_leaving, forgetting_and_closing, opening_and_deleting)
    print(json.dumps({race.__name__: race for race in races}[sys.argv[1]]()))
