"""Add campaigns, test sets and systems to a study."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.management.member_arguments import add_member_arguments
from annotation.services.studies import study_named
from annotation.services.study_members import Added, study_add
from evalplatform.commands import HouseCommand


class Command(HouseCommand):
    """Say what belongs to a study."""

    help = (
        "Add campaigns (they move, with their raters), test sets and systems to a study. Within a "
        "study raters of one name are one person."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Name the study and what to add; each option takes several names and may be repeated."""
        add_member_arguments(parser, "campaign", "testset", "system")
        people = parser.add_mutually_exclusive_group()
        people.add_argument(
            "--same-raters",
            action="store_true",
            help="raters numbered by the platform (R1, R2 …) here and in the study are the same people",
        )
        people.add_argument(
            "--separate-raters",
            action="store_true",
            help="raters whose names the study knows are other people: rename them “NAME (CAMPAIGN)”",
        )

    def run(self, **options: Any) -> None:
        """Add, and say what that meant for the raters."""
        study = study_named(options["name"])
        added = study_add(
            study=study,
            campaigns=options["campaign"],
            testsets=options["testset"],
            systems=options["system"],
            separate_raters=options["separate_raters"],
            same_raters=options["same_raters"],
        )
        self._report(study.name, added)

    def _report(self, name: str, added: Added) -> None:
        for campaign, origin in added.moved:
            self.stdout.write(f"“{campaign}” moved from the study “{origin}” to “{name}”.")
        if added.n_testsets or added.n_systems:
            self.stdout.write(
                f"{added.n_testsets:,} test set(s) and {added.n_systems:,} system(s) added to “{name}”."
            )
        if added.known:
            self.stdout.write(f"Already in “{name}”: {', '.join(added.known)}.")
        if added.united:
            self.stderr.write(
                f"Note: {', '.join(added.united)} were in “{name}” already: same name, same person. "
                "--separate-raters keeps such raters apart."
            )
        for text in added.alike:
            self.stderr.write(f"Note: {text}")
