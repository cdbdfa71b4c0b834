"""The file of benchmarks is written section by section."""

from importlib import import_module
from pathlib import Path

import pytest

from tests.bench import __main__ as bench
from tests.bench.timing import Section, best, table


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
