"""What is installed where: the interpreters and programs that engines and models run in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

MT_SIDE = Path(__file__).resolve().parent / "mt_side"
"""Small scripts that run under the training environment's interpreter and know nothing of the platform."""


@dataclass(frozen=True)
class Setup:
    """Where an engine finds what it needs.

    Attributes:
        mt_python: the interpreter of the training environment (`make mt`); it may be absent.
    """

    mt_python: Path

    @property
    def has_mt(self) -> bool:
        """Tell whether the training environment's interpreter is there."""
        return self.mt_python.is_file()

    def script(self, name: str) -> list[str]:
        """Return the beginning of a command that runs one of the scripts of the training environment."""
        return [str(self.mt_python), str(MT_SIDE / name)]
