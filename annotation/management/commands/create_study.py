"""Make an empty study."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.services.studies import owner_find, study_create
from evalplatform.commands import HouseCommand


class Command(HouseCommand):
    """Make a study, to which campaigns, test sets and systems are added."""

    help = "Make an empty study; add_to_study fills it."

    def add_arguments(self, parser: CommandParser) -> None:
        """Name the study and its owner."""
        parser.add_argument("name", metavar="NAME", help="name of the study")
        parser.add_argument("--owner", metavar="USER", help="who sees it (default: admins only)")
        parser.add_argument("--description", default="", metavar="TEXT", help="what it asks")

    def run(self, **options: Any) -> None:
        """Make it."""
        owner = owner_find(options["owner"]) if options["owner"] else None
        study = study_create(name=options["name"], owner=owner, description=options["description"])
        self.stdout.write(f"Study “{study.name}” made.")
