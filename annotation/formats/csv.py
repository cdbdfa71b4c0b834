"""Judgements as CSV or TSV: our own columns, or those of others through a map."""

from annotation.formats.base import Format, ParsedJudgements, ParseOptions
from annotation.formats.cells import Cells
from annotation.formats.columns import REQUIRED, OurRows, is_ours, missing_columns
from annotation.formats.limits import require_sound
from annotation.formats.mapped import parse_mapped
from annotation.formats.table import Table, read_table


class CsvFormat(Format):
    """A table with a header. Ours is known by its columns; others need a map unless their names are plain."""

    name = "csv"
    takes_map = True
    title = "CSV or TSV: our own, or any table through a column map"
    example = (
        b"judgement,protocol,languages,scale,rater,testset,segment,kind,left,right,choice,score\n"
        b"j1,source_da,cs-en,0-100,ann,wmt22,1,system,CUNI|Online-A,,,72.5\n"
        b"j2,source_da,cs-en,0-100,ann,wmt22,1,bad_reference,Online-B,,,12\n"
    )

    def parse(self, data: bytes, name: str, options: ParseOptions) -> ParsedJudgements:
        """Read a table; see `Format.parse`."""
        table = read_table(data, name)
        cells = Cells(name, options, decimal_comma=table.delimiter == ";")
        if options.column_map is None and is_ours(table.header):
            return require_sound(_parse_ours(table, cells), name)
        return require_sound(parse_mapped(table, cells), name)


class TsvFormat(CsvFormat):
    """The same table with tabs; quoted when some cell plainly is, as in the files we write."""

    name = "tsv"
    title = "TSV: our own, or any table through a column map"
    example = CsvFormat.example.replace(b",", b"\t")


def _parse_ours(table: Table, cells: Cells) -> ParsedJudgements:
    missing_columns(REQUIRED, table.header, table.name, "Export the file again with all columns.")
    parsed = ParsedJudgements()
    OurRows(table.header, cells, is_spreadsheet=table.is_spreadsheet).read(table.rows, parsed)
    parsed.notices = [*table.notices, *parsed.notices, *cells.notices()]
    return parsed
