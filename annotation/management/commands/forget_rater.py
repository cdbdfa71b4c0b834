"""Forget a rater: remove who it was, keep every judgement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandParser

from annotation.services.forgetting import is_forgotten, rater_forget, rater_traces
from annotation.services.handing_over import Handed, leaving_trial
from annotation.services.lookup import campaign_named, rater_named
from evalplatform.commands import HouseCommand
from evalplatform.words import counted


class Command(HouseCommand):
    """`manage.py forget_rater`."""

    help = "Remove everything that says who a rater was, in all campaigns of the study; judgements stay."

    def add_arguments(self, parser: CommandParser) -> None:
        """Name the options."""
        parser.add_argument("name", metavar="CAMPAIGN", help="a campaign in which the rater takes part")
        parser.add_argument("rater", metavar="RATER", help="name of the rater")
        parser.add_argument("--dry-run", action="store_true", help="say what would go and change nothing")

    def run(self, **options: Any) -> str:
        """Forget, or say what there is."""
        rater = rater_named(campaign_named(options["name"]), options["rater"])
        if is_forgotten(rater):
            return f"“{rater.name}” was forgotten before. Nothing was changed."
        found = rater_traces(rater=rater)
        what = (
            f"{counted(found.comments, 'comment')}, {counted(found.remarks, 'remark')}, profile, links and "
            f"sessions; {counted(found.judgements, 'judgement')} in {len(found.campaigns)} of the campaigns"
        )
        if options["dry_run"]:
            self._tell(leaving_trial(rater=rater), "would go")
            return f"Of “{rater.name}” would go: {what} would stay. Nothing was changed."
        done = rater_forget(rater=rater)
        self._tell(done.handed_over, "went")
        return f"Forgotten; the pseudonym is “{done.pseudonym}”. Gone are {what} stay."

    def _tell(self, handed: Sequence[Handed], verb: str) -> None:
        """Write who gets open work."""
        for one in handed:
            given = ", ".join(f"“{name}” {n}" for name, n in one.given.items()) or "nobody"
            self.stdout.write(f"{one.campaign}: {counted(one.released, 'open item')} {verb} to {given}.")
            for text in one.short:
                self.stderr.write(f"Note: {text}")
