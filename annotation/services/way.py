"""A rater's way through a campaign: their assignments in order, what is done, what comes next.

Nothing here reads the whole way: each question is a query that an index answers, however long the way is.
"""

from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from typing import Any

from django.db.models import Count, Prefetch, Q, QuerySet, prefetch_related_objects
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.design.pool import ENOUGH
from annotation.models import Assignment, Campaign, Judgement, Participation
from annotation.models.assignment import AssignmentQuerySet
from annotation.protocols.base import Screen
from annotation.services.participation import PROGRESS, Progress, is_endless, is_key, participation_progress
from annotation.services.pool import pool_ready
from annotation.services.pool_stand import Stand
from annotation.services.prepared import Prepared
from annotation.services.screens import Artist
from evalplatform.errors import Conflict, NotFound

ORDER = ("round", "position", "pk")
Place = tuple[int, int, int]
"""Round, position and database id: places compare as the assignments follow each other."""


class Way:
    """A rater's live assignments in their order."""

    def __init__(self, participation: Participation) -> None:
        self.participation = participation

    @cached_property
    def progress(self) -> Progress:
        """The counts of this way."""
        return participation_progress(self.participation)

    def next_screen(self) -> Screen | None:
        """Return the first screen that waits for an answer, or None at the end."""
        pool_ready(self.participation)
        return next(iter(self._draw(self._open()[:1])), None)

    def screens_after(self, key: str, n: int) -> list[Screen]:
        """Return up to `n` screens that wait for an answer after the given one, or from the beginning.

        Of a pool more is claimed only where there is none: the answers before have seen to it.
        """
        return self._draw(self._chosen(key, n) or self._chosen(key, n, claim=True))

    def _chosen(self, key: str, n: int, *, claim: bool = False) -> Sequence[Assignment]:
        if claim:
            if self.participation.campaign.mode != Campaign.Mode.POOL:
                return []
            pool_ready(self.participation)
        if not key:
            return self._in_reach(list(self._open().select_related("item__segment")[:n]))
        return self._in_reach(_ahead_of(n).all(self.participation.pk, *self._place(key)))

    @cached_property
    def holds_enough(self) -> bool:
        """Whether a rater of a pool has so much before them that nothing further is looked for as yet."""
        if self.participation.campaign.mode != Campaign.Mode.POOL:
            return False
        return self._open().filter(round__gt=0, shown_at__isnull=False).count() >= ENOUGH

    def _in_reach(self, chosen: Sequence[Assignment]) -> Sequence[Assignment]:
        """Keep of a pool what lies before the first free place; places behind it may still be filled."""
        if self.participation.campaign.mode != Campaign.Mode.POOL or not chosen:
            return chosen
        head = Stand.of(self.participation).line.head
        near = [one for one in chosen if one.position < head]
        return near if near or self.holds_enough else chosen[:ENOUGH]

    def previous_screen(self, key: str = "") -> Screen | None:
        """Return the last answered screen before the given one, or before the end."""
        behind = self._live().done()
        if key:
            behind = behind.filter(_before(self._place(key)))
        return next(iter(self._draw(behind.order_by(*_backwards())[:1])), None)

    @property
    def last_answered(self) -> str:
        """The key of the last answered assignment, or nothing."""
        last = self._live().done().order_by(*_backwards()).values_list("key", flat=True).first()
        return last or ""

    def screen(self, key: str) -> Screen:
        """Return the screen of one assignment, answered or not."""
        return self._draw(self._live().filter(pk=self._place(key)[-1]))[0]

    def _live(self) -> AssignmentQuerySet:
        return Assignment.objects.live().filter(participation=self.participation)

    def _open(self) -> AssignmentQuerySet:
        return self._live().open()

    def _place(self, key: str) -> Place:
        """Return where an assignment stands.

        Raises:
            NotFound: it was never this rater's.
            Conflict: it went to somebody else.
        """
        found = _PLACE.first(self.participation.pk, key) if is_key(key) else None
        if found is None:
            raise NotFound(_("There is no such item among yours."), _("Reload the rating page."))
        *place, state = found
        if state == Assignment.State.RELEASED:
            raise Conflict(
                _("This item has been given to somebody else meanwhile."), _("Go on with the next one.")
            )
        return place[0], place[1], place[2]

    def _draw(self, chosen: Iterable[Assignment]) -> list[Screen]:
        """Draw screens in order and note when each was first served; a fixed number of queries."""
        if isinstance(chosen, QuerySet):
            chosen = chosen.select_related("item__segment")
        found = list(chosen)
        if not found:
            return []
        answered = [one for one in found if one.state == Assignment.State.DONE]
        prefetch_related_objects(answered, Prefetch("judgements", Judgement.objects.current()))
        unseen = [assignment.pk for assignment in found if assignment.shown_at is None]
        if unseen:
            Assignment.objects.filter(pk__in=unseen, shown_at=None).update(shown_at=timezone.now())
        artist = Artist(self.participation.campaign, found)
        numbers = self._numbers(found)
        total = self.progress.total
        return [
            artist.draw(assignment, number, total) for assignment, number in zip(found, numbers, strict=True)
        ]

    def _numbers(self, found: Sequence[Assignment]) -> list[int]:
        """Return how many live assignments stand before each of some, and one; the counts come along."""
        places = [value for one in found for value in (one.round, one.position, one.pk)]
        done, total, *before = _numbers_of(len(found)).all(self.participation.pk, *places)[0]
        self.__dict__["progress"] = Progress(done, total, is_endless(self.participation))
        return [n + 1 for n in before]


_PLACE: Prepared[tuple[Any, ...]] = Prepared(
    lambda participation, key: (
        Assignment.objects.counted()
        .filter(participation=participation, key=key)
        .order_by()
        .values_list(*ORDER, "state")
    )
)


@cache
def _ahead_of(n: int) -> Prepared[Assignment]:
    """Return the query of the first n open assignments after a place."""

    def make(participation: int, *place: int) -> QuerySet[Assignment]:
        ahead = Assignment.objects.live().open().filter(_after((place[0], place[1], place[2])))
        return ahead.filter(participation=participation).select_related("item__segment")[:n]

    return Prepared(make, 4)


@cache
def _numbers_of(n: int) -> Prepared[tuple[int, ...]]:
    """Return the query that counts a way and what stands before each of n places on it."""

    def make(participation: int, *places: int) -> QuerySet[Any, tuple[int, ...]]:
        before = {
            f"n{i}": Count("pk", filter=_before((places[3 * i], places[3 * i + 1], places[3 * i + 2])))
            for i in range(n)
        }
        live = Assignment.objects.live().filter(participation=participation).order_by()
        counts = live.values("participation").annotate(**PROGRESS, **before)
        return counts.values_list(*PROGRESS, *before)

    return Prepared(make, 1 + 3 * n)


def _after(place: Place) -> Q:
    round_, position, pk = place
    same_round = Q(position__gt=position) | Q(position=position, pk__gt=pk)
    return Q(round__gt=round_) | (Q(round=round_) & same_round)


def _before(place: Place) -> Q:
    round_, position, pk = place
    same_round = Q(position__lt=position) | Q(position=position, pk__lt=pk)
    return Q(round__lt=round_) | (Q(round=round_) & same_round)


def _backwards() -> list[str]:
    return [f"-{name}" for name in ORDER]
