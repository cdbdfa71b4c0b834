"""Take test sets and systems out of a study."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.management.member_arguments import add_member_arguments
from annotation.services.studies import study_named
from annotation.services.study_removal import study_remove
from evalplatform.commands import HouseCommand
from evalplatform.words import quoted


class Command(HouseCommand):
    """Say what no longer belongs to a study."""

    help = (
        "Take test sets and systems out of a study; not those that its campaigns judge. A campaign moves to "
        "another study by add_to_study."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Name the study and what to take out; each option takes several names and may be repeated."""
        add_member_arguments(parser, "testset", "system")

    def run(self, **options: Any) -> str:
        """Take them out, and say so."""
        study = study_named(options["name"])
        removed = study_remove(study=study, testsets=options["testset"], systems=options["system"])
        return f"No longer in “{study.name}”: {quoted((*removed.testsets, *removed.systems))}."
