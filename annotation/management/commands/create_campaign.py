"""Create a campaign, from plain text or over what is imported, and print one link a rater."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from annotation.management import page_arguments, people_arguments, quality_arguments, round_arguments
from annotation.management.scales import scale_read
from annotation.models import Campaign
from annotation.protocols import PROTOCOLS
from annotation.services.campaign_outlook import campaign_estimate, campaign_power
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.campaigns import (
    CampaignDraft,
    CampaignOptions,
    campaign_create,
    campaign_draft,
    draft_notes,
    secret_seed,
)
from annotation.services.chosen import chosen_selection, plain_texts
from annotation.services.joining import joining_url
from annotation.services.links import base_url_check, campaign_links
from annotation.services.selection import PlainTexts
from annotation.services.studies import owner_find, rater_names
from evalplatform.commands import HouseCommand
from evalplatform.env import LOCAL_URL
from evalplatform.errors import BadInput
from evalplatform.words import counted, moment
from mtcore.models import System
from mtcore.services.texts import NamedText, document_read, named_split, text_read

PLAIN = ("source", "reference", "output", "direction")
IMPORTED = ("systems", "inputs")
#: Where the options of a campaign's settings are declared, each with how they are read.
SETTINGS = (page_arguments, quality_arguments, people_arguments, round_arguments)


class Command(HouseCommand):
    """Create a campaign with its plan and links, in one transaction."""

    help = (
        "Create a campaign and print one link a rater: from plain text (--source, --output SYSTEM=FILE …) "
        "or over imported test sets and outputs (--testset, --systems)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("name", metavar="NAME", help="name of the campaign")
        parser.add_argument("--protocol", required=True, choices=sorted(PROTOCOLS))
        parser.add_argument("--languages", default="", metavar="en-de", help="source and target language")
        add_plain_arguments(parser)
        add_imported_arguments(parser)
        add_plan_arguments(parser)
        for group in SETTINGS:
            group.add(parser)
        parser.add_argument(
            "--guidelines", nargs="+", action="extend", metavar="[LANGUAGE=]FILE",
            help="Markdown for the raters; also in languages of the interface, as de=FILE",
        )  # fmt: skip
        parser.add_argument("--consent", metavar="FILE", help="text that raters agree to")
        parser.add_argument("--study", default="", metavar="NAME", help="study it belongs to")
        parser.add_argument("--owner", metavar="USER", help="user who owns the study")
        parser.add_argument("--base-url", metavar="URL", help="what the links begin with")
        parser.add_argument("--draft", action="store_true", help="do not open it to raters yet")
        parser.add_argument(
            "--dry-run", action="store_true", help="say what it would ask of raters; write nothing"
        )

    def run(self, **options: Any) -> None:
        """Read and check everything, plan, then write and print the links."""
        base_url = base_url_check(options["base_url"]) if options["base_url"] else None
        owner = owner_find(options["owner"]) if options["owner"] else None
        campaign_options = _campaign_options(options)
        texts = _plain_texts(options)
        selection = chosen_selection(
            protocol=PROTOCOLS[options["protocol"]],
            texts=texts,
            testsets=options["testset"],
            systems=_systems(options["systems"]),
            inputs=options["inputs"],
            references=options["references"],
            languages=options["languages"],
            hidden_reference=options["reference_as_system"],
        )
        draft = campaign_draft(options=campaign_options, selection=selection, texts=texts)
        for notice in _notices(draft):
            self.stderr.write(f"Note: {notice}")
        if options["dry_run"]:
            self.stdout.write(estimate_text(draft))
            power = campaign_power(draft=draft)
            if power:
                self.stderr.write(f"Power: {power}")
            return
        campaign = campaign_create(draft=draft, owner=owner)
        if options["seed"] is None:
            self.stderr.write(
                f"Note: the plan was drawn with seed {campaign.seed}; do not show it to raters."
            )
        self.stderr.write(created_text(campaign, draft, base_url or settings.BASE_URL))
        if not base_url and settings.BASE_URL == LOCAL_URL:
            self.stderr.write(
                f"Note: links begin with {LOCAL_URL} and open on this machine only; set BASE_URL in .env, or "
                "print them anew with campaign_links NAME --base-url URL."
            )
        for rater, link in campaign_links(campaign=campaign, base_url=base_url):
            self.stdout.write(f"{rater}\t{link}")
        if campaign_options.settings.joins:
            self.stdout.write(f"anybody\t{joining_url(campaign, base_url=base_url)}")


def add_plain_arguments(parser: CommandParser) -> None:
    """Declare what a campaign from plain text needs."""
    group = parser.add_argument_group("from plain text")
    group.add_argument("--source", metavar="FILE", help="source text, one segment a line")
    group.add_argument("--reference", nargs="+", action="extend", default=[], metavar="[NAME=]FILE")
    group.add_argument(
        "--output", nargs="+", action="extend", default=[], metavar="SYSTEM=FILE",
        help="one or more at once, and as often as you like",
    )  # fmt: skip
    group.add_argument(
        "--direction", default="", choices=["direct", "reverse"], help="which side was written first"
    )


def add_imported_arguments(parser: CommandParser) -> None:
    """Declare what a campaign over imported texts needs."""
    group = parser.add_argument_group("over imported test sets")
    group.add_argument("--testset", nargs="+", action="extend", default=[], metavar="NAME")
    group.add_argument("--systems", nargs="+", action="extend", default=[], metavar="A,B")
    group.add_argument(
        "--inputs", nargs="+", action="extend", default=[], metavar="VERSION",
        help="source versions by name or notation (X**), looked up in every test set; default: the original",
    )  # fmt: skip
    group.add_argument(
        "--references", nargs="+", action="extend", default=[], metavar="VERSION",
        help="references to hold translations against (reference_da); default: the original",
    )  # fmt: skip


def add_plan_arguments(parser: CommandParser) -> None:
    """Declare how the work is shared out."""
    group = parser.add_argument_group("plan")
    group.add_argument(
        "--raters", metavar="N|FILE", help="how many, or a file with a name a line; a pool needs none"
    )
    group.add_argument("--judgements", type=int, default=3, metavar="K", help="for each item (default 3)")
    group.add_argument(
        "--segments", default="", metavar="N|A-B|sample:N", help="of each test set (default all)"
    )
    group.add_argument(
        "--pairs", metavar="all|BASELINE|sample:N", help="which systems are compared (default all)"
    )
    group.add_argument(
        "--spread", action="store_true", help="deal every item on its own, not segment by segment"
    )
    group.add_argument("--scale", metavar="LOW-HIGH", help="whole numbers (default 1-100)")
    group.add_argument(
        "--seed", type=int, help="the same seed gives the same plan (default: drawn, stored, not guessable)"
    )


def created_text(campaign: Campaign, draft: CampaignDraft, base_url: str) -> str:
    """Write what was made, until when its links work, and where it is watched."""
    estimate = campaign_estimate(draft=draft)
    until = campaign.participations.values_list("link_expires_at", flat=True).first()
    links = f"links work until {moment(until)}" if until else "links do not expire"
    return (
        f"Campaign “{campaign.name}”: {counted(estimate.items, 'item')}, "
        f"{counted(estimate.judgements, 'judgement')}; {links}.\n"
        f"Its page: {base_url}{campaign.get_absolute_url()}"
    )


def estimate_text(draft: CampaignDraft) -> str:
    """Write what a campaign would ask of its raters."""
    estimate = campaign_estimate(draft=draft)
    unseen = draft.n_identical
    verb = "is" if unseen == 1 else "are"
    identical = f" ({counted(unseen, 'identical pair')} {verb} counted, not shown)" if unseen else ""
    lines = [f"items\t{estimate.items:,}{identical}", f"judgements\t{estimate.judgements:,}"]
    asked = len(draft.options.practice)
    if asked:
        lines.append(f"practice\t{counted(asked, 'item')} a rater, counted nowhere")
    lines += [
        f"{rater}\t{counted(load, 'judgement')}\tabout {counted(_minutes(estimate.minutes[rater]), 'minute')}"
        for rater, load in estimate.loads.items()
    ]
    return "\n".join(lines)


def _minutes(minutes: float) -> int:
    """Return whole minutes, at least one."""
    return max(1, round(minutes))


def _campaign_options(options: dict[str, Any]) -> CampaignOptions:
    protocol = PROTOCOLS[options["protocol"]]
    if options["scale"] and protocol.record != "rating":
        raise BadInput(f"Protocol {protocol.name} has no scale.", "Leave --scale out.")
    scale = scale_read(options["scale"] or "1-100")
    return CampaignOptions(
        name=options["name"],
        protocol=protocol.name,
        raters=rater_names(options["raters"]) if options["raters"] else (),
        pool=options["pool"],
        judgements=options["judgements"],
        seed=secret_seed() if options["seed"] is None else options["seed"],
        scale=scale,
        pairs=options["pairs"] or "all",
        spread=options["spread"],
        segments=options["segments"],
        guidelines=people_arguments.guidelines(options)[0],
        consent=document_read(options["consent"]) if options["consent"] else "",
        study=options["study"],
        opened=not options["draft"],
        practice=people_arguments.practice(options, scale),
        settings=CampaignSettings.read({k: v for group in SETTINGS for k, v in group.read(options).items()}),
    )


def _plain_texts(options: dict[str, Any]) -> PlainTexts | None:
    """Read the texts of a campaign from plain text, or return None for one over imported test sets."""
    plain = [name for name in PLAIN if options[name]]
    imported = [name for name in IMPORTED if options[name]]
    if options["testset"]:
        if plain:
            raise BadInput(
                f"--testset and --{plain[0]} exclude each other.", "Give imported test sets or plain text."
            )
        return None
    if imported:
        raise BadInput(f"--{imported[0]} is for imported test sets.", "Add --testset NAME, or leave it out.")
    if not options["source"] or not options["output"] or not options["languages"]:
        raise BadInput(
            "A campaign from plain text needs --languages, --source and --output.",
            "Give them, or --testset and --systems.",
        )
    return plain_texts(
        name=options["name"],
        languages=options["languages"],
        source=text_read(options["source"]),
        references=[text_read(path, name=name) for name, path in map(named_split, options["reference"])],
        outputs=[_output(argument) for argument in options["output"]],
        direction=options["direction"],
    )


def _output(argument: str) -> NamedText:
    name, found, path = argument.partition("=")
    if not found or not path:
        raise BadInput(f"“{argument}” does not name the system.", "Write --output SYSTEM=FILE.")
    return text_read(path, name=name)


def _systems(arguments: list[str]) -> list[str]:
    """Split at commas what is not itself the name of a system."""
    whole = set(System.objects.filter(name__in=arguments).values_list("name", flat=True))
    names: list[str] = []
    for argument in arguments:
        names += [argument] if argument in whole else [part for part in argument.split(",") if part]
    return names


def _notices(draft: CampaignDraft) -> list[str]:
    texts = draft.texts
    read = [*texts.testset.notices, *(n for output in texts.outputs for n in output.notices)] if texts else []
    return [*read, *draft_notes(draft)]
