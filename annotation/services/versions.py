"""Versions of the code and of the libraries that numbers depend on, for signatures."""

import tomllib
from functools import cache
from importlib.metadata import version

from evalplatform.env import BASE_DIR

ANALYSIS = 3
"""Counts up when the same ratings give other numbers or other notes, so that stored ones are made anew."""


@cache
def versions_read() -> dict[str, str]:
    """Return name → version of the platform (with that of its analysis, as "1.0+2"), numpy and scipy."""
    project = tomllib.loads((BASE_DIR / "pyproject.toml").read_text("utf-8"))["project"]
    own = f"{project['version']}+{ANALYSIS}"
    return {"version": own, "numpy": version("numpy"), "scipy": version("scipy")}
