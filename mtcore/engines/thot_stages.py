"""The stages of a phrase-based system in Thot, from words to weights; runs in a process of its own.

Thot's files keep its own names: `tm.*` the phrases, `tm_swm.*` and `tm_invswm.*` the two word alignments,
`trg.lm*` the language model. A stage writes all of its files anew, so that one that was interrupted is simply
done again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

from mtcore.engines.errors import EngineError
from mtcore.engines.phrase_lm import count_ngrams, perplexity_of, restrict, tune_weights, write_weights
from mtcore.engines.phrase_tokens import Words
from mtcore.engines.rundir import atomic_file
from mtcore.engines.subword_models import file_lines

MAX_WORDS = 200
"""What Thot's alignments take."""
MAX_PHRASE = 7
_PER_PHRASE = 20
"""Translations kept of each phrase."""
_LM_TUNE = 500
_LENGTH_MODELS = {
    "lambda": "0.7 0.7",
    "srcsegmlentable": "Uniform",
    "trgcutstable": "0.999",
    "trgsegmlentable": "Geometric",
}
_BATCH = 1000
Say = Callable[[float, str], None]


def cut(job: dict[str, Any], say: Say) -> dict[str, int]:
    """Cut two files into words, side by side; return how many pairs were kept and left out, and why.

    Raises:
        EngineError: they have different numbers of lines, or nothing is left.
    """
    languages = (Words(job["source_language"]), Words(job["target_language"]))
    inputs = [Path(job["source"]), Path(job["target"])]
    counts = {"pairs": 0, "blank": 0, "too_long": 0}
    with atomic_file(Path(job["to_source"])) as first, atomic_file(Path(job["to_target"])) as second:
        with first.open("w", encoding="utf-8") as ours, second.open("w", encoding="utf-8") as theirs:
            for number, lines in enumerate(zip_longest(*map(file_lines, inputs))):
                if None in lines:
                    raise EngineError(_uneven(inputs), "Align the two sides.")
                words = [side.cut(line) for side, line in zip(languages, lines, strict=True)]
                if not all(words):
                    counts["blank"] += 1
                elif max(map(len, words)) > MAX_WORDS:
                    counts["too_long"] += 1
                else:
                    counts["pairs"] += 1
                    for file, row in zip((ours, theirs), words, strict=True):
                        file.write(" ".join(row) + "\n")
                if number % 10_000 == 9_999:
                    say(0.0, f"{number + 1:,} pairs cut into words")
        if not counts["pairs"]:
            raise EngineError(f"{inputs[0].name} and {inputs[1].name} have no pair with words on both sides.")
    return counts


def align(job: dict[str, Any], say: Say) -> dict[str, Any]:
    """Train a word alignment and write, beside the model, the best alignment of each pair."""
    source, target, prefix = Path(job["source"]), Path(job["target"]), Path(job["prefix"])
    chain = _alignment_chain(job["alignment"])
    model = chain[-1][0]
    model.read_sentence_pairs(str(source), str(target))
    rounds = sum(count for _, count in chain)
    done = 0
    for one, count in chain:
        one.start_training()
        for _ in range(count):
            one.train()
            done += 1
            say(0.8 * done / rounds, f"round {done} of {rounds} of the word alignment")
        one.end_training()
    if not model.print(str(prefix)):
        raise EngineError(f"Thot could not write {prefix}.*.", "Look at the disk's free space.")
    best = prefix.with_name(f"{prefix.name}.bestal")
    pairs = zip(words_of(source), words_of(target), strict=True)
    with best.open("w", encoding="utf-8", newline="\n") as file:
        while batch := list(islice(pairs, _BATCH)):
            sides: list[list[list[str]]] = [[row[side] for row in batch] for side in (0, 1)]
            for (ours, theirs), (_, matrix) in zip(batch, model.get_best_alignments(*sides), strict=True):
                file.write(_giza(ours, theirs, matrix.to_numpy()))
    return {}


def extract(job: dict[str, Any], say: Say) -> dict[str, Any]:
    """Join the two alignments, and collect the phrases that fit them with their counts."""
    import thot.translation as tt

    folder = Path(job["folder"])
    joined = folder / "tm.A3.final"
    extractor = tt.AlignmentExtractor()
    if not extractor.open(str(folder / "tm_swm.bestal")):
        raise EngineError("The word alignments cannot be read.", "Train it again from the start.")
    extractor.symmetrize1(str(folder / "tm_invswm.bestal"), str(joined), transpose=True)
    extractor.close()
    say(0.1, "collecting phrases")
    phrases = tt.PhraseModel()
    parameters = tt.PhraseExtractParameters()
    parameters.max_target_phrase_length = MAX_PHRASE
    phrases.build(str(joined), parameters, pseudo_ml=False)
    phrases.print_phrase_table(str(folder / "tm.ttable"), n=_PER_PHRASE)
    phrases.clear()
    for name, text in _LENGTH_MODELS.items():
        (folder / f"tm.{name}").write_text(text, "utf-8")
    with (folder / "tm.ttable").open("rb") as table:
        entries = sum(1 for _ in table)
    if not entries:
        raise EngineError("No phrases were found.", "Give more text, or text that is aligned.")
    return {"phrases": entries}


