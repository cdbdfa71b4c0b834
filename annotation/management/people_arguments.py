"""Options on who takes part in a campaign, and what comes before and after it."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from annotation.protocols import PROTOCOLS
from annotation.services.people_settings import paper_required
from annotation.services.practice_file import practice_count, practice_read
from annotation.services.practice_items import CALIBRATION, PRACTICE, PracticeDraft
from evalplatform.errors import BadInput
from mtcore.services.texts import document_read, named_split


def add(parser: CommandParser) -> None:
    """Declare the options."""
    group = parser.add_argument_group("raters")
    group.add_argument(
        "--native", nargs="+", metavar="LANGUAGE", help="native languages required: tags, source or target"
    )
    group.add_argument(
        "--fluent", nargs="+", metavar="LANGUAGE", help="languages to be known fluently or better"
    )
    group.add_argument(
        "--require", choices=("paper",),
        help="paper: native in the target and, unless fluency is judged, fluent in the source",
    )  # fmt: skip
    group.add_argument(
        "--ask-profile", action="store_true", help="raters fill in a form on languages and experience"
    )
    group.add_argument(
        "--practice", metavar="N|FILE",
        help="practice with feedback first: N items made from the test set, or a file (CSV, TSV, JSON Lines)",
    )  # fmt: skip
    group.add_argument(
        "--calibration", metavar="N|FILE", help="then items without feedback, compared with what is expected"
    )
    group.add_argument("--joins", action="store_true", help="make one link by which anybody may take part")
    group.add_argument(
        "--joins-an-hour", type=int, metavar="N",
        help="how many may join in an hour (default: 200; 0 for any number)",
    )  # fmt: skip
    group.add_argument(
        "--return-url",
        metavar="URL",
        help="where a panel takes raters back to; {code} is the completion code",
    )


def read(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was said, by the names of `CampaignSettings`; None where nothing was."""
    native, fluent = options["native"] or (), options["fluent"] or ()
    if options["require"] == "paper":
        native, fluent = paper_required(options["protocol"], native, fluent)
    return {
        "native": tuple(dict.fromkeys(native)) or None,
        "fluent": tuple(dict.fromkeys(fluent)) or None,
        "asks_profile": options["ask_profile"] or None,
        "practice": practice_count(options["practice"]) or None,
        "calibration": practice_count(options["calibration"]) or None,
        "guidelines": guidelines(options)[1] or None,
        "joins": options["joins"] or None,
        "joins_an_hour": options["joins_an_hour"],
        "return_url": options["return_url"],
    }


def guidelines(options: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """Read the guidelines: those for everybody, and those by language.

    Raises:
        BadInput: two files for the same readers.
    """
    found: dict[str, str] = {}
    for argument in options["guidelines"] or ():
        language, path = named_split(argument)
        if language in found:
            readers = f"in “{language}”" if language else "for everybody"
            raise BadInput(f"There are two files of guidelines {readers}.", "Give one.")
        found[language] = document_read(path)
    return found.pop("", ""), found


def practice(options: Mapping[str, Any], scale: tuple[int, int]) -> tuple[PracticeDraft, ...]:
    """Read the files of practice and calibration items; those made from the test set are not here."""
    protocol = PROTOCOLS[options["protocol"]]
    drafts: list[PracticeDraft] = []
    for stage in (PRACTICE, CALIBRATION):
        wish = options[stage]
        if wish and practice_count(wish) is None:
            drafts += practice_read(wish, protocol=protocol, scale=scale, stage=stage)
    return tuple(drafts)
