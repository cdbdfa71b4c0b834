"""Put filled tables together as a text or as a folder of files."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from annotation.models import Study
from annotation.services.report.writers import flavour_check, folder_free
from annotation.services.study_tables.filled import Filled
from annotation.services.study_tables.links import links_of
from annotation.services.study_tables.writers import ENDINGS, to_html, to_spreadsheet
from annotation.services.study_tables.writers import FORMATS as WRITERS
from evalplatform.errors import BadInput

FORMATS = ("html", *WRITERS)


def tables_text(
    study: Study, tables: Sequence[Filled], format: str, base_url: str = "", flavour: str = "exact"
) -> str:
    """Return tables in a format; the links of HTML begin with an address of the platform.

    The spreadsheet flavour is one of CSV and changes nothing else.

    Raises:
        BadInput: there is no such flavour.
    """
    flavour_check(flavour)
    if format == "csv" and flavour == "spreadsheet":
        return to_spreadsheet(tables, study.name)
    if format == "html":
        return to_html(tables, study.name, links_of(study, {}, base_url.rstrip("/")))
    return WRITERS[format](tables, study.name)


def tables_folder(
    study: Study,
    tables: Sequence[Filled],
    format: str,
    folder: Path,
    base_url: str = "",
    flavour: str = "exact",
) -> int:
    """Write tables into a new folder, together and one by one; return how many files.

    It is written beside and renamed, so the folder is whole or not there.

    Raises:
        Conflict: the folder exists.
        BadInput: it cannot be made there.
    """
    folder_free(folder)
    end = ENDINGS[format]
    own = {f"tables.{end}": tables} | {f"{one.name}.{end}": [one] for one in tables}
    texts = {name: tables_text(study, some, format, base_url, flavour) for name, some in own.items()}
    beside = folder.with_name(f".{folder.name}.part")
    try:
        beside.mkdir(parents=True)
        for name, text in texts.items():
            (beside / name).write_text(text, encoding="utf-8", newline="")
        beside.rename(folder)
    except OSError as error:
        shutil.rmtree(beside, ignore_errors=True)
        raise BadInput(f"{folder} cannot be written ({error.strerror}).", "Choose another place.") from error
    return len(texts)
