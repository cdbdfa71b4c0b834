"""Raters work in threads while one leaves: `python -m tests.factories.leaving` on a database of its own."""

import threading
from collections.abc import Iterator
from itertools import count


def leave_while_others_work() -> dict[str, object]:
    """Withdraw R2 while R1, R2 and R3 answer; return what must hold afterwards."""
    from django.db import connection
    from django.db.models import Count, F, Max, Q

    from annotation.models import Assignment, Item
    from annotation.services.withdrawal import rater_withdraw
    from tests.factories.campaigns import make_campaign

    campaign = make_campaign(n_segments=40, raters=5, judgements=3)
    started, stop = threading.Barrier(4), threading.Event()
    taken: list[int] = []
    errors: list[str] = []

    def work(rater: str) -> None:
        try:
            started.wait()
            for _ in until(stop):
                pk = (
                    Assignment.objects.filter(participation__rater__name=rater)
                    .open()
                    .values_list("pk", flat=True)
                    .first()
                )
                if pk is None:
                    return
                if Assignment.objects.filter(pk=pk, state="open").update(state="done") == 1:
                    taken.append(pk)
        except Exception as error:
            errors.append(repr(error))
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=(f"R{number}",)) for number in (1, 2, 3)]
    for thread in threads:
        thread.start()
    started.wait()
    result = rater_withdraw(campaign=campaign, rater="R2")
    stop.set()
    for thread in threads:
        thread.join()
    live = Assignment.objects.live()
    miscounted = Item.objects.annotate(live=Count("assignments", filter=~Q(assignments__state="released")))
    doubled = live.values("participation", "position").annotate(n=Count("pk")).aggregate(most=Max("n"))
    return {
        "errors": errors,
        "answers miscounted": result.kept
        - live.filter(participation__rater__name="R2", state="done").count(),
        "answers lost": len(taken) - Assignment.objects.filter(pk__in=taken, state="done").count(),
        "items not given three times": Item.objects.exclude(given=3).count(),
        "items miscounted": miscounted.exclude(live=F("given")).count(),
        "positions doubled": (doubled["most"] or 0) - 1,
        "open with who left": live.filter(participation__rater__name="R2", state="open").count(),
    }


def until(stop: threading.Event) -> Iterator[int]:
    """Count until the event is set."""
    for number in count():
        if stop.is_set():
            return
        yield number


if __name__ == "__main__":
    import json

    import django

    django.setup()
    print(json.dumps(leave_while_others_work()))
