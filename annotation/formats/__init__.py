"""Formats of judgements: ours and those of others. A new one is one file and one line here."""

from annotation.formats.appraise import AppraiseFormat
from annotation.formats.base import (
    ComparisonRow,
    Format,
    FormatError,
    ParsedJudgements,
    ParseOptions,
    RatingRow,
)
from annotation.formats.csv import CsvFormat
from annotation.formats.jsonl import JsonLinesFormat
from annotation.formats.mapped import parse_map
from annotation.formats.wmt16_ranking import Wmt16RankingFormat
from annotation.formats.write import write_csv, write_jsonl

FORMATS: dict[str, Format] = {
    one.name: one for one in (CsvFormat(), JsonLinesFormat(), AppraiseFormat(), Wmt16RankingFormat())
}

__all__ = [
    "FORMATS",
    "ComparisonRow",
    "Format",
    "FormatError",
    "ParseOptions",
    "ParsedJudgements",
    "RatingRow",
    "parse_map",
    "write_csv",
    "write_jsonl",
]
