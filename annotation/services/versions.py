"""Versions of the code and of the libraries that numbers depend on, for signatures."""

import tomllib
from functools import cache
from importlib.metadata import version

from evalplatform.env import BASE_DIR


@cache
def versions_read() -> dict[str, str]:
    """Return name → version of the platform, numpy and scipy."""
    project = tomllib.loads((BASE_DIR / "pyproject.toml").read_text("utf-8"))["project"]
    return {"version": str(project["version"]), "numpy": version("numpy"), "scipy": version("scipy")}
