"""What a reader of scores must know of the texts behind them: empty lines, decomposed letters, entities."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import combinations

from mtcore.metrics.base import MetricError

SHOWN = 5
_ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{1,7}|#x[0-9a-fA-F]{1,6});")
_UNSPACED = {
    "zh": re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]"),
    "ja": re.compile(r"[\u3040-\u30ff]"),
    "ko": re.compile(r"[\uac00-\ud7af\u1100-\u11ff]"),
}
SCRIPT_PART = 0.1
"""From this part of the characters on a text is taken to be written in a script."""


def check_script(references: Sequence[Sequence[str]], language: str) -> None:
    """Refuse to score a text in Chinese, Japanese or Korean script whose language is not told.

    Raises:
        MetricError: words would be cut as in English, and the score would be near 0.
    """
    if language:
        return
    text = "".join("".join(lines) for lines in references)[:100_000]
    found = {tag: len(pattern.findall(text)) for tag, pattern in _UNSPACED.items()}
    if sum(found.values()) <= SCRIPT_PART * len(text):
        return
    guess = "ja" if found["ja"] > SCRIPT_PART * len(text) else max(found, key=lambda tag: found[tag])
    raise MetricError(
        f"the reference is not written in letters that stand between spaces as in English: "
        f"name its language, perhaps with --language {guess}"
    )


def text_notices(outputs: Mapping[str, Sequence[str]], references: Mapping[str, Sequence[str]]) -> list[str]:
    """Return sentences on outputs and references that make scores mean less than they seem to.

    Args:
        outputs: name → lines.
        references: name → lines.
    """
    found: list[str] = []
    for name, lines in references.items():
        found += _empty(name, lines, "reference lines", "; they are scored as they are")
    for name, lines in outputs.items():
        found += _empty(name, lines, "segments", "")
        found += _entities(name, lines)
    found += _forms(outputs, references)
    found += _same(outputs, references)
    return found


def to_nfc(lines: Sequence[str]) -> list[str]:
    """Return lines whose letters are composed (NFC)."""
    return [unicodedata.normalize("NFC", line) for line in lines]


def _empty(name: str, lines: Sequence[str], what: str, then: str) -> list[str]:
    empty = sum(1 for line in lines if not line.strip())
    return [f"{name}: {empty:,} of {len(lines):,} empty {what}{then}."] if empty else []


def _entities(name: str, lines: Sequence[str]) -> list[str]:
    marks: dict[str, None] = {}
    count = 0
    for line in lines:
        here = _ENTITY.findall(line)
        count += bool(here)
        marks |= dict.fromkeys(here)
    if not count:
        return []
    return [
        f"{name}: {_lines(count)} contains {' / '.join(list(marks)[:SHOWN])} as raters would see it; BLEU "
        "turns some of these into their characters, other metrics do not."
    ]


def _forms(outputs: Mapping[str, Sequence[str]], references: Mapping[str, Sequence[str]]) -> list[str]:
    """Say whose letters are decomposed; it matters where the other side's are not."""
    found = []
    for name, lines in [*outputs.items(), *references.items()]:
        count = sum(1 for line in lines if not unicodedata.is_normalized("NFC", line))
        if count:
            found.append(
                f"{name}: {_lines(count)} in another Unicode form than NFC (such as NFD, letter and accent "
                "apart): text that looks the same may count as different. Scores are of the texts as they "
                "are; --nfc composes both sides before scoring."
            )
    return found


def _same(outputs: Mapping[str, Sequence[str]], references: Mapping[str, Sequence[str]]) -> list[str]:
    texts = {name: tuple(lines) for name, lines in outputs.items()}
    found = [
        f"{name} is identical to the reference {reference}."
        for reference, lines in references.items()
        for name, text in texts.items()
        if text == tuple(lines)
    ]
    return found + [
        f"{a} and {b} are the same text." for a, b in combinations(texts, 2) if texts[a] == texts[b]
    ]


def _lines(count: int) -> str:
    return f"{count:,} line{'' if count == 1 else 's'}"
