"""Language models for tests: a tiny one by hand, and a plain estimator (interpolated Kneser–Ney)."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

DISCOUNT = 0.75

FIVE_WORDS = """
\\data\\
ngram 1=8
ngram 2=4

\\1-grams:
-99\t<s>\t-0.5
-1.0\t</s>
-2.0\t<unk>
-0.5\tthe\t-0.25
-1.0\tcat\t-0.125
-1.25\tdog
-0.75\tsat\t-0.0625
-1.5\tran

\\2-grams:
-0.25\t<s> the
-0.5\tthe cat
-0.625\tcat sat
-0.375\tsat </s>

\\end\\
"""
"""A model of five words whose probabilities can be added up by hand."""


def write_arpa(path: Path, lines: Sequence[str], order: int = 3) -> str:
    """Estimate a model of tokenised lines and write it as an ARPA file; return its path.

    Interpolated Kneser–Ney with one discount: the highest order counts n-grams, lower ones count in how many
    contexts they stand; unigrams are interpolated with equal shares for all words and the unknown one.
    """
    counts = _counts(lines, order)
    vocabulary = sorted({gram[-1] for gram in counts[0]} | {"<unk>"})
    probabilities: list[dict[tuple[str, ...], float]] = []
    weights: list[dict[tuple[str, ...], float]] = []
    for n, own in enumerate(counts):
        totals: Counter[tuple[str, ...]] = Counter()
        kinds: Counter[tuple[str, ...]] = Counter()
        for gram, count in own.items():
            totals[gram[:-1]] += count
            kinds[gram[:-1]] += 1
        left = {context: DISCOUNT * kinds[context] / totals[context] for context in totals}
        found = {}
        for gram in own if n else [(word,) for word in vocabulary]:
            lower = probabilities[n - 1][gram[1:]] if n else 1 / len(vocabulary)
            seen = max(own.get(gram, 0) - DISCOUNT, 0.0) / totals[gram[:-1]]
            found[gram] = seen + left[gram[:-1]] * lower
        probabilities.append(found)
        weights.append(left)
    probabilities[0][("<s>",)] = 1e-99
    Path(path).write_text(_arpa(probabilities, weights), encoding="utf-8")
    return str(path)


def _counts(lines: Sequence[str], order: int) -> list[dict[tuple[str, ...], int]]:
    highest: list[Counter[tuple[str, ...]]] = [Counter() for _ in range(order)]
    for line in lines:
        words = ["<s>", *line.split(), "</s>"]
        for n in range(1, order + 1):
            highest[n - 1].update(tuple(words[k : k + n]) for k in range(len(words) - n + 1))
    found: list[dict[tuple[str, ...], int]] = []
    for n in range(1, order + 1):
        if n == order:
            own = dict(highest[n - 1])
        else:
            before = defaultdict(set)
            for gram in highest[n]:
                before[gram[1:]].add(gram[0])
            # n-grams at the beginning have nothing before them: their counts stay
            own = {
                gram: count if gram[0] == "<s>" else len(before[gram])
                for gram, count in highest[n - 1].items()
            }
        found.append({gram: count for gram, count in own.items() if gram != ("<s>",) and count})
    return found


def _arpa(probabilities: Sequence[dict], weights: Sequence[dict]) -> str:
    parts = ["\\data\\", *(f"ngram {n}={len(own)}" for n, own in enumerate(probabilities, start=1))]
    for n, own in enumerate(probabilities, start=1):
        parts += ["", f"\\{n}-grams:"]
        for gram, probability in own.items():
            left = weights[n].get(gram) if n < len(weights) else None
            row = f"{math.log10(probability):.9f}\t{' '.join(gram)}"
            parts.append(row if left is None else f"{row}\t{math.log10(left):.9f}")
    return "\n".join([*parts, "", "\\end\\", ""])
