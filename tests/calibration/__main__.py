"""Simulate everything and write the calibration table into docs/statistics.md."""

import argparse
import os
import re
import sys
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import scipy

from tests.calibration.scenarios import SCENARIOS, simulate
from tests.calibration.table import Results, text
from tests.paths import ROOT

TARGET = ROOT / "docs" / "statistics.md"
BLOCK = re.compile(r"<!-- calibration -->\n.*?<!-- end calibration -->", re.DOTALL)
COMMAND = "python -m tests.calibration"


def main(arguments: list[str], target: Path = TARGET) -> int:
    """Write the table between its marks."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="(default: one a processor)")
    chosen = parser.parse_args(arguments)
    page = target.read_text(encoding="utf-8")
    if not BLOCK.search(page):
        parser.error(f"{target.name} has no marks for the table")
    with ProcessPoolExecutor(max_workers=chosen.processes) as pool:
        results = dict(zip(SCENARIOS, pool.map(simulate, SCENARIOS), strict=True))
    block = written(results)
    # the page may have been edited in the meantime
    page = target.read_text(encoding="utf-8")
    target.write_text(BLOCK.sub(lambda _: block, page), encoding="utf-8")
    print(block)
    return 0


def written(results: Results) -> str:
    """Return the tables with their date and command, between the marks."""
    when = datetime.now(UTC).strftime("%Y-%m-%d")
    how = f"{when}, `{COMMAND}`, numpy {np.__version__}, scipy {scipy.__version__}."
    return f"<!-- calibration -->\n{text(results)}\n\n{how}\n<!-- end calibration -->"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
