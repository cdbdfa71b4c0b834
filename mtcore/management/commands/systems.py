"""List systems, or show how one came about."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import CommandParser

from evalplatform.commands import HouseCommand
from mtcore.management.shown import table
from mtcore.models import Run, System, SystemOutput
from mtcore.services.systems import system_card


class Command(HouseCommand):
    """`manage.py systems [NAME]`."""

    help = "List systems with their outputs, or show one: recipe, corpora, models with checksums, versions."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("name", nargs="?", metavar="NAME", help="show this one")
        parser.add_argument("--format", choices=("text", "json"), default="text", help="of one system's card")

    def run(self, **options: Any) -> str:
        """Show."""
        if not options["name"]:
            return all_systems()
        card = system_card(options["name"])
        if options["format"] == "json":
            return json.dumps(card, indent=1, ensure_ascii=False)
        return one_system(card)


def all_systems() -> str:
    """Write systems as a table, and the language models below it."""
    rows = [("name", "kind", "made", "outputs")]
    trained = set(Run.objects.filter(kind="train_model").values_list("options__system", flat=True))
    for system in System.objects.listed():
        outputs = SystemOutput.objects.filter(system=system).select_related("testset", "input_version")
        listed = ", ".join(f"{one.testset.name} ({one.input_version.name})" for one in outputs[:4])
        more = " …" if outputs.count() > 4 else ""
        made = "trained here" if system.name in trained else "elsewhere"
        rows.append((system.name, system.kind, made, listed + more))
    told = table(rows) if len(rows) > 1 else "There are no systems. Train one: manage.py train_system"
    models = [("language model", "language", "state")]
    for run in Run.objects.filter(kind="train_lm").order_by("pk"):
        models.append((run.name, run.options["language"], run.get_state_display()))
    return told + (f"\n\n{table(models)}" if len(models) > 1 else "")


def one_system(card: dict[str, Any]) -> str:
    """Write everything about one system."""
    told = [f"{card['system']}: {card['kind']}"]
    if not card["trained"]:
        return f"{told[0]}, made elsewhere\n{_outputs(card['system'])}"
    recipe = card["recipe"]
    told[0] += f", {'-'.join(card['languages'])}, recipe {recipe['name']} ({recipe['model']['architecture']})"
    for one in card["corpora"]:
        told.append(f"  {one['use']}: “{one['name']}”, {one['lines']:,} lines, sha256 {one['sha256'][:12]}")
    for model in card["models"]:
        versions = ", ".join(f"{name} {version}" for name, version in model["versions"].items())
        told.append(f"  model: run {model['run']}, {model['state']}, seed {model['seed']}")
        if model["checkpoint_sha256"]:
            seconds = model["training_seconds"]
            length = f", {seconds:,.0f} s" if seconds is not None else ""
            told.append(
                f"    checkpoint sha256 {model['checkpoint_sha256'][:12]}, {model['updates']} updates{length}"
            )
            told.append(f"    {model['engine']} with {versions or 'unknown versions'}")
    return "\n".join([*told, _outputs(card["system"])])


def _outputs(system: str) -> str:
    outputs = SystemOutput.objects.filter(system__name=system).select_related("testset", "input_version")
    rows = [
        f"  output: {one.testset.name} from {one.input_version.name}, sha256 {one.sha256[:12]}"
        for one in outputs.order_by("pk")
    ]
    return "\n".join(rows) or "  no outputs so far"
