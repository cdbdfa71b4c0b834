"""The error of everything that has to do with engines."""

from __future__ import annotations


class EngineError(ValueError):
    """Something that cannot be done: what was found, and in `remedy` what to do about it."""

    def __init__(self, message: str, remedy: str = "") -> None:
        self.message = message
        self.remedy = remedy
        super().__init__(f"{message} {remedy}".strip())
