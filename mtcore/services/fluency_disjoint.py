"""Is a language model's text disjoint from what was translated back for a system (Edunov et al. 2020, §5)?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalplatform.errors import BadInput, UserError
from evalplatform.words import counted, quoted
from mtcore.corpora.languages import standard_tag
from mtcore.corpora.stream import stream_blocks
from mtcore.metrics.overlap import Overlap, line_overlap
from mtcore.models import Corpus
from mtcore.services.corpora import corpus_files, corpus_find
from mtcore.services.fluency_models import model_run
from mtcore.services.lm_texts import TRAIN
from mtcore.services.run_context import run_directory
from mtcore.services.systems import system_card
from mtcore.services.texts import as_bad_input

BLOCK_BYTES = 1 << 22
BACK_TRANSLATION = "back-translation"
CRITICAL = "the model favours what that text made fluent"


@dataclass(frozen=True)
class Disjoint:
    """What is known of a model's text and the back-translation text of some systems.

    Attributes:
        systems: whose back-translation text it is; empty for files that were named.
        lm_text, bt_text: names of corpora or files; empty where they are not known.
        overlap: None when it could not be looked at; `reason` says why.
    """

    systems: tuple[str, ...]
    lm_text: tuple[str, ...]
    bt_text: tuple[str, ...]
    overlap: Overlap | None
    reason: str = ""

    @property
    def shared(self) -> int:
        """Return how many lines of the model's text were translated back; 0 where that is not known."""
        return self.overlap.shared if self.overlap else 0

    @property
    def sentence(self) -> str:
        """Say what was found."""
        if self.overlap is None:
            return self.reason
        of = f" of {quoted(self.systems)}" if self.systems else ""
        what = f"the language model’s text ({', '.join(self.lm_text)})"
        if not self.overlap.shared:
            lines = counted(self.overlap.lines, "line")
            return (
                f"None of {lines} of {what} is in the back-translation text{of} ({', '.join(self.bt_text)})."
            )
        return (
            f"{counted(self.overlap.shared, 'line')} of {self.overlap.lines:,} ({self.overlap.share:.1%}) of "
            f"{what} also in the back-translation text{of} ({', '.join(self.bt_text)}): {CRITICAL}. Train "
            "it on other text."
        )

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON shows of it."""
        found: dict[str, Any] = {
            "systems": list(self.systems), "lm_text": list(self.lm_text), "bt_text": list(self.bt_text),
        }  # fmt: skip
        if self.overlap:
            found |= {"lines": self.overlap.lines, "shared": self.overlap.shared, "share": self.overlap.share}
        return found | ({"reason": self.reason} if self.reason else {})


def disjointness(
    *, lm: str, systems: Sequence[str], lm_text: str = "", bt_texts: Sequence[str] = ()
) -> tuple[Disjoint, ...]:
    """Look whether a model's text and back-translation text share lines, as far as both are known.

    Text of models and systems that were trained here is found by itself; files that are named count for all
    systems.

    Args:
        lm: the model, as people name it.
        systems: whose outputs it is to score.
        lm_text: a file with what the model learned from, where it was not trained here.
        bt_texts: files with what was translated back, where systems were not trained here.

    Raises:
        BadInput: a file that is not there or cannot be read.
    """
    for path in (lm_text, *bt_texts):
        if path and not Path(path).is_file():
            raise BadInput(f"There is no file {path}.", "Check the path.")
    found: list[Disjoint] = []
    run = model_run(lm)
    if run is not None and run.options.get("system") in systems:
        found.append(_unknown(
            f"The language model learned from the outputs of “{run.options['system']}”, one of the systems "
            "it scores: it favours them. Take one that learned from text people wrote.",
            (run.options["system"],),
        ))  # fmt: skip
    own_names, own = _model_text(lm_text, run)
    if not own:
        why = (
            "The text that the language model learned from is gone, so that whether it"
            if run is not None
            else "Whether the language model’s text"
        )
        remedy = "" if run is not None else ", or a model trained here"
        return (*found, _unknown(
            f"{why} is disjoint from back-translation text is not known, and it must be, else {CRITICAL}: "
            f"give --lm-text FILE --bt-text FILE …{remedy}.",
        ))  # fmt: skip
    if bt_texts:
        names = tuple(Path(path).name for path in bt_texts)
        return (*found, Disjoint((), own_names, names, _overlap(own, [Path(path) for path in bt_texts])))
    return (*found, *_of_systems(own_names, own, systems))


def _of_systems(
    own_names: tuple[str, ...], own: Sequence[Path], systems: Sequence[str]
) -> Iterator[Disjoint]:
    """Look at what was translated back for each system; systems with the same text are looked at together."""
    groups: dict[tuple[str, ...], list[str]] = {}
    foreign: list[str] = []
    for system in systems:
        if not system_card(system)["trained"]:
            foreign.append(system)
        elif names := tuple(sorted(corpus.name for corpus in back_translations(system))):
            groups.setdefault(names, []).append(system)
    for names, together in groups.items():
        try:
            corpora = [corpus_find(name) for name in names]
            paths = [path for one in corpora for path in _side(one, one.target_language)]
        except UserError as error:
            yield _unknown(f"Back-translation text cannot be compared: {error}", tuple(together))
            continue
        yield Disjoint(tuple(together), own_names, names, _overlap(own, paths))
    if foreign:
        yield _unknown(
            f"What was translated back for {quoted(foreign)}, if anything, is not known here; the language "
            "model’s text must not be among it: check with --bt-text FILE ….",
            tuple(foreign),
        )


def back_translations(system: str) -> list[Corpus]:
    """Return the back-translated corpora that a system trained here has learned from."""
    todo = [one for row in system_card(system)["corpora"] for one in Corpus.objects.filter(name=row["name"])]
    seen: dict[int, Corpus] = {}
    while todo:
        one = todo.pop()
        if one.pk not in seen:
            seen[one.pk] = one
            todo += one.derived_from.all()
    return [one for one in seen.values() if one.report.get("made_by") == BACK_TRANSLATION]


def _model_text(lm_text: str, run: Any) -> tuple[tuple[str, ...], list[Path]]:
    """Return names and files of what a model learned from; nothing where that is not known (any more).

    What a model trained here learned from is kept beside it: taken where that was translated by a system, or
    its corpora are gone.
    """
    if lm_text:
        return (Path(lm_text).name,), [Path(lm_text)]
    if run is None:
        return (), []
    told = (run.result or {}).get("texts", {}).get("sources", [])
    named = run.options.get("corpora") or []
    names = tuple(named or [one["name"] for one in told])
    try:
        paths = [path for name in named for path in _side(corpus_find(name), run.options["language"])]
    except UserError:
        paths = []
    kept = run_directory(run.pk).work / "texts" / TRAIN
    return (names, paths) if paths else (names, [kept]) if kept.is_file() else ((), [])


def _side(corpus: Corpus, language: str) -> list[Path]:
    """Return the file of a corpus in a language."""
    files = corpus_files(corpus)
    return [path for tag, path in files.items() if standard_tag(tag) == standard_tag(language)]


def _overlap(own: Sequence[Path], others: Sequence[Path]) -> Overlap:
    with as_bad_input():
        return line_overlap(_blocks(own), _blocks(others))


def _blocks(paths: Sequence[Path]) -> Iterator[bytes]:
    for path in paths:
        yield from stream_blocks(path, BLOCK_BYTES)


def _unknown(reason: str, systems: tuple[str, ...] = ()) -> Disjoint:
    return Disjoint(systems, (), (), None, reason)
