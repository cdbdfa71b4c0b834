"""A rater's way through a campaign: their assignments in order, what is done, what comes next."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Prefetch
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import Assignment, Judgement, Participation
from annotation.protocols.base import Screen
from annotation.services.participation import Progress, is_key
from annotation.services.screens import Artist
from evalplatform.errors import Conflict, NotFound


@dataclass(frozen=True)
class Stop:
    """An assignment on a rater's way: its database id, public key, and whether it is answered."""

    pk: int
    key: str
    done: bool


class Way:
    """A rater's live assignments in their order, read once for a request."""

    def __init__(self, participation: Participation) -> None:
        self.participation = participation
        rows = (
            Assignment.objects.live()
            .filter(participation=participation)
            .order_by("round", "position", "pk")
            .values_list("pk", "key", "state")
        )
        self._stops = [Stop(pk, key, state == Assignment.State.DONE) for pk, key, state in rows]
        self._places = {stop.key: place for place, stop in enumerate(self._stops)}

    @property
    def progress(self) -> Progress:
        """The counts of this way."""
        return Progress(done=sum(stop.done for stop in self._stops), total=len(self._stops))

    def next_screen(self) -> Screen | None:
        """Return the first screen that waits for an answer, or None at the end."""
        return next(iter(self._draw([stop for stop in self._stops if not stop.done][:1])), None)

    def screens_after(self, key: str, n: int) -> list[Screen]:
        """Return up to `n` screens that wait for an answer after the given one, or from the beginning."""
        after = self._stops[self._place(key) + 1 :] if key else self._stops
        return self._draw([stop for stop in after if not stop.done][:n])

    def previous_screen(self, key: str = "") -> Screen | None:
        """Return the last answered screen before the given one, or before the end."""
        before = self._stops[: self._place(key)] if key else self._stops
        return next(iter(self._draw([stop for stop in before if stop.done][-1:])), None)

    @property
    def last_answered(self) -> str:
        """The key of the last answered assignment, or nothing."""
        return next((stop.key for stop in reversed(self._stops) if stop.done), "")

    def screen(self, key: str) -> Screen:
        """Return the screen of one assignment, answered or not."""
        return self._draw([self._stops[self._place(key)]])[0]

    def _place(self, key: str) -> int:
        """Return where an assignment stands.

        Raises:
            NotFound: it was never this rater's.
            Conflict: it went to somebody else.
        """
        if key in self._places:
            return self._places[key]
        if is_key(key) and Assignment.objects.filter(participation=self.participation, key=key).exists():
            raise Conflict(
                _("This item has been given to somebody else meanwhile."), _("Go on with the next one.")
            )
        raise NotFound(_("There is no such item among yours."), _("Reload the rating page."))

    def _draw(self, stops: Sequence[Stop]) -> list[Screen]:
        """Draw screens in order and note when each was first served; a fixed number of queries."""
        found = _read(stops)
        unseen = [assignment.pk for assignment in found.values() if assignment.shown_at is None]
        if unseen:
            Assignment.objects.filter(pk__in=unseen, shown_at=None).update(shown_at=timezone.now())
        artist = Artist(self.participation.campaign, list(found.values()))
        total = len(self._stops)
        return [artist.draw(found[stop.pk], self._places[stop.key] + 1, total) for stop in stops]


def _read(stops: Sequence[Stop]) -> dict[int, Assignment]:
    """Read assignments with their items, candidates and current judgements."""
    if not stops:
        return {}
    current = Prefetch("judgements", Judgement.objects.current())
    return (
        Assignment.objects.select_related("item")
        .prefetch_related("item__candidates", current)
        .in_bulk([stop.pk for stop in stops])
    )
