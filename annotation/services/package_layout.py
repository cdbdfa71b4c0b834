"""Where things are in the package of a study, and how its files are written: the same bytes every time."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import unicodedata
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

FORMAT = "evalplatform-study"
FORMAT_VERSION = 1
MANIFEST = "manifest.json"
STUDY = "study.json"
AUDIT = "audit.jsonl"
STANDARD = "standard.json"
"""Name of the file with the scores of the standard options."""

_OLDEST = (1980, 1, 1, 0, 0, 0)
_MODE = 0o644 << 16
_CHUNK = 1024 * 1024


def slugs(names: Iterable[str]) -> dict[str, str]:
    """Return a file name for each name: plain letters, digits, `-` and `_`, no two the same in any case."""
    found: dict[str, str] = {}
    used: set[str] = set()
    for name in names:
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
        base = re.sub(r"[^A-Za-z0-9_-]+", "-", plain).strip("-")[:60] or "x"
        slug, number = base, 1
        while slug.lower() in used:
            number += 1
            slug = f"{base}-{number}"
        used.add(slug.lower())
        found[name] = slug
    return found


def write_text(path: Path, text: str) -> None:
    """Write a text file with LF, making its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: Path, value: Any) -> None:
    """Write strict JSON."""
    write_text(path, json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1) + "\n")


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> int:
    """Write a CSV table with LF, missing values being empty; return how many rows below the header."""
    count = 0
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        for row in rows:
            count += 1
            writer.writerow(["" if cell is None else cell for cell in row])
    return count


def files_below(folder: Path) -> list[str]:
    """Return the paths of all files below a folder, with `/`, in order."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def file_entry(path: Path) -> dict[str, Any]:
    """Return SHA-256 and size of a file."""
    digest = hashlib.sha256()
    size = 0
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
    return {"sha256": digest.hexdigest(), "bytes": size}


def write_zip(folder: Path, target: Path) -> None:
    """Pack a folder; same files, same bytes: fixed order, times and rights."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as package:
        for name in files_below(folder):
            info = zipfile.ZipInfo(name, _OLDEST)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3
            info.external_attr = _MODE
            info.file_size = (folder / name).stat().st_size
            with (folder / name).open("rb") as source, package.open(info, "w") as packed:
                while chunk := source.read(_CHUNK):
                    packed.write(chunk)