def language_model(job: dict[str, Any], say: Say) -> dict[str, Any]:
    """Count n-grams of the target side; weight their orders for the lowest perplexity of the tuning text."""
    import thot.common as tc

    folder, order = Path(job["folder"]), int(job["order"])
    lm, part = folder / "trg.lm", folder / "part.lm"
    count_ngrams(words_of(Path(job["target"])), order, lm, folder)
    (folder / "trg.lm.wp").write_text("", "utf-8")
    say(0.5, "weighting the orders of the language model")
    sentences = list(islice(words_of(Path(job["valid_target"])), _LM_TUNE))
    restrict(lm, sentences, order, part)
    n_words = sum(len(words) + 1 for words in sentences)

    def perplexity(weights: Sequence[float]) -> float:
        write_weights(part, order, weights)
        model = tc.NGramLanguageModel()
        if not model.load(str(part)):
            raise EngineError("Thot cannot read the language model.", "Look at the log.")
        value = perplexity_of((model.get_sentence_log_probability(words) for words in sentences), n_words)
        model.clear()
        return value

    weights, reached = tune_weights(perplexity, order)
    write_weights(lm, order, weights)
    for path in folder.glob("part.lm*"):
        path.unlink()
    return {"lm_perplexity": round(reached, 3)}


def filter_table(table: Path, sentences: Iterator[Sequence[str]], place: Path) -> int:
    """Keep the phrases that occur in sentences of the source; return how many entries are left."""
    wanted = {
        " ".join(words[start : start + size])
        for words in sentences
        for size in range(1, 2 * MAX_PHRASE + 1)
        for start in range(len(words) - size + 1)
    }
    kept = 0
    with table.open(encoding="utf-8") as given, place.open("w", encoding="utf-8", newline="\n") as file:
        for line in given:
            if line.split(" ||| ", 2)[1] in wanted:
                file.write(line)
                kept += 1
    return kept


def words_of(path: Path) -> Iterator[list[str]]:
    """Give the words of a file of words."""
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            yield line.rstrip("\n").split(" ")


def finish(place: Path, facts: dict[str, Any]) -> None:
    """Say that a stage is done, and what it found."""
    with atomic_file(place) as draft:
        draft.write_text(json.dumps(facts), "utf-8")


def _alignment_chain(name: str) -> list[tuple[Any, int]]:
    """Return the models that lead to a word alignment, each with its rounds; sil-machine's figures.

    (IBM 4 can be trained, but Thot does not decode with it.)
    """
    import thot.alignment as ta

    if name == "fast-align":
        fast = ta.FastAlignModel()
        fast.variational_bayes = True
        return [(fast, 4)]
    first = ta.Ibm1AlignmentModel()
    chain: list[tuple[Any, int]] = [(first, 5)]
    if name == "ibm2":
        chain.append((ta.Ibm2AlignmentModel(first), 5))
    elif name != "ibm1":
        hmm = ta.HmmAlignmentModel(first)
        hmm.hmm_p0, hmm.lexical_smoothing_factor, hmm.hmm_alignment_smoothing_factor = 0.1, 0.1, 0.3
        chain.append((hmm, 5))
        if name == "ibm3":
            chain.append((ta.Ibm3AlignmentModel(hmm), 4))
    return chain


def _giza(source: Sequence[str], target: Sequence[str], matrix: Any) -> str:
    """Write an alignment [source words, target words] as GIZA++ does."""
    rows = [("NULL", [place for place in range(len(target)) if not matrix[:, place].any()])]
    for word, line in zip(source, matrix, strict=True):
        rows.append((word, [place for place in range(len(target)) if line[place]]))
    shown = " ".join(f"{word} ({{ {''.join(f'{place + 1} ' for place in places)}}})" for word, places in rows)
    return f"# 1\n{' '.join(target)}\n{shown}\n"


def _uneven(paths: Sequence[Path]) -> str:
    counts = [sum(1 for _ in file_lines(path)) for path in paths]
    shown = " and ".join(f"{path.name} has {count:,}" for path, count in zip(paths, counts, strict=True))
    return f"The sides of the text do not have the same number of lines: {shown}."
