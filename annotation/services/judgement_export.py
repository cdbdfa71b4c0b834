"""Write a campaign's judgements: our columns as CSV, TSV, JSON Lines or Parquet, or Appraise's layout."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import repeat
from typing import BinaryIO, cast

from django.contrib.auth.models import AnonymousUser, User

from annotation.formats.appraise_write import write_appraise
from annotation.formats.columns import COLUMNS
from annotation.formats.parquet import write_parquet
from annotation.formats.write import Stream, Value, write_csv, write_jsonl, write_tsv
from annotation.models import AuditEvent, Campaign, Item
from annotation.protocols import PROTOCOLS
from annotation.services.answers import TIMES, Answer, AnswerColumns, Answers
from annotation.services.item_facts import ItemColumns, ItemFacts
from annotation.services.judgement_filter import Chosen, JudgementFilter
from annotation.services.records import raters_read
from annotation.services.sealing import seal_check
from annotation.services.spreads import Spreads, spreads_read
from annotation.stats.standardise import POPULATIONS
from evalplatform.errors import BadInput
from mtcore.corpora.spreadsheets import FLAVOURS

FORMATS = ("csv", "tsv", "jsonl", "parquet", "appraise")
BINARY_FORMATS = ("parquet",)
FILE_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "jsonl": "application/x-ndjson; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "appraise": "text/csv; charset=utf-8",
}
FILE_ENDINGS = {"appraise": "appraise.csv"}
"""Where an ending is not the name of the format."""
EVERY_JUDGEMENT = JudgementFilter()


@dataclass(frozen=True)
class Exported:
    """What an export wrote, whom it had no z for or who is excluded, and what the format has no place for."""

    n_judgements: int
    n_identical: int
    without_z: tuple[str, ...]
    excluded: tuple[tuple[str, str], ...]
    left_out: Mapping[str, int] = field(default_factory=dict)

    def sentence(self) -> str:
        """Say it in words."""
        parts = [_count(self.n_judgements, "judgement")]
        if self.n_identical:
            parts.append(_count(self.n_identical, "identical pair"))
        if self.without_z:
            parts.append(f"{_count(len(self.without_z), 'rater')} without z ({', '.join(self.without_z)})")
        if self.excluded:
            named = ", ".join(f"{rater}: {why}" for rater, why in self.excluded)
            parts.append(f"{_count(len(self.excluded), 'rater')} excluded ({named})")
        parts += [f"{n:,} {kind.replace('_', ' ')} left out" for kind, n in self.left_out.items()]
        return ", ".join(parts) + "."


def judgements_export(
    *,
    campaign: Campaign,
    stream: Stream | BinaryIO,
    format: str = "csv",
    flavour: str = "exact",
    population: str = "all",
    history: bool = False,
    user: User | AnonymousUser | None = None,
) -> Exported:
    """Write the judgements of a campaign, row by row, by rater, round and position.

    Args:
        campaign: the campaign.
        stream: takes text, opened with `newline=""`; for BINARY_FORMATS it takes bytes.
        format: one of FORMATS.
        flavour: "exact", or "spreadsheet" (CSV only; see `write_csv`).
        population: the ratings that make a rater's mean and spread for z.
        history: write answers that were corrected later too (`current` = no).
        user: who takes the data out, for the audit trail.

    Raises:
        BadInput: an option is unknown, or the format cannot say what the campaign holds.
        Sealed: nobody sees answers before the campaign is closed.
    """
    seal_check(campaign)
    _check("format", format, FORMATS)
    _check("flavour", flavour, FLAVOURS)
    _check("population", population, tuple(POPULATIONS))
    writer = _Rows(campaign, population, history)
    left_out = _write(writer, format, flavour, stream)
    AuditEvent.note(
        "judgements.exported",
        actor=user if isinstance(user, User) else None,
        study=campaign.study,
        campaign=campaign,
        format=format,
        judgements=writer.n_judgements - sum(left_out.values()),
    )
    return writer.report(left_out)


def _write(writer: _Rows, format: str, flavour: str, stream: Stream | BinaryIO) -> Mapping[str, int]:
    """Write every row; return what was left out, by kind."""
    text = cast(Stream, stream)
    if format == "parquet":
        write_parquet(writer.rows(), COLUMNS, cast(BinaryIO, stream))
    elif format == "jsonl":
        write_jsonl(writer.rows(), COLUMNS, text)
    elif format == "tsv":
        write_tsv(writer.rows(), COLUMNS, text)
    elif format == "appraise":
        several = writer.check_appraise()
        return write_appraise(writer.rows(), COLUMNS, text, with_testset=several).left_out
    else:
        write_csv(writer.rows(), COLUMNS, text, spreadsheet=flavour == "spreadsheet")
    return {}


def _check(name: str, value: str, choices: Sequence[str]) -> None:
    if value not in choices:
        raise BadInput(f"{name} must be one of {', '.join(choices)}; found {value!r}.")


class _Rows:
    """Make the rows of an export and count what goes by."""

    def __init__(self, campaign: Campaign, population: str, history: bool) -> None:
        self.campaign = campaign
        self.rated = PROTOCOLS[campaign.protocol].record == "rating"
        self.history = history
        self.population = population
        self.z_options = f"population:{population}" if self.rated else None
        self.answers = Answers.of_campaign(campaign)
        self.n_judgements = self.n_identical = 0
        self.with_z: set[str] = set()
        self.raters: dict[str, None] = {}
        self.shared = (
            campaign.protocol,
            _pair(campaign),
            f"{campaign.scale_low:g}-{campaign.scale_high:g}" if self.rated else None,
        )

    def rows(self) -> Iterator[tuple[Value, ...]]:
        """Write every judgement, then the pairs nobody was shown."""
        spreads = spreads_read(self.campaign, self.population)
        for block in self.answers.blocks(history=self.history):
            self.n_judgements += len(block.pk)
            self.raters |= dict.fromkeys(block.rater)
            z = self.z(block, spreads)
            self.with_z.update(
                set(block.rater)
                if None not in z
                else (rater for rater, value in zip(block.rater, z, strict=True) if value is not None)
            )
            yield from self.answered(block, z)
        for item in self.answers.identical():
            self.n_identical += 1
            yield self._identical(item)

    @staticmethod
    def z(block: AnswerColumns, spreads: Spreads) -> list[float | None]:
        """Return the z of some judgements."""
        return spreads.z_of(block.participation, block.item.kind, block.score, block.is_current)

    def answered(self, block: AnswerColumns, z: Sequence[float | None]) -> Iterator[tuple[Value, ...]]:
        """Return the rows of some judgements."""
        return zip(
            block.key, *map(repeat, self.shared), block.round, block.position, block.rater,
            block.excluded_by, *_item_columns(block.item), [sides[0] for sides in block.sides],
            [sides[1] if len(sides) == 2 else None for sides in block.sides],
            [choice or None for choice in block.choice], block.score, z,
            [self.z_options if value is not None else None for value in z], block.is_current, block.comment,
            block.shown_at, block.submitted_at, block.active_ms,
            strict=False,  # what is shared has no end
        )  # fmt: skip

    def answer(self, answer: Answer, z: float | None) -> tuple[Value, ...]:
        """Return the cells of a judgement."""
        (
            _, key, _, rater, why, round_, position, item, sides, score, choice, is_current, comment,
            shown_at, submitted_at, active_ms,
        ) = answer  # fmt: skip
        left, right = sides if len(sides) == 2 else (sides[0], None)
        return (
            key, *self.shared, round_, position, rater, why, *_item(item), left, right, choice or None,
            score, z, self.z_options if z is not None else None, is_current, comment, shown_at, submitted_at,
            active_ms,
        )  # fmt: skip

    def _identical(self, item: ItemFacts) -> tuple[Value, ...]:
        (systems,) = item.sides
        return (
            None, *self.shared, None, None, None, None, *_item(item), systems[:1], systems[1:], "identical",
            None, None, None, None, None, None, None, None,
        )  # fmt: skip

    def check_appraise(self) -> bool:
        """Tell whether there are several test sets; Appraise has scores, and one condition a test set.

        Raises:
            BadInput: its layout cannot hold the campaign.
        """
        remedy = "Export csv, tsv, jsonl or parquet."
        if not self.rated:
            raise BadInput("Appraise's layout has scores, and these are preferences.", remedy)
        conditions = _conditions(self.campaign)
        testsets = {testset for testset, _, _ in conditions}
        if len(conditions) > len(testsets):
            raise BadInput(
                "Appraise's layout has no place for several inputs or references of one test set.", remedy
            )
        return len(testsets) > 1

    def report(self, left_out: Mapping[str, int]) -> Exported:
        """Say what was written."""
        excluded = {name: why for name, why in raters_read(self.campaign).values() if why}
        return Exported(
            n_judgements=self.n_judgements - sum(left_out.values()),
            n_identical=self.n_identical,
            without_z=tuple(name for name in self.raters if self.rated and name not in self.with_z),
            excluded=tuple(excluded.items()),
            left_out=dict(left_out),
        )


def judgement_rows(
    campaign: Campaign, *, population: str = "all", history: bool = False
) -> Iterator[tuple[Value, ...]]:
    """Yield the judgements of a campaign in our columns, as `judgements_export` writes them."""
    return _Rows(campaign, population, history).rows()


class JudgementPages:
    """The current judgements of a campaign that are wanted, counted and read in slices."""

    def __init__(
        self, campaign: Campaign, population: str, wanted: JudgementFilter = EVERY_JUDGEMENT
    ) -> None:
        _check("population", population, tuple(POPULATIONS))
        self.writer = _Rows(campaign, population, history=False)
        self.chosen = Chosen(campaign, wanted)

    def count(self) -> int:
        """Return the number of judgements."""
        return self.chosen.count()

    def answers(self, start: int = 0, stop: int | None = None) -> Iterator[Answer]:
        """Read those of a slice."""
        for part in self.chosen.parts(start, stop):
            yield from self.writer.answers.read(
                found=part.found, order=part.order, start=part.start, stop=part.stop
            )

    def with_z(
        self, answers: Sequence[Answer], spreads: Spreads | None = None
    ) -> Iterator[tuple[Answer, float | None]]:
        """Yield each answer with its z, None where it has none; `spreads` may have been read before."""
        if spreads is None:
            raters = {answer.participation for answer in answers}
            spreads = spreads_read(self.writer.campaign, self.writer.population, only=raters)
        for answer in answers:
            yield answer, _z(answer, spreads)

    def row(self, answer: Answer, z: float | None) -> tuple[Value, ...]:
        """Return the cells of an answer in our columns."""
        return self.writer.answer(answer, z)

    def __getitem__(self, part: slice) -> list[dict[str, Value]]:
        """Return the judgements of a slice, keys being our columns."""
        answers = list(self.answers(part.start or 0, part.stop))
        return [_record(self.row(answer, z)) for answer, z in self.with_z(answers)]


def _record(row: tuple[Value, ...]) -> dict[str, Value]:
    """Return a row as a record, times as times."""
    record = dict(zip(COLUMNS, row, strict=True))
    for name in TIMES:
        record[name] = datetime.fromisoformat(str(record[name])) if record[name] else None
    return record


def _z(answer: Answer, spreads: Spreads) -> float | None:
    if not answer.is_current:
        return None
    return spreads.z(answer.participation, answer.item.kind, answer.score)


def _item_columns(item: ItemColumns) -> Sequence[Sequence[Value]]:
    """Return what `_item` does, of several items, as columns."""
    return (
        item.testset, item.document, item.segment, item.direction, item.input, item.context,
        [f"i{number}" for number in item.number], item.kind, _numbers(item.repeat_of),
        _numbers(item.paired_with), item.group,
    )  # fmt: skip


def _numbers(column: Sequence[int | None]) -> Sequence[str | None]:
    return [f"i{number}" if number else None for number in column]


def _item(item: ItemFacts) -> tuple[Value, ...]:
    return (
        item.testset, item.document, item.segment, item.direction, item.input, item.context,
        f"i{item.number}", item.kind, f"i{item.repeat_of}" if item.repeat_of else None,
        f"i{item.paired_with}" if item.paired_with else None, item.group,
    )  # fmt: skip


def _conditions(campaign: Campaign) -> set[tuple[str, str, str]]:
    """Return test set, input and reference of what systems are judged on."""
    rows = Item.objects.filter(campaign=campaign, kind=Item.Kind.SYSTEM).order_by()
    names = rows.values_list(
        "segment__testset__name", "context_version__name", "input_version__name",
        "candidates__outputs__input_version__name",
    ).distinct()  # fmt: skip
    return {(testset, own or made_from or "", context or "") for testset, context, own, made_from in names}


def _pair(campaign: Campaign) -> str:
    tags = (campaign.source_language, campaign.target_language)
    return (":" if any("-" in tag for tag in tags) else "-").join(tags)


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
