"""A trained engine is one bundle: checkpoint, dictionaries and subwords, held together by checksums.

A dictionary of the right size in another order loads without complaint and translates into rubbish. So every
file of a bundle is held against its checksum before the first sentence.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mtcore.engines.errors import EngineError
from mtcore.engines.rundir import MANIFEST, file_sha256, publish

CARD = "bundle.json"
DICTIONARY = "dictionary"
"""Roles of dictionaries begin so: "dictionary.en"."""


class BundleError(EngineError):
    """A bundle that is not whole, or a file that does not belong to it; `remedy` says what to do."""


@dataclass(frozen=True)
class Bundle:
    """What is needed to translate: files by role ("checkpoint", "dictionary.en", "subwords" …) and facts."""

    folder: Path
    files: Mapping[str, str]
    facts: Mapping[str, Any]

    def path(self, role: str) -> Path:
        """Return the file of a role.

        Raises:
            BundleError: the bundle has none.
        """
        if role not in self.files:
            raise BundleError(f"The bundle {self.folder} has no {role}.", f"It has {', '.join(self.files)}.")
        return self.folder / self.files[role]


def bundle_write(place: Path, files: Mapping[str, Path], facts: Mapping[str, Any], staging: Path) -> Bundle:
    """Copy the files of an engine into a bundle, which appears whole under its name.

    Args:
        place: where it is to be; nothing may be there.
        files: role → file.
        facts: languages, recipe, seed, versions …: whatever JSON can hold.
        staging: an empty folder on the same disk.
    """
    names = {}
    for role, path in files.items():
        names[role] = f"{role}{path.suffix}" if path.suffix and not role.endswith(path.suffix) else role
        shutil.copyfile(path, staging / names[role])
    (staging / CARD).write_text(json.dumps({"files": names, "facts": dict(facts)}, indent=1), "utf-8")
    publish(staging, place)
    return Bundle(place, names, dict(facts))


def bundle_open(place: Path) -> Bundle:
    """Open a bundle after holding every file in it against its checksum.

    Raises:
        BundleError: it is not whole, or a file in it is not the one the engine was trained with.
    """
    try:
        sums: dict[str, str] = json.loads((place / MANIFEST).read_text("utf-8"))
        card = json.loads((place / CARD).read_text("utf-8"))
        bundle = Bundle(place, {str(role): str(name) for role, name in card["files"].items()}, card["facts"])
        if not isinstance(sums, dict) or not isinstance(bundle.facts, dict):
            raise TypeError("it is written otherwise")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BundleError(
            f"{place} is no whole bundle of an engine.", "Train it again, or restore it."
        ) from error
    for role, name in {**bundle.files, "card": CARD}.items():
        path = place / name
        if name not in sums or path.name != name:
            raise BundleError(
                f"The {role} of the engine is no file of its bundle ({path}).", "Restore it from the backup."
            )
        if not path.is_file():
            raise BundleError(f"The {role} of the engine is missing ({path}).", "Restore it from the backup.")
        if file_sha256(path) != sums.get(name):
            raise BundleError(
                f"The {role} ({path}) is not the one the engine was trained with: its SHA-256 differs.",
                "Restore it from the backup, or train the engine again.",
            )
    return bundle


def bundle_accepts(bundle: Bundle, role: str, path: Path) -> None:
    """Refuse a file that is to be used in the place of one in the bundle and is not the same.

    Raises:
        BundleError: it is another file; of a dictionary the message says how many entries are elsewhere.
    """
    own = bundle.path(role)
    if file_sha256(own) == file_sha256(path):
        return
    detail = ""
    if role.startswith(DICTIONARY):
        moved, entries = dictionary_moves(own, path)
        detail = f": {moved:,} of {entries:,} entries are not where they were"
    raise BundleError(
        f"{path} is not the {role} the engine was trained with{detail}.", f"Use the one in {bundle.folder}."
    )


def dictionary_moves(first: Path, second: Path) -> tuple[int, int]:
    """Count the entries of the first dictionary that the second has not at the same place, and all of them.

    A dictionary has an entry a line: a token, a blank, its count.
    """
    ours, others = (_tokens(path) for path in (first, second))
    same = sum(one == other for one, other in zip(ours, others, strict=False))
    return max(len(ours), len(others)) - same, len(ours)


def _tokens(path: Path) -> list[str]:
    lines = path.read_text("utf-8").split("\n")
    return [line.rpartition(" ")[0] for line in lines if line]
