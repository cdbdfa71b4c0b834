"""Read strict JSON: no NaN, no half characters."""

import json
import re
from typing import Any

_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class JsonError(ValueError):
    """A text that is not strict JSON; `remedy` says what to do."""

    def __init__(self, message: str, remedy: str) -> None:
        self.remedy = remedy
        super().__init__(message)


def read_json(line: str) -> Any:
    """Read one JSON value.

    Raises:
        JsonError: it is not JSON, holds NaN or Infinity, or half of a character (a lone surrogate).
    """
    try:
        value = json.loads(line, parse_constant=_refuse_constant)
        if _ESCAPED_SURROGATE.search(line):
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise JsonError(
            "holds half of a character (a lone surrogate)", "Repair the text, or write U+FFFD."
        ) from error
    except (ValueError, RecursionError) as error:
        raise JsonError(f"is not JSON ({error})", "Write one JSON object a line.") from error
    return value


def _refuse_constant(text: str) -> Any:
    raise ValueError(f"{text} is not a JSON number")
