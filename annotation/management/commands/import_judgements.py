"""Import judgements made elsewhere, in any format of the registry."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.formats import FORMATS
from annotation.protocols import PROTOCOLS
from annotation.services.judgement_import import Imported, judgements_import
from annotation.services.judgement_upload import request_of
from evalplatform.commands import HouseCommand
from evalplatform.errors import BadInput
from mtcore.corpora.reader import read_bytes
from mtcore.services.texts import as_bad_input


class Command(HouseCommand):
    """Import a file of judgements into a closed campaign."""

    help = "Import judgements from a file into a closed campaign, which is made when none exists."

    def add_arguments(self, parser: CommandParser) -> None:
        """Name the campaign and the file, and say what the file does not."""
        parser.add_argument("campaign", help="name of the campaign to make or to add to")
        parser.add_argument("file", help="the file (plain or .gz), or a folder of mt-metrics-eval")
        titles = "; ".join(f"{name}: {one.title}" for name, one in FORMATS.items())
        parser.add_argument("--format", required=True, choices=list(FORMATS), help=titles)
        parser.add_argument("--protocol", default="", help=f"one of {', '.join(PROTOCOLS)}")
        parser.add_argument("--languages", default="", help="source and target, as cs-en")
        parser.add_argument("--testset", default="", help="a test set with texts that the segments belong to")
        parser.add_argument(
            "--map",
            default="",
            metavar="rater=COL,system=COL,…",
            help="columns of a foreign table: rater, system, segment, score (left, right, choice), kind, …",
        )
        parser.add_argument("--scale", help="lowest and highest score, as --scale=0-100 or --scale=-25-0")
        parser.add_argument("--unknown-kinds", default="refuse", choices=("refuse", "skip"))
        parser.add_argument("--study", default="", help="study of a new campaign (default: its own)")

    def run(self, **options: Any) -> None:
        """Import and say what came in."""
        file = _file(Path(options["file"]), options["format"], options["languages"])
        request = request_of(options, file.name)
        with as_bad_input():
            data = read_bytes(file)
        self._report(judgements_import(request=request, data=data))

    def _report(self, done: Imported) -> None:
        for notice in done.notices:
            self.stderr.write(f"Note: {notice}")
        kinds = ", ".join(f"{n:,} {kind.replace('_', ' ')}" for kind, n in done.kinds.items())
        identical = f", {_count(done.n_identical, 'identical pair')}" if done.n_identical else ""
        self.stdout.write(
            f"{_count(done.n_judgements, 'judgement')} ({kinds}{identical}) of "
            f"{_count(done.n_raters, 'rater')} and {_count(done.n_systems, 'system')} "
            f"imported into “{done.campaign.name}”."
        )


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def _file(path: Path, format: str, languages: str) -> Path:
    """Return the file meant: of a folder of mt-metrics-eval, its one file of human segment scores."""
    if not path.is_dir() or format != "mt-metrics-eval":
        return path
    pattern = f"{languages or '*'}.*.seg.score"
    found = sorted(path.glob(f"human-scores/{pattern}")) or sorted(path.glob(pattern))
    if len(found) != 1:
        names = ", ".join(one.name for one in found[:10]) or "none"
        raise BadInput(f"{path.name} has several or no human segment scores: {names}.", "Name one file.")
    return found[0]
