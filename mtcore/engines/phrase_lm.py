"""Count n-grams for the language model of a phrase-based system, of a text of any size.

The first time a word is seen it counts as <unk>, so that unknown words have a probability. What does not fit
into memory is set aside in sorted files, which are merged at the end.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from math import exp, log
from pathlib import Path

HELD = 2_000_000
"""n-grams held in memory at a time; about 200 bytes each."""
BEGIN, END, UNKNOWN = "<s>", "</s>", "<unk>"
START_WEIGHTS = 0.5
Counted = tuple[tuple[str, ...], int]


def count_ngrams(
    sentences: Iterable[Sequence[str]], order: int, place: Path, scratch: Path, *, held: int = HELD
) -> int:
    """Write the counts of all n-grams up to an order: a line each, `words, count of all but the last, count`.

    Args:
        sentences: words; empty ones are left out.
        order: the longest n-gram.
        place: the file to write.
        scratch: a folder for what does not fit into memory.
        held: n-grams in memory before they are set aside.

    Returns:
        The number of running words, begin and end of sentences among them.
    """
    running = 0
    parts: list[Path] = []
    counts: dict[tuple[str, ...], int] = {}
    known: set[str] = set()
    for sentence in sentences:
        words = _with_unknown(sentence, known)
        if not words:
            continue
        running += len(words)
        for size in range(1, order + 1):
            for start in range(len(words) - size + 1):
                gram = tuple(words[start : start + size])
                counts[gram] = counts.get(gram, 0) + 1
        if len(counts) >= held:
            parts.append(_set_aside(counts, scratch / f"ngrams.{len(parts)}"))
            counts = {}
    _write(counts, parts, running, place)
    for part in parts:
        part.unlink()
    return running


def write_weights(lm: Path, order: int, weights: Sequence[float]) -> None:
    """Write the weights of the orders beside the counts, three for each: seen often, sometimes, hardly."""
    shown = " ".join(f"{weight:.6f}" for weight in weights)
    lm.with_name(f"{lm.name}.weights").write_text(f"{order} 3 10 {shown}\n", "utf-8")


def restrict(lm: Path, sentences: Iterable[Sequence[str]], order: int, place: Path) -> None:
    """Write those counts that the probability of these sentences depends on.

    The weight of an n-gram goes by how many words follow its context, so all that follows a context is kept.
    """
    known = set()
    with lm.open(encoding="utf-8") as given:
        for line in given:
            word, *others = line.split(" ")
            if len(others) > 2:
                break
            known.add(word)
    contexts: set[str] = set()
    for sentence in sentences:
        words = [BEGIN, *(word if word in known else UNKNOWN for word in sentence), END]
        for size in range(1, order):
            contexts.update(" ".join(words[at : at + size]) for at in range(len(words) - size + 1))
    with lm.open(encoding="utf-8") as given, place.open("w", encoding="utf-8", newline="\n") as kept:
        for line in given:
            gram = line.rsplit(" ", 2)[0]
            context, blank, _ = gram.rpartition(" ")
            if not blank or context in contexts:
                kept.write(line)


def tune_weights(
    perplexity: Callable[[Sequence[float]], float], order: int, *, rounds: int = 3
) -> tuple[list[float], float]:
    """Find the weights of the orders with the lowest perplexity, one after the other on an ever finer grid.

    Args:
        perplexity: of the text to tune on, under given weights.
        order: the longest n-gram.
        rounds: passes over all weights.

    Returns:
        The weights and their perplexity.
    """
    weights = [START_WEIGHTS] * (3 * order)
    best = perplexity(weights)
    step = 0.24
    for _ in range(rounds):
        for place in range(len(weights)):
            for change in (-step, step):
                while 0.01 <= weights[place] + change <= 0.99:
                    trial = [*weights[:place], weights[place] + change, *weights[place + 1 :]]
                    value = perplexity(trial)
                    if value >= best:
                        break
                    weights, best = trial, value
        step /= 2
    return weights, best


def perplexity_of(log10_probabilities: Iterable[float], n_words: int) -> float:
    """Return the perplexity of a text from the decimal log probabilities of its sentences.

    Args:
        log10_probabilities: one a sentence.
        n_words: words, the ends of sentences among them.
    """
    return exp(-sum(log10_probabilities) * log(10) / n_words)


def _with_unknown(sentence: Sequence[str], known: set[str]) -> list[str]:
    if not sentence:
        return []
    words = [BEGIN]
    for word in sentence:
        words.append(word if word in known else UNKNOWN)
        known.add(word)
    return [*words, END]


def _set_aside(counts: dict[tuple[str, ...], int], place: Path) -> Path:
    with place.open("w", encoding="utf-8", newline="\n") as file:
        for gram, count in _sorted(counts):
            file.write(f"{' '.join(gram)} {count}\n")
    return place


def _sorted(counts: dict[tuple[str, ...], int]) -> list[Counted]:
    """Sort by length, then by words: so each n-gram comes after all shorter ones."""
    return sorted(counts.items(), key=_key)


def _key(one: Counted) -> tuple[int, tuple[str, ...]]:
    return len(one[0]), one[0]


def _read(place: Path) -> Iterator[Counted]:
    with place.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            *words, count = line.rstrip("\n").split(" ")
            yield tuple(words), int(count)


def _merged(counts: dict[tuple[str, ...], int], parts: Sequence[Path]) -> Iterator[Counted]:
    """Give every n-gram once, in order, with the sum of its counts."""
    last: tuple[str, ...] = ()
    total = 0
    for gram, count in heapq.merge(*(_read(part) for part in parts), _sorted(counts), key=_key):
        if gram != last:
            if last:
                yield last, total
            last, total = gram, 0
        total += count
    if last:
        yield last, total


def _write(counts: dict[tuple[str, ...], int], parts: Sequence[Path], running: int, place: Path) -> None:
    """Write n-grams with the count of their beginning, found by walking the shorter ones beside them."""
    draft = place.with_name(f"{place.name}.draft")
    with ExitStack() as stack:
        file = stack.enter_context(draft.open("w", encoding="utf-8", newline="\n"))
        shorter = _merged(counts, parts)
        before: Counted = ((), running)
        for gram, count in _merged(counts, parts):
            while before[0] != gram[:-1]:
                before = next(shorter)
            file.write(f"{' '.join(gram)} {before[1]} {count}\n")
    draft.replace(place)
