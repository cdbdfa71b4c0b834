"""The rules of the house that import contracts cannot say."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

from tests.paths import ROOT

CODE = [p for top in ("evalplatform", "annotation", "mtcore") for p in (ROOT / top).rglob("*.py")]
SOURCE = [p for p in CODE if "migrations" not in p.parts]
PURE = (
    "annotation/stats",
    "annotation/design",
    "annotation/formats",
    "annotation/protocols",
    "mtcore/corpora",
    "mtcore/diversity",
    "mtcore/engines",
    "mtcore/metrics",
)
TEMPLATES = sorted(
    # What is written to disk as one file and never served carries its styles with it.
    path
    for path in (ROOT / "templates").rglob("*.html")
    if path.name != "standalone.html"
)


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module)
    return found


def test_code_was_found():
    assert len(SOURCE) > 40
    assert TEMPLATES


@pytest.mark.parametrize("path", SOURCE, ids=relative)
def test_only_env_reads_the_environment(path):
    if relative(path) == "evalplatform/env.py":
        return
    assert not re.search(r"os\.environ|os\.getenv", path.read_text("utf-8")), "read it in evalplatform/env.py"


MT_SIDE = "mtcore/engines/mt_side/"
"""Scripts of the training environment: programs of their own, started by engines."""


@pytest.mark.parametrize("path", [p for p in SOURCE if relative(p).startswith(MT_SIDE)], ids=relative)
def test_scripts_of_the_training_environment_know_nothing_of_the_platform(path):
    roots = {name.split(".")[0] for name in imports(path)}
    assert not roots & {"django", "celery", "rest_framework", "evalplatform", "annotation", "mtcore"}


@pytest.mark.parametrize(
    "path",
    [p for p in SOURCE if relative(p).startswith(PURE) and not relative(p).startswith(MT_SIDE)],
    ids=relative,
)
def test_pure_packages_read_no_clock_and_no_environment(path):
    text = path.read_text("utf-8")
    assert not re.search(
        r"datetime\.now\(|time\.time\(|timezone\.now\(|import os\b|np\.random\.(seed|rand)", text
    )
    assert not {name.split(".")[0] for name in imports(path)} & {"django", "celery", "rest_framework"}


@pytest.mark.parametrize("path", SOURCE, ids=relative)
def test_every_module_says_what_it_is(path):
    text = path.read_text("utf-8")
    assert not text.strip() or ast.get_docstring(ast.parse(text)), "a module begins with a docstring"


@pytest.mark.parametrize("path", TEMPLATES, ids=relative)
def test_templates_have_no_inline_script_or_style(path):
    text = path.read_text("utf-8")
    assert not re.search(r"<script(?![^>]*\bsrc=)", text), "scripts live in static/js"
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=", text), "styles live in static/css"
    assert not re.search(r"(?:src|href)=[\"']https?://", text), "no foreign host"


@pytest.mark.parametrize("path", sorted((ROOT / "static").rglob("*.css")), ids=relative)
def test_stylesheets_use_logical_properties(path):
    text = path.read_text("utf-8")
    sides = "left|right|top|bottom"
    physical = rf"(?:margin|padding|border)-(?:{sides})|text-align:\s*(?:left|right)|[\s;{{](?:left|right):"
    assert not re.search(physical, text), "logical properties only"
    assert "http" not in re.sub(r"http://www\.w3\.org/\S+", "", text), "no foreign host"


def test_the_project_names_no_machine_and_no_registry():
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout
    if not tracked:
        pytest.skip("not a git checkout")
    words = re.compile("/" + "work/|/root" + "/|/opt/" + "pypi|pypi" + r"\.org")
    for name in tracked.splitlines():
        path = ROOT / name
        if (
            path.suffix in {".py", ".md", ".txt", ".toml", ".html", ".js", ".css", ".in", ""}
            and path.is_file()
        ):
            assert not words.search(path.read_text("utf-8", "replace")), name
