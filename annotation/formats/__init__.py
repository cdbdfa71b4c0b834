"""Formats of judgements: ours and those of others. A new one is one file and one line here."""

from annotation.formats.appraise import AppraiseFormat
from annotation.formats.appraise_pairwise import AppraisePairwiseFormat
from annotation.formats.base import (
    ComparisonRow,
    Format,
    FormatError,
    ParsedJudgements,
    ParseOptions,
    RatingRow,
)
from annotation.formats.csv import CsvFormat, TsvFormat
from annotation.formats.jsonl import JsonLinesFormat
from annotation.formats.mapped import parse_map
from annotation.formats.mqm import MqmFormat
from annotation.formats.mt_metrics_eval import MtMetricsEvalFormat
from annotation.formats.parquet import ParquetFormat
from annotation.formats.pearmut import PearmutFormat
from annotation.formats.wmt16_ranking import Wmt16RankingFormat
from annotation.formats.wmt_mturk import WmtMturkFormat
from annotation.formats.write import write_csv, write_jsonl

FORMATS: dict[str, Format] = {
    one.name: one
    for one in (
        CsvFormat(), TsvFormat(), JsonLinesFormat(), ParquetFormat(),
        AppraiseFormat(), AppraisePairwiseFormat(), PearmutFormat(),
        WmtMturkFormat(), Wmt16RankingFormat(), MtMetricsEvalFormat(), MqmFormat(),
    )
}  # fmt: skip

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
