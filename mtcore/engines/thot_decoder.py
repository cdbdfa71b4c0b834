"""Tune and decode with a phrase-based system in Thot; runs in a process of its own."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from mtcore.engines.base import BLANK, OK, TOO_LONG
from mtcore.engines.errors import EngineError
from mtcore.engines.phrase_tokens import UNK, Words
from mtcore.engines.phrase_tuning import Lists, better_weights, bleu, bleu_stats
from mtcore.engines.rundir import atomic_file
from mtcore.engines.thot_stages import MAX_WORDS, Say, filter_table, words_of

START_WEIGHTS = (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0)
N_BEST = 100
_TUNE_SENTENCES = 500
_STACK = 10
_MAX_STATES, _MAX_OPTIONS, _PRUNING = 10, 2, 0.4
_LOCAL_TD = 6
_ENOUGH = 0.0005
_TYPES = {
    "fast-align": "FAST_ALIGN", "ibm1": "INCR_IBM1", "ibm2": "INCR_IBM2", "hmm": "INCR_HMM",
    "ibm3": "IBM3",
}  # fmt: skip


class Decoder:
    """A loaded system, with only those phrases that its sentences need."""

    def __init__(
        self,
        table: Path,
        scratch: Path,
        sentences: Iterable[Sequence[str]],
        alignment: str,
        weights: Sequence[float],
    ) -> None:
        """Load a system.

        Args:
            table: the phrase table, beside Thot's other files.
            scratch: an empty folder for the phrases that are needed.
            sentences: words of what is to be translated.
            alignment: the kind of word alignment.
            weights: of the eight features.
        """
        import thot.alignment as ta
        import thot.translation as tt

        for path in table.parent.iterdir():
            if path.name.startswith("tm") and path != table:
                (scratch / path.name).symlink_to(path.resolve())
        filter_table(table, iter(sentences), scratch / "tm.ttable")
        self._tt = tt
        self._model = tt.SmtModel(getattr(ta.AlignmentModelType, _TYPES[alignment]))
        loaded = self._model.load_translation_model(str(scratch / "tm"))
        if not (loaded and self._model.load_language_model(str(table.with_name("trg.lm")))):
            raise EngineError(f"Thot cannot load the system in {table.parent}.", "Train it again.")
        self._model.w, self._model.a, self._model.e = _PRUNING, _MAX_STATES, _MAX_OPTIONS
        self._model.heuristic = _LOCAL_TD
        self.use(weights)

    def use(self, weights: Sequence[float]) -> None:
        """Translate with other weights from now on."""
        self._model.weights = list(weights)
        self._decoder = self._tt.SmtDecoder(self._model)
        self._decoder.s = _STACK
        self._decoder.is_breadth_first = True

    def best(self, words: Sequence[str]) -> Any:
        """Return the best translation: `target` words, `score`, `target_unknown_words`."""
        return self._decoder.translate(" ".join(words))

    def several(self, words: Sequence[str]) -> Sequence[Any]:
        """Return the best translations with the values of their features (`score_components`)."""
        return self._decoder.translate_n(" ".join(words), N_BEST)


def tune(job: dict[str, Any], say: Say) -> dict[str, Any]:
    """Find the weights with the highest BLEU on the tuning text, round by round; goes on where it stopped.

    The weights that count are those whose own translations were best, not those that promised most.
    """
    state_path, rounds = Path(job["state"]), int(job["rounds"])
    history: list[dict[str, Any]] = json.loads(state_path.read_text("utf-8")) if state_path.exists() else []
    sources = list(islice(words_of(Path(job["valid_source"])), _TUNE_SENTENCES))
    references = list(islice(words_of(Path(job["valid_target"])), _TUNE_SENTENCES))
    lists = Lists(references)
    weights = history[-1]["next"] if history else list(START_WEIGHTS)
    decoder = Decoder(Path(job["table"]), _fresh(Path(job["scratch"])), sources, job["alignment"], weights)
    while len(history) <= rounds and not _settled(history):
        decoder.use(weights)
        total, new = np.zeros_like(bleu_stats([], [])), 0
        for number, words in enumerate(sources):
            found = decoder.several(words)
            if found:
                total += bleu_stats(list(found[0].target), references[number])
            new += sum(lists.add(number, list(one.target), list(one.score_components)) for one in found)
            if number % 50 == 0:
                say(
                    (len(history) + number / len(sources)) / (rounds + 1), f"tuning, round {len(history) + 1}"
                )
        value = float(bleu(total))
        generator = np.random.default_rng([int(job["seed"]), len(history)])
        promised = 0.0
        after = weights
        if new and len(history) < rounds:
            after, promised = better_weights(lists, weights, generator)
        history.append({"weights": weights, "bleu": value, "next": after, "promised": promised, "new": new})
        with atomic_file(state_path) as draft:
            draft.write_text(json.dumps(history), "utf-8")
        say(len(history) / (rounds + 1), f"tuning, round {len(history)}: BLEU {100 * value:.2f}")
        weights = after
    shutil.rmtree(Path(job["scratch"]), ignore_errors=True)
    best = max(history, key=lambda one: one["bleu"])
    return {
        "weights": best["weights"], "tuning_bleu": round(100 * best["bleu"], 2),
        "untuned_bleu": round(100 * history[0]["bleu"], 2), "tuning_rounds": len(history) - 1,
    }  # fmt: skip


def decode(job: dict[str, Any], say: Say) -> dict[str, Any]:
    """Translate a file of lines (JSON texts), adding to the output that is there already."""
    lines = [json.loads(line) for line in Path(job["input"]).read_text("utf-8").split("\n")[:-1]]
    source, target = Words(job["source_language"]), Words(job["target_language"])
    output = Path(job["output"])
    done = _whole_rows(output)
    rest = [source.cut(line) for line in lines[done:]]
    if not rest:
        return {}
    fitting = [words for words in rest if 0 < len(words) <= MAX_WORDS]
    say(done / len(lines), "loading the phrases that are needed")
    decoder = Decoder(
        Path(job["table"]), _fresh(Path(job["scratch"])), fitting, job["alignment"], job["weights"]
    )
    with output.open("a", encoding="utf-8", newline="\n") as file:
        for number, words in enumerate(rest, done + 1):
            file.write(json.dumps(_row(decoder, words, target, mask=bool(job["mask_unknown"]))) + "\n")
            if number % 50 == 0 or number == len(lines):
                file.flush()
                say(number / len(lines), f"{number:,} of {len(lines):,} lines translated")
    shutil.rmtree(Path(job["scratch"]))
    return {}


def _row(decoder: Decoder, words: Sequence[str], target: Words, *, mask: bool) -> dict[str, Any]:
    if not words:
        return {"text": "", "status": BLANK}
    if len(words) > MAX_WORDS:
        return {"text": "", "status": TOO_LONG}
    found = decoder.best(words)
    unknown = found.target_unknown_words
    written = [UNK if mask and place in unknown else word for place, word in enumerate(found.target)]
    return {
        "text": target.join(written), "status": OK, "score": found.score, "unknown": len(unknown),
        "words": len(written),
    }  # fmt: skip


def _settled(history: Sequence[dict[str, Any]]) -> bool:
    """Tell whether nothing new was found, or three rounds brought nothing."""
    if not history:
        return False
    if not history[-1]["new"] or history[-1]["next"] == history[-1]["weights"]:
        return True
    values = [one["bleu"] for one in history]
    return len(values) > 3 and max(values[-3:]) < max(values[:-3]) + _ENOUGH


def _whole_rows(path: Path) -> int:
    """Count the rows that an earlier attempt wrote whole, and cut off what it was writing when it ended."""
    if not path.exists():
        return 0
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    if whole < len(data):
        with path.open("rb+") as file:
            file.truncate(whole)
    return data.count(b"\n")


def _fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
