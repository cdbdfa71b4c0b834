"""Write what a package holds of one campaign: how people were asked, the plan, their answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from annotation.formats.columns import COLUMNS
from annotation.formats.write import Value, write_csv
from annotation.models import Campaign, Item, ItemCandidate, Participation
from annotation.protocols import PROTOCOLS
from annotation.services.answers import Answers
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.judgement_export import judgement_rows
from annotation.services.package_layout import write_json, write_table, write_text
from annotation.services.planning import PLAN_COLUMNS, plan_rows
from annotation.services.pseudonyms import Pseudonyms
from annotation.services.study_scores import facts_of
from mtcore.models.fields import sha256

PLAN_RATER = PLAN_COLUMNS.index("rater")
KEY, CURRENT = COLUMNS.index("judgement"), COLUMNS.index("current")
RATER = COLUMNS.index("rater")
FREE_TEXTS = tuple(COLUMNS.index(column) for column in ("excluded_by", "group", "comment"))
EXCLUSION_COLUMNS = ("rater", "excluded_by", "excluded_at", "judgements")
ITEM_COLUMNS = ("item", "kind", "testset", "segment", "position", "systems", "sha256")
CHUNK = 2000
CHUNK_TEXT = 1024 * 1024


def campaign_write(campaign: Campaign, folder: Path, names: Pseudonyms, *, with_texts: bool) -> None:
    """Write the files of a campaign but for its scores."""
    guidelines = campaign.guidelines or PROTOCOLS[campaign.protocol].guidelines
    write_text(folder / "guidelines.md", guidelines.rstrip("\n") + "\n")
    for language, text in sorted(CampaignSettings.of(campaign).guidelines.items()):
        write_text(folder / f"guidelines.{language}.md", text.rstrip("\n") + "\n")
    if campaign.consent:
        write_text(folder / "consent.md", campaign.consent.rstrip("\n") + "\n")
    counts = {
        "plan": write_table(folder / "plan.csv", PLAN_COLUMNS, _plan(campaign, names)),
        "items": write_table(
            folder / "items.csv",
            (*ITEM_COLUMNS, "text") if with_texts else ITEM_COLUMNS,
            _items(campaign, with_texts),
        ),
        "exclusions": write_table(folder / "exclusions.csv", EXCLUSION_COLUMNS, _exclusions(campaign, names)),
    }
    counts |= _write_judgements(campaign, folder, names)
    write_json(folder / "campaign.json", _description(campaign, names) | {"counts": counts})


def _description(campaign: Campaign, names: Pseudonyms) -> dict[str, Any]:
    facts = facts_of(campaign)
    outputs = campaign.outputs.order_by("system__name", "testset__name", "input_version__name", "pk")
    columns = ("system__name", "testset__name", "input_version__name", "role", "output__sha256")
    return {
        "name": campaign.name,
        "protocol": campaign.protocol,
        "languages": facts.languages,
        "scale": None if facts.scale is None else list(facts.scale),
        "mode": campaign.mode,
        "state": campaign.state,
        "judgements_per_item": campaign.judgements,
        "judged_again": facts.treatment,
        "seed": campaign.seed,
        "spread": campaign.spread,
        "pairs": campaign.pairs,
        "created_at": _time(campaign.created_at),
        "opened_at": _time(campaign.opened_at),
        "closed_at": _time(campaign.closed_at),
        "notes": names.plain(campaign.notes),
        "raters": sorted(
            names.name(one) for one in campaign.participations.values_list("rater__name", flat=True)
        ),
        "outputs": [
            dict(zip(("system", "testset", "input", "role", "sha256"), row, strict=True))
            for row in outputs.values_list(*columns)
        ],
    }


def _time(at: datetime | None) -> str | None:
    return at.isoformat() if at else None


def _plan(campaign: Campaign, names: Pseudonyms) -> list[list[object]]:
    """Return the plan by pseudonym, so that its order says nothing about names."""
    rows = [[*row] for row in plan_rows(campaign)]
    for row in rows:
        row[PLAN_RATER] = names.name(str(row[PLAN_RATER]))
    return sorted(rows, key=lambda row: (row[2], row[1], row[3], row[0]))


def _items(campaign: Campaign, with_texts: bool) -> Iterator[tuple[object, ...]]:
    """Yield every text that is judged, with its hash."""
    items = Answers.of_campaign(campaign).items()
    counted = Item.objects.counted().filter(campaign=campaign)
    rows = ItemCandidate.objects.filter(item__in=counted).order_by("item_id", "position")
    columns = rows.values_list("item_id", "position", "text", "sha256").iterator(CHUNK)
    for item_id, candidates in groupby(columns, key=lambda row: row[0]):
        item = next(facts for pk, facts in items if pk == item_id)  # both come in order of ids
        for _, position, text, stored in candidates:
            systems = item.sides[position - 1] if position <= len(item.sides) else ()
            head = (f"i{item.number}", item.kind, item.testset, item.segment, position, "|".join(systems))
            known = stored or (sha256(text) if text else "")
            yield (*head, known, text) if with_texts else (*head, known)


def _exclusions(campaign: Campaign, names: Pseudonyms) -> list[tuple[object, ...]]:
    found = Participation.objects.filter(campaign=campaign).exclude(excluded_by="").with_progress()
    return sorted(
        (
            names.name(row.rater.name),
            names.text(row.excluded_by),
            _time(row.excluded_at) or "",
            row.n_done,  # type: ignore[attr-defined]
        )
        for row in found.select_related("rater")
    )


def _write_judgements(campaign: Campaign, folder: Path, names: Pseudonyms) -> dict[str, int]:
    """Write the judgements rater by rater in the order of their pseudonyms, nothing held but one rater's.

    Returns how many rows there are, and how many of them are judgements that count.
    """
    counts = {"judgements": 0, "current": 0}
    parts: dict[tuple[bool, str], Path] = {}
    for rater, rows in groupby(judgement_rows(campaign, history=True), key=lambda row: row[RATER]):
        place = (rater is None, names.name(str(rater or "")))
        parts[place] = folder / f"judgements.{len(parts)}.part"
        with parts[place].open("w", encoding="utf-8", newline="") as stream:
            write_csv(_counted(_renamed(rows, names), counts), COLUMNS, stream)
    with (folder / "judgements.csv").open("w", encoding="utf-8", newline="") as whole:
        write_csv([], COLUMNS, whole)
        for _, part in sorted(parts.items()):
            with part.open(encoding="utf-8", newline="") as stream:
                stream.readline()
                while text := stream.read(CHUNK_TEXT):
                    whole.write(text)
            part.unlink()
    return counts


def _counted(rows: Iterable[list[Value]], counts: dict[str, int]) -> Iterator[list[Value]]:
    for row in rows:
        counts["judgements"] += 1
        counts["current"] += bool(row[KEY]) and row[CURRENT] is not False
        yield row


def _renamed(rows: Iterable[tuple[Value, ...]], names: Pseudonyms) -> Iterator[list[Value]]:
    for row in rows:
        cells = list(row)
        if cells[RATER]:
            cells[RATER] = names.name(str(cells[RATER]))
        for column in FREE_TEXTS:
            if cells[column]:
                cells[column] = names.text(str(cells[column]))
        yield cells
