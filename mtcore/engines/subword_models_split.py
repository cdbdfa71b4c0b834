"""Take words and punctuation apart before subwords are made, so that both come back together as they were.

`(Hello, world!)` becomes `(￭ Hello ￭, world ￭! ￭)`: a ￭ stands on the side where there was no blank. Without
this, `world`, `world!` and `world,` would be three words to the model. Case is kept. White space and control
characters are blanks, several of them one: that, and a literal ￭ or ▁ (which become ■ and _), is all that
is not undone.
"""

from __future__ import annotations

import re
import sys
import unicodedata

from mtcore.corpora.subwords import protect_specials, restore_specials

JOINER = "\uffed"
_CLEAN = str.maketrans({JOINER: "\u25a0", "\u2581": "_"})
_LAST_SPLIT = 0x1FFFF


def _ranges(wanted: str, last: int) -> str:
    """Write the characters of some categories (by first letter) as a class of a pattern."""
    found: list[list[int]] = []
    for code in range(min(last, sys.maxunicode) + 1):
        category = unicodedata.category(chr(code))
        if category[0] in wanted and chr(code) != JOINER:
            if found and found[-1][1] == code - 1:
                found[-1][1] = code
            else:
                found.append([code, code])
    return "".join(f"\\U{first:08x}-\\U{end:08x}" for first, end in found)


_SIGNS = _ranges("PS", _LAST_SPLIT)
_BEFORE_WORD = re.compile(f"(?<=[{_SIGNS}])(?=[^ {_SIGNS}])")
_BEFORE_SIGN = re.compile(f"(?<=[^ ])(?=[{_SIGNS}])")
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")


def clean_line(line: str) -> str:
    """Return a line as models see it: single blanks, no control characters, nothing that means more."""
    return protect_specials(_BLANKS.sub(" ", line).strip(" ").translate(_CLEAN))


def split_words(line: str) -> str:
    """Take words and signs of a line apart, after `clean_line`."""
    apart = _BEFORE_WORD.sub(f"{JOINER} ", clean_line(line))
    return _BEFORE_SIGN.sub(f" {JOINER}", apart)


def join_words(text: str) -> str:
    """Undo `split_words`; of a text that a model made, stray joiners vanish."""
    joined = text.replace(f" {JOINER}", "").replace(f"{JOINER} ", "").replace(JOINER, "")
    return restore_specials(joined)
