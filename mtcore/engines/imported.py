"""Translations made elsewhere, as an engine: it gives back for a line what was read from a file.

So Moses, an online service or a paper's published outputs go through the same door as what is trained here:
every line has a status, lines that are missing are refused, and where they came from is kept.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import ClassVar

from mtcore.corpora.errors import CorpusError
from mtcore.engines.base import BLANK, FAILED, OK, Engine, Line, Work
from mtcore.engines.bundle import Bundle, bundle_open, bundle_write
from mtcore.engines.errors import EngineError
from mtcore.engines.recipe import Decoding
from mtcore.engines.rundir import file_sha256
from mtcore.engines.subword_models import file_lines

OUTPUTS = "outputs"
"""The kind of a bundle of translations made elsewhere."""
_ROWS = "checkpoint"
_FORMAT = 1
_SHOWN = 60
_CHECK_LINES = 50_000


class ImportEngine(Engine):
    """Gives back translations that were made elsewhere; see `outputs_bundle`."""

    name: ClassVar[str] = "import"
    decodes: ClassVar[frozenset[str]] = frozenset({OUTPUTS})
    ensembles: ClassVar[bool] = False
    install_hint: ClassVar[str] = "nothing has to be installed"

    def is_available(self) -> bool:
        """Tell that it always can."""
        return True

    def signature(self) -> str:
        """Return "import, format 1"."""
        return f"{self.name}, format {_FORMAT}"

    def translate(
        self, bundles: Sequence[Bundle], lines: Sequence[str], decoding: Decoding, work: Work
    ) -> list[Line]:
        """Give back what was imported, line by line; the figures of decoding change nothing.

        The whole source comes back in its order. Of other lines each is looked up by its text; of a text that
        stands several times in the source, the first asked for is the first there, and so on.

        Raises:
            EngineError: several bundles, or a line that was not in the source; the message says which.
        """
        rows = _rows(_the_one(bundles))
        if len(rows) == len(lines) and all(row[0] == line for row, line in zip(rows, lines, strict=True)):
            return [_line(text, status) for _, text, status in rows]
        known: dict[str, list[Line]] = defaultdict(list)
        for source, text, status in rows:
            known[source].append(_line(text, status))
        found: list[Line] = []
        missing: list[int] = []
        asked: dict[str, int] = defaultdict(int)
        for number, line in enumerate(lines, start=1):
            if number % _CHECK_LINES == 0:
                work.check()
            key = line.removesuffix("\r")
            if own := known.get(key):
                found.append(own[min(asked[key], len(own) - 1)])
                asked[key] += 1
            elif line.strip():
                missing.append(number)
            else:
                found.append(Line("", BLANK))
        if missing:
            first = lines[missing[0] - 1]
            shown = first[:_SHOWN] + (" …" if len(first) > _SHOWN else "")
            raise EngineError(
                f"{len(missing):,} of {len(lines):,} lines have no translation among those imported; the "
                f"first is line {missing[0]:,}: “{shown}”.",
                "Import translations of this very text.",
            )
        return found


def outputs_bundle(
    source: Path,
    outputs: Path,
    *,
    source_language: str,
    target_language: str,
    made_by: str,
    place: Path,
) -> Bundle:
    """Make a bundle of translations that were made elsewhere.

    A line whose source is blank is marked so (a text that stands there all the same is dropped and counted),
    one that has a source and no text as failed.

    Args:
        source: the source text, plain or gzip, a line a segment.
        outputs: its translations, as many lines in the same order.
        source_language: of the source.
        target_language: of the translations.
        made_by: what made them, for provenance ("Moses 4.0, trained on …").
        place: where the bundle is to be; nothing may be there.

    Raises:
        EngineError: a file cannot be read, or they have different numbers of lines.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=".staged-", dir=place.parent))
    staging = Path(tempfile.mkdtemp(prefix=".staged-", dir=place.parent))
    try:
        counts = _write_rows(source, outputs, draft / "rows.jsonl")
        facts = {
            "engine": ImportEngine.name, "kind": OUTPUTS, "format": _FORMAT,
            "source_language": source_language, "target_language": target_language, "made_by": made_by,
            "source_file": source.name, "source_sha256": file_sha256(source),
            "outputs_file": outputs.name, "outputs_sha256": file_sha256(outputs), **counts,
        }  # fmt: skip
        bundle_write(place, {_ROWS: draft / "rows.jsonl"}, facts, staging)
    except CorpusError as error:
        raise EngineError(str(error)) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        shutil.rmtree(staging, ignore_errors=True)
    return bundle_open(place)


def _write_rows(source: Path, outputs: Path, place: Path) -> dict[str, int]:
    counts = {"lines": 0, OK: 0, BLANK: 0, FAILED: 0, "text_for_blank": 0}
    with place.open("w", encoding="utf-8", newline="\n") as file:
        for given, made in zip_longest(file_lines(source), file_lines(outputs)):
            if given is None or made is None:
                raise _uneven(source, outputs, counts["lines"])
            status = OK if made.strip() else FAILED
            if not given.strip():
                status = BLANK
                counts["text_for_blank"] += bool(made.strip())
            counts["lines"] += 1
            counts[status] += 1
            row = [given, made if status == OK else "", status]
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    if not counts["lines"]:
        raise EngineError(f"{source.name} has no lines.", "Give a text with lines in it.")
    return counts


def _uneven(source: Path, outputs: Path, n_common: int) -> EngineError:
    n_source, n_outputs = (sum(1 for _ in file_lines(path)) for path in (source, outputs))
    if n_outputs < n_source:
        where = f"Line {n_common + 1:,} of the source is the first without a translation"
    else:
        where = f"Line {n_common + 1:,} of the translations is the first without a source"
    return EngineError(
        f"{outputs.name} has {n_outputs:,} lines, {source.name} has {n_source:,}. {where}.",
        "Look for lines that were left out, doubled or broken: all after one stand beside a wrong source.",
    )


def _rows(bundle: Bundle) -> list[tuple[str, str, str]]:
    lines = bundle.path(_ROWS).read_text("utf-8").split("\n")[:-1]
    return [tuple(json.loads(line)) for line in lines]


def _line(text: str, status: str) -> Line:
    return Line(text, status)


def _the_one(bundles: Sequence[Bundle]) -> Bundle:
    if len(bundles) != 1:
        raise EngineError(
            f"Imported translations are of one system, not of {len(bundles)}.", "Name one of them."
        )
    facts = bundles[0].facts
    if facts.get("engine") != ImportEngine.name or facts.get("kind") != OUTPUTS:
        raise EngineError(
            f"{bundles[0].folder} is a {facts.get('kind')} of the engine {facts.get('engine')}: no "
            "translations made elsewhere.",
            "Take the engine that trained it.",
        )
    return bundles[0]
