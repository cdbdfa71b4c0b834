"""People join in threads, more than there are places: `python -m tests.factories.joining_race`."""

import json
import threading


def join_at_once(n_people: int = 12, n_places: int = 3) -> dict[str, object]:
    """Let people join and agree at once, each of them from two browsers; return what must hold afterwards."""
    from django.db import connection

    from annotation.models import Assignment, Participation, Rater
    from annotation.services.joining import Panel, participation_join, place_take
    from annotation.services.participation import participation_consent
    from evalplatform.errors import Conflict
    from tests.factories.people import asking

    campaign = asking("Race", joins=True, raters=n_places, n_segments=6)
    before = Assignment.objects.filter(item__campaign=campaign).count()
    started = threading.Barrier(2 * n_people)
    errors: list[str] = []
    full: list[int] = []

    def come(number: int) -> None:
        try:
            started.wait()
            participation = participation_join(campaign=campaign, panel=Panel(f"person-{number}"))
            place_take(participation=participation)
            participation_consent(participation=participation)
        except Conflict:
            full.append(number)
        except Exception as error:
            errors.append(repr(error))
        finally:
            connection.close()

    threads = [threading.Thread(target=come, args=(number // 2,)) for number in range(2 * n_people)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    placed = Participation.objects.filter(campaign=campaign, settings__placed=True)
    loads = [row.assignments.count() for row in placed]
    return {
        "errors": errors,
        "places not taken": n_places - placed.count(),
        "placed without work": loads.count(0),
        "assignments lost": before - sum(loads),
        "agreed without a place": Participation.objects.filter(campaign=campaign)
        .exclude(consented_at=None)
        .exclude(pk__in=placed.values("pk"))
        .count(),
        "raters doubled": Rater.objects.count() - Rater.objects.values("name").distinct().count(),
        "turned away too few": max(0, n_people - n_places - len(set(full))),
    }


if __name__ == "__main__":
    import django

    django.setup()
    print(json.dumps(join_at_once()))
