"""The options of scoring, the same for every command that scores."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from annotation.stats.options import CHOICES, PREFERENCE_RESAMPLES, RESAMPLES
from mtcore.management.flavour_argument import add_flavour_argument

MEANINGS = {
    "population": "ratings that make a rater's mean and spread",
    "scope": "whose ratings these are: of the campaign, or of all of its study in the language direction",
    "repeats": "how repeats are averaged",
    "disagreement": "what counts where an item was judged again: the first round, the newest, or all",
    "clusters": "where a cluster ends",
    "interval": "kind of bootstrap interval",
    "unit": "what is resampled",
    "raters": "random: raters are resampled too, so results speak of others like them",
    "test": "the test that is corrected for the number of pairs",
    "correction": "of that test's p over all pairs",
}


def add_score_arguments(parser: CommandParser, **defaults: str) -> None:
    """Add the options of scoring.

    Args:
        parser: of the command.
        defaults: other defaults than the usual ones, by option.
    """
    low, high = RESAMPLES
    parser.add_argument("--seed", help="of every draw (default 1)")
    parser.add_argument("--resamples", help=f"bootstrap resamples, {low:,} to {high:,} (default 1,000)")
    low, high = PREFERENCE_RESAMPLES
    parser.add_argument(
        "--preference-resamples", help=f"of preferences, {low:,} to {high:,} (default 200,000)"
    )
    for name, choices in CHOICES.items():
        meaning = MEANINGS.get(name, name)
        parser.add_argument(f"--{name}", default=defaults.get(name), help=f"{meaning}: {', '.join(choices)}")
    parser.add_argument("--hypothesis", metavar="BT>OP", help="direction declared before looking")


def add_print_arguments(parser: CommandParser) -> None:
    """Add how scores are printed."""
    parser.add_argument("--by", help="condition: one row a system and condition")
    parser.add_argument("--format", default="table", choices=("table", "json", "csv"))
    add_flavour_argument(parser)
    parser.add_argument(
        "--table",
        default="systems",
        choices=("systems", "pairs", "raters"),
        help="which table --format csv writes",
    )


def score_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was said about scoring, by the names that `options_from` knows."""
    names = ("seed", "resamples", "preference_resamples", *CHOICES, "hypothesis", "by")
    return {name: options.get(name) for name in names}
