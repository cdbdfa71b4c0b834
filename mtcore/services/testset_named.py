"""Take in a named test set of sacrebleu (wmt19 …): from its cache, else from the network into its cache."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalplatform.env import environment_with
from evalplatform.errors import BadInput, Conflict
from mtcore.corpora import named_child
from mtcore.corpora.languages import language_direction, parse_pair
from mtcore.services.line_labels import documents_read
from mtcore.services.testsets import TestSetDraft, testset_draft
from mtcore.services.texts import NamedText, as_bad_input, text_read

LOOK_SECONDS = 60
"""How long the cache is read: the larger XML files take a while."""
WEB_SECONDS, COMMAND_SECONDS = 20, 1800
"""How long a download may take while a page waits, and on the command line."""

CACHE = "SACREBLEU, else ~/.sacrebleu"
"""How messages call the folder; its path is the server's own business."""

FETCHING = ".fetching-"
"""How the folders begin into which test sets are fetched."""
STALE_SECONDS = 86_400
"""The age at which such a folder was left by a process that was killed."""


@dataclass(frozen=True)
class NamedSet:
    """A named test set and the language pairs that it has."""

    name: str
    description: str
    pairs: tuple[str, ...]


def named_sets() -> list[NamedSet]:
    """List sacrebleu's test sets, as it lists them; no network is needed."""
    from sacrebleu.dataset import DATASETS

    return [
        NamedSet(name, one.description or "", tuple(sorted(one.langpairs))) for name, one in DATASETS.items()
    ]


def named_draft(*, name: str, named: str, languages: str, seconds: float = WEB_SECONDS) -> TestSetDraft:
    """Get a named test set and check it, as it is to be imported; nothing is written to the database.

    The direction of each segment follows from the language that its document was written in, where sacrebleu
    knows it; its references become versions.

    Args:
        name: what the test set is to be called here.
        named: sacrebleu's name of it, as "wmt19".
        languages: the pair, as "en-de".
        seconds: how long a download may take.

    Raises:
        BadInput: there is no such set or pair, or what came is not usable.
        Conflict: it is not in sacrebleu's cache and could not be fetched; nothing of it is left.
    """
    with as_bad_input():
        source, target = parse_pair(languages)
    known = next((one for one in named_sets() if one.name == named), None)
    pair = f"{source}-{target}"
    if known is None:
        raise BadInput(f"sacrebleu has no test set “{named[:60]}”.", f"It has {', '.join(named_names())}.")
    if pair not in known.pairs:
        raise BadInput(f"{named} has no language pair “{pair}”.", f"It has {', '.join(known.pairs)}.")
    files = _files(named, pair, seconds)
    texts = {field: text_read(path) for field, path in files.items() if _is_wanted(field)}
    sources = [texts.pop("src")]
    origins, documents = texts.pop("origlang", None), texts.pop("docid", None)
    directions: str | NamedText = ""
    if origins:
        lines = tuple(language_direction(one.strip(), source, target) for one in origins.lines)
        directions = NamedText("", origins.file, lines)
    draft = testset_draft(
        name=name,
        languages=languages,
        sources=sources,
        references=[
            NamedText(_reference(field), text.file, text.lines, text.notices) for field, text in texts.items()
        ],
        direction=directions,
        documents=_documents(documents, sources[0]),
    )
    return draft


def named_names() -> list[str]:
    """Return the names of sacrebleu's test sets."""
    return [one.name for one in named_sets()]


def _is_wanted(field: str) -> bool:
    return field in ("src", "origlang", "docid") or field == "ref" or field.startswith("ref:")


def _reference(field: str) -> str:
    """Return the name of a reference: that of its translator, where there are several."""
    return f"ref{field.partition(':')[2]}" if ":" in field else ""


def _documents(documents: NamedText | None, source: NamedText) -> NamedText | None:
    """Return the documents of the lines; none where their ids cannot be used here."""
    try:
        documents_read(documents, source)
    except BadInput:
        return None
    return documents


def _files(named: str, pair: str, seconds: float) -> Mapping[str, str]:
    """Return field → file of a test set, from the cache or by fetching it into the cache."""
    told = _asked(named, pair, "--cached", seconds=LOOK_SECONDS)
    if told["state"] == named_child.MISSING:
        _fetch(named, pair, cache=Path(told["cache"]), seconds=seconds)
        told = _asked(named, pair, "--cached", seconds=LOOK_SECONDS)
    if told["state"] != named_child.CACHED:
        raise BadInput(
            f"What sacrebleu has of {named} in its cache ({CACHE}) cannot be read"
            f"{': ' + told['told'] if told.get('told') else ''}.",
            f"Remove the folder {named} there and try again, or upload the files.",
        )
    files: Mapping[str, str] = told["files"]
    return files


def _fetch(named: str, pair: str, *, cache: Path, seconds: float) -> None:
    """Have sacrebleu fetch a test set beside its cache, and put it there once it is whole."""
    upload = "Upload its files instead, a line a segment, or copy the cache of a machine that has it"
    try:
        cache.mkdir(parents=True, exist_ok=True)
        _sweep(cache)
        folder = tempfile.mkdtemp(prefix=FETCHING, dir=cache)
    except OSError as error:
        raise Conflict(
            f"{named} is not in sacrebleu's cache ({CACHE}), and nothing can be written there "
            f"({error.strerror}).",
            "Set SACREBLEU to a folder of this server, or upload the files.",
        ) from error
    try:
        told = _asked(named, pair, seconds=seconds, cache=folder)
        if told["state"] == named_child.CACHED:
            _put(Path(folder), cache)
            return
    except subprocess.TimeoutExpired:
        raise Conflict(
            f"{named} is not in sacrebleu's cache ({CACHE}), and fetching it took more than {seconds:g} "
            "seconds.",
            f"Have it fetched on the server (manage.py import_testset NAME --sacrebleu {named} --languages "
            f"{pair}), or upload its files.",
        ) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if told["state"] == named_child.UNREACHED:
        raise Conflict(
            f"{named} is not in sacrebleu's cache ({CACHE}), and this machine reached no network to fetch it "
            f"({told['told']}).",
            f"{upload}.",
        )
    why = told.get("told") or "what came is not what sacrebleu expects"
    raise Conflict(f"{named} could not be fetched: {why}.", f"{upload}.")


def _sweep(cache: Path) -> None:
    """Remove what a killed process left of a test set that it fetched."""
    for folder in cache.glob(f"{FETCHING}*"):
        if time.time() - folder.stat().st_mtime > STALE_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


def _put(folder: Path, cache: Path) -> None:
    """Move what was fetched into the cache, what lies deepest first; what is there already stays."""
    found = [path for path in folder.rglob("*") if path.is_file()]
    for path in sorted(found, key=lambda one: (-len(one.parts), one)):
        place = cache / path.relative_to(folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists() or not place.stat().st_size:
            path.replace(place)


def _asked(named: str, pair: str, *options: str, seconds: float, cache: str | None = None) -> dict[str, Any]:
    """Return what sacrebleu says of a test set.

    Raises:
        TimeoutExpired: it took longer than `seconds`, and was stopped.
    """
    done = subprocess.run(
        [sys.executable, "-P", named_child.__file__, named, pair, *options],
        env=environment_with(**({"SACREBLEU": cache} if cache else {})),
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    try:
        told: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        return {"state": named_child.UNUSABLE, "cache": cache or "", "told": last}
    return told
