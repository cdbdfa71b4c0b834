"""Formats of test sets beside plain text. A new one is one file and one line here."""

from mtcore.corpora.mtme import MtmeFormat
from mtcore.corpora.sgm import SgmFormat
from mtcore.corpora.testset_base import TestSetFormat
from mtcore.corpora.testset_jsonl import JsonLinesFormat
from mtcore.corpora.testset_table import CsvFormat, TsvFormat
from mtcore.corpora.wmt_xml import WmtXmlFormat

TESTSET_FORMATS: dict[str, TestSetFormat] = {
    one.name: one
    for one in (TsvFormat(), CsvFormat(), JsonLinesFormat(), WmtXmlFormat(), SgmFormat(), MtmeFormat())
}
