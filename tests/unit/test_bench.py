"""The file of benchmarks is written section by section."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from tests.bench import __main__ as bench
from tests.bench.memory import STATUS, grows_at_most, peak_bytes
from tests.bench.timing import Section, best, table
from tests.paths import ROOT


def test_a_section_measured_anew_leaves_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    names = list(bench.SECTIONS)[:2]
    found = {name: Section(f"Title of {name}", "text") for name in names}
    for name in names:
        monkeypatch.setattr(import_module(bench.SECTIONS[name]), "measure", lambda name=name: found[name])
    target = tmp_path / "benchmarks.md"
    assert bench.main(names, target) == 0
    found[names[0]] = Section("Another title", "text")
    found[names[0]].promise("twice as fast", False)
    assert bench.main(names[:1], target) == 1
    text = target.read_text(encoding="utf-8")
    assert "## Another title" in text
    assert "- twice as fast: **missed**" in text
    assert f"## Title of {names[1]}" in text
    assert text.index("## Another title") < text.index(f"## Title of {names[1]}")
    assert text.count("<!-- section") == 2


def test_every_section_can_be_measured_and_others_are_refused(tmp_path: Path):
    for module in bench.SECTIONS.values():
        assert callable(import_module(module).measure)
    with pytest.raises(SystemExit):
        bench.main(["nothing"], tmp_path / "benchmarks.md")


def test_time_and_table():
    seconds, result = best(lambda: 7, 2)
    assert seconds >= 0
    assert result == 7
    assert table(["a", "b"], [["1", "2"]]) == "| a | b |\n| --- | ---: |\n| 1 | 2 |"


@pytest.mark.skipif(not STATUS.exists(), reason="no /proc: there a child's peak begins with its parent's")
def test_memory_of_a_child_is_its_own():
    held = bytearray(b"x") * (200 * 2**20)
    code = (
        "from tests.bench.memory import peak_bytes; before = peak_bytes(); "
        "more = bytearray(b'x') * (40 * 2**20); print(before, peak_bytes() - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True, text=True)
    before, grown = map(int, done.stdout.split())
    assert peak_bytes() > len(held) > before
    assert 35 * 2**20 < grown < 60 * 2**20


def test_memory_without_a_proc_file_system(tmp_path: Path):
    assert peak_bytes(tmp_path / "status") > 2**20
    other = tmp_path / "other"
    other.write_text("Name:\tpython\n", encoding="ascii")
    assert peak_bytes(other) > 2**20


@pytest.mark.parametrize(
    ("small", "large", "kept"),
    [(10, 14, True), (10, 16, False), (0, 0, False), (0, 5, False), (10, 0, False)],
)
def test_a_promise_about_memory_needs_a_figure(small, large, kept):
    assert grows_at_most(1.5, small, large) is kept
