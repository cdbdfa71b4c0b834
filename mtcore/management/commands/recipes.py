"""List the recipes, or print one with all its figures as TOML."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from evalplatform.commands import HouseCommand
from mtcore.engines.recipe_files import recipe_write
from mtcore.engines.recipes import RECIPES
from mtcore.management.shown import table
from mtcore.management.system_arguments import recipe_chosen


class Command(HouseCommand):
    """`manage.py recipes [NAME]`."""

    help = "List the recipes, or print one with all its figures: write it into a file, change it, use it."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("recipe", nargs="?", metavar="NAME|FILE.toml", help="print this one")
        parser.add_argument(
            "--set", nargs="+", action="extend", default=[], metavar="FIGURE=VALUE",
            help="with these figures changed: --set training.max_updates=3000",
        )  # fmt: skip

    def run(self, **options: Any) -> str:
        """Show."""
        if options["recipe"]:
            return recipe_write(recipe_chosen(options)).rstrip("\n")
        rows = [("name", "kind", "model", "what it is")]
        rows += [(one.name, one.kind, one.model.architecture, one.description) for one in RECIPES.values()]
        return table(rows)
