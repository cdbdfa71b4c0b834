"""Read strict JSON: no NaN, no number beyond all numbers, no half characters."""

import json
import re
from math import isinf
from typing import Any

_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class JsonError(ValueError):
    """A text that is not strict JSON; `remedy` says what to do."""

    def __init__(self, message: str, remedy: str) -> None:
        self.remedy = remedy
        super().__init__(message)


def read_json(line: str, unique: bool = False) -> Any:
    """Read one JSON value.

    Args:
        line: The text.
        unique: Refuse an object that has a key twice.

    Raises:
        JsonError: it is not JSON, or holds NaN, Infinity or a number as large as that, half of a character (a
            lone surrogate), or a key twice.
    """
    try:
        pairs = _unique if unique else None
        value = json.loads(
            line, parse_constant=_refuse_constant, parse_float=_finite, object_pairs_hook=pairs
        )
        if _ESCAPED_SURROGATE.search(line):
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise JsonError(
            "holds half of a character (a lone surrogate)", "Repair the text, or write U+FFFD."
        ) from error
    except JsonError:
        raise
    except (ValueError, RecursionError) as error:
        raise JsonError(f"is not JSON ({error})", "Write one JSON object a line.") from error
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise JsonError(
                f"holds an object in which the key “{key[:40]}” stands twice", "Keep one of them."
            )
        found[key] = value
    return found


def _finite(text: str) -> float:
    value = float(text)
    if isinf(value):
        raise JsonError(f"holds the number {text[:40]}, which is too large", "Correct the number.")
    return value


def _refuse_constant(text: str) -> Any:
    raise ValueError(f"{text} is not a JSON number")
