"""Raters of a pool at once, in threads and processes on a migrated database of their own.

`python -m tests.factories.pool_race make`, then several of `… work N FIRST`, then `… faults`.
"""

import json
import random
import sys
import threading


def make() -> None:
    """Make the campaign that all work in."""
    from tests.factories.campaigns import make_campaign

    make_campaign(n_segments=10, raters=16, systems=("A", "B", "C"), judgements=4, pool=True)


def work_together(n_threads: int, first: int) -> list[str]:
    """Let raters take and answer at once until nothing is left; return their errors."""
    from django.db import connection

    from annotation.models import Campaign
    from tests.factories.pool import joined, work

    campaign = Campaign.objects.get(name="demo")
    errors: list[str] = []
    started = threading.Barrier(n_threads)

    def rate(number: int) -> None:
        try:
            rater = joined(campaign, f"R{number}")
            started.wait()
            work(rater, 10_000, random.Random(number))
        except Exception as error:
            errors.append(repr(error))
        finally:
            connection.close()

    threads = [threading.Thread(target=rate, args=(first + number,)) for number in range(n_threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def what_must_hold() -> dict[str, int]:
    """Count the faults once all have stopped."""
    from annotation.models import Assignment, Campaign
    from tests.factories.pool import faults

    campaign = Campaign.objects.get(name="demo")
    answered = Assignment.objects.live().done().filter(item__campaign=campaign).count()
    wanted = sum(campaign.items.values_list("wanted", flat=True))
    return {"answers missing": wanted - answered, **faults(campaign)}


if __name__ == "__main__":
    import django

    django.setup()
    if sys.argv[1] == "make":
        make()
    elif sys.argv[1] == "work":
        print(json.dumps(work_together(int(sys.argv[2]), int(sys.argv[3]))))
    else:
        print(json.dumps(what_must_hold()))
