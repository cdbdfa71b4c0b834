"""Run all benchmarks, or those named, and write their sections of docs/benchmarks.md."""

import argparse
import platform
import re
import sys
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

import numpy as np

from tests.bench.timing import Section
from tests.paths import ROOT

SECTIONS = {
    "resampling": "tests.bench.resampling",
    "metric_bootstrap": "tests.bench.metric_bootstrap",
    "metric_rescoring": "tests.bench.metric_rescoring",
    "database": "tests.bench.database",
    "diversity": "tests.bench.diversity",
    "submit": "tests.bench.submit",
    "systems": "tests.bench.systems",
    "systems_decoding": "tests.bench.systems_decoding",
}
"""Name → module with `measure() -> Section`, in the order of the file."""

LONG = {"real_text": "tests.bench.real_text"}
"""Those that are measured only where they are named: they take about an hour."""

TARGET = ROOT / "docs" / "benchmarks.md"
INTRODUCTION = (
    "# Benchmarks\n\n"
    "Written by `make bench` (`python -m tests.bench [section …]` measures some sections anew). Each table\n"
    "holds what was measured side by side in one run: ratios matter, the seconds are those of one machine.\n"
)
BLOCK = re.compile(r"<!-- section (\w+) -->\n.*?<!-- end \1 -->\n", re.DOTALL)


def main(arguments: list[str], target: Path = TARGET) -> int:
    """Measure the named sections (all when none is named); return 1 when one misses what it promises."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join([*SECTIONS, *LONG]))
    chosen = parser.parse_args(arguments).sections or list(SECTIONS)
    modules = SECTIONS | LONG
    unknown = [name for name in chosen if name not in modules]
    if unknown:
        parser.error(f"no section {unknown[0]}; there are {', '.join(modules)}")
    blocks = known_blocks(target)
    missed = []
    for name in chosen:
        section = import_module(modules[name]).measure()
        blocks[name] = written(name, section)
        print(blocks[name])
        missed += section.missed
    order = [*modules, *(name for name in blocks if name not in modules)]  # what was written by hand stays
    body = "\n".join(blocks[name] for name in order if name in blocks)
    target.write_text(f"{INTRODUCTION}\n{body}", encoding="utf-8")
    for promise in missed:
        print(f"missed: {promise}", file=sys.stderr)
    return 1 if missed else 0


def known_blocks(target: Path) -> dict[str, str]:
    """Return the sections that the file has already."""
    if not target.exists():
        return {}
    return {match[1]: match[0] for match in BLOCK.finditer(target.read_text(encoding="utf-8"))}


def written(name: str, section: Section) -> str:
    """Return a section as Markdown between the marks by which it is found again."""
    when = datetime.now(UTC).strftime("%Y-%m-%d")
    where = (
        f"{when}, `python -m tests.bench {name}`, {processor()}, Python {platform.python_version()}, "
        f"numpy {np.__version__}."
    )
    kept = [
        f"- {promise}: {'kept' if promise not in section.missed else '**missed**'}"
        for promise in section.promises
    ]
    parts = [f"## {section.title}", section.text, "\n".join(kept), where]
    inner = "\n\n".join(part for part in parts if part)
    return f"<!-- section {name} -->\n{inner}\n<!-- end {name} -->\n"


def processor() -> str:
    """Return the name of the processor."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.machine()
    found = re.search(r"model name\s*:\s*(.+)", text)
    return found[1].strip() if found else platform.machine()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
