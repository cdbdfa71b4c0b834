"""What the platform is built on: docs/dependencies.md, exceptions for bandit, Django's own check."""

import importlib.metadata
import json
import os
import re
import subprocess
import sys

import pytest

from tests.architecture.test_house import CODE, relative
from tests.paths import ROOT

DOCUMENT = ROOT / "docs" / "dependencies.md"
#: The part of the document → what asks for its packages, and what locks them.
PARTS = {
    "The platform": (("requirements.in",), ("requirements.txt",)),
    "Tests and checks": (("requirements-dev.in",), ("requirements-dev.txt",)),
    "The training environment": (
        ("requirements-mt.in", "requirements-mt-bare.txt"),
        ("requirements-mt.txt", "requirements-mt-bare.txt"),
    ),
}
#: The first word of a licence → how packages that give no identifier write it.
WRITTEN = {
    "PSF": "PSF|Python Software Foundation",
    "GPL": r"\bGPL|GNU General Public",
    "LGPL": "LGPL|GNU Lesser General Public",
}
METADATA = """
import importlib.metadata, json, sys
found = {}
for name in sys.argv[1:]:
    said = importlib.metadata.metadata(name)
    kinds = [one for one in said.get_all("Classifier") or [] if one.startswith("License")]
    files = [one for one in importlib.metadata.files(name) or [] if "license" in str(one).lower()]
    texts = [one.read_text()[:400] for one in files[:1]]
    found[name] = [said.get("License-Expression") or said.get("License") or "", *kinds, *texts]
print(json.dumps(found))
"""


def normal(name):
    return re.sub(r"\[.*", "", name).lower()


def rows(part):
    """Return (package, version, licence, reason) of a part of the document."""
    text = DOCUMENT.read_text("utf-8").partition(f"## {part}")[2].partition("\n## ")[0]
    cells = [line.strip("| ").split(" | ") for line in text.split("\n") if line.startswith("| ")]
    return [row for row in cells if row[0] != "package"]


def asked(names):
    lines = "\n".join((ROOT / name).read_text("utf-8") for name in names).split("\n")
    found = [
        re.match(r"[A-Za-z0-9._-]+(\[[a-z,]+\])?", line) for line in lines if line and line[0] not in "#-"
    ]
    return {one[0] for one in found}


def locked(names):
    """Return package → its versions; there are several where releases of Python need different ones."""
    text = "\n".join((ROOT / name).read_text("utf-8") for name in names)
    found = {}
    for name, version in re.findall(r"^([\w.-]+(?:\[[a-z,]+\])?)==([^\s;\\]+)", text, re.MULTILINE):
        found.setdefault(normal(name), []).append(version)
    return found


@pytest.mark.parametrize("part", PARTS)
def test_every_package_that_is_asked_for_is_in_the_document_with_its_version_and_a_reason(part):
    inputs, locks = PARTS[part]
    found = rows(part)
    names = [row[0] for row in found]
    assert len(names) == len(set(names)), "a package stands there twice"
    assert set(names) == asked(inputs), "docs/dependencies.md and the files of requirements differ"
    pins = locked(locks)
    assert {row[0]: row[1] for row in found} == {name: pins[normal(name)][-1] for name in names}
    assert all(len(row) == 4 and len(row[3]) > 2 for row in found), "each says why it is there"


@pytest.mark.parametrize("part", PARTS)
def test_licences_are_those_that_the_packages_state(part):
    python = sys.executable
    if part == "The training environment":
        python = str(ROOT / ".venv-mt" / "bin" / "python")
        if not os.path.exists(python):
            pytest.skip("the training environment is not installed (make mt)")
    names = [normal(row[0]) for row in rows(part)]
    out = subprocess.run([python, "-c", METADATA, *names], capture_output=True, text=True, check=True).stdout
    said = json.loads(out)
    wrong = []
    for package, _version, licence, _why in rows(part):
        stated = " ".join(said[normal(package)])
        words = re.split(r" AND | OR ", licence)
        if licence == "not stated":
            fits = said[normal(package)] in ([""], ["UNKNOWN"])
        else:
            first = [one.split("-")[0] for one in words]
            fits = all(re.search(WRITTEN.get(one, rf"\b{one}"), stated) for one in first)
        if not fits:
            wrong.append(f"{package}: {licence}, but it says {stated[:200]!r}")
    assert not wrong, "\n".join(wrong)


def test_what_runs_is_what_is_locked():
    """The tables would say little if the environment held something else."""
    pins = locked(("requirements.txt", "requirements-dev.txt"))
    other = {
        name: (importlib.metadata.version(name), pins[name])
        for name in map(normal, asked(("requirements.in", "requirements-dev.in")))
        if importlib.metadata.version(name) not in pins[name]
    }
    assert not other, "make install brings what is locked"


def test_every_exception_for_bandit_names_its_rule_and_its_reason():
    lines = [
        (relative(path), line)
        for path in CODE
        for line in path.read_text("utf-8").split("\n")
        if "nosec" in line
    ]
    assert lines, "there are some"
    bare = [
        one for one in lines if not re.search(r"# nosec B\d{3}(, B\d{3})* # (noqa: S\d+ \()?\w*.{5}", one[1])
    ]
    assert not bare, "write `# nosec B123 # the reason`"


def test_django_finds_nothing_to_say_about_a_production_site(tmp_path):
    environment = {
        "PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path), "HTTPS": "True",
        "ALLOWED_HOSTS": "eval.example", "CSRF_TRUSTED_ORIGINS": "https://eval.example", "BASE_URL": "https://eval.example",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "DEBUG"],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "no issues (0 silenced)" in done.stdout
