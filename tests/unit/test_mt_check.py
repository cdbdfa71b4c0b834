"""What `manage.py mt_check` says of an interpreter, whole or broken."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from mtcore.engines import fairseq_environment
from mtcore.engines.registry import ENGINES

WHOLE = {
    "python": "3.12.1",
    "packages": {"torch": "2.13.0", "fairseq": "0.12.2"},
    "devices": [{"name": "A card", "memory": 80 * 1024**3, "bf16": True}],
    "cuda": "13.0",
    "problem": "",
}


@pytest.fixture
def interpreter(tmp_path, settings, monkeypatch):
    """Put a program in the place of the training environment's interpreter."""
    monkeypatch.setattr(fairseq_environment, "_KNOWN", {})
    monkeypatch.setattr(fairseq_environment, "IMPORT_TIMEOUT_SECONDS", 5.0)

    def put(text, mode=0o755):
        path = tmp_path / "python"
        path.write_text(text)
        path.chmod(mode)
        settings.MT_PYTHON = path

    settings.MT_PYTHON = tmp_path / "absent"
    return put


def check(**options):
    out = StringIO()
    try:
        call_command("mt_check", stdout=out, **options)
    except CommandError as error:
        return out.getvalue(), str(error)
    return out.getvalue(), ""


def test_a_whole_environment_is_told(interpreter):
    interpreter(f"#!/bin/sh\necho '{json.dumps(WHOLE)}'\n")
    said, error = check(require="fairseq, gpu,interpreter")
    assert not error and "A card (80 GiB, bf16)" in said and "torch 2.13.0, fairseq 0.12.2" in said
    assert all(f"\n{name} " in said for name in ENGINES)
    said, _ = check(format="json")
    found = json.loads(said)
    assert found["python"] == "3.12.1"
    assert {part["name"]: part["is_usable"] for part in found["parts"]}["fairseq"] is True


@pytest.mark.parametrize(
    ("text", "mode", "words"),
    [
        (None, 0, "is not there"),
        ("text", 0o644, "cannot be started"),
        ("#!/bin/sh\nexit 0\n", 0o755, "no usable Python"),
        ("#!/bin/sh\necho '[1]'\n", 0o755, "no usable Python"),
        ("#!/bin/sh\nsleep 60\n", 0o755, "did not answer within 0 seconds"),
        ("\x7fELF", 0o755, "cannot be started"),
    ],
)
def test_a_broken_interpreter_is_told_in_words(interpreter, monkeypatch, text, mode, words):
    if text is not None:
        interpreter(text, mode)
    if "sleep" in (text or ""):
        monkeypatch.setattr(fairseq_environment, "IMPORT_TIMEOUT_SECONDS", 0.3)
        monkeypatch.setattr(fairseq_environment, "TIMEOUT_SECONDS", 0.3)
    said, error = check()
    assert words in said and not error and "Traceback" not in said
    said, error = check(require="fairseq")
    assert words in said and "fairseq cannot be used" in error and "make mt" in error


def test_what_is_asked_for_must_exist(interpreter):
    _, error = check(require="fairsek")
    assert "“fairsek”" in error and "fairseq" in error


def test_without_an_accelerator_the_remedy_is_said(interpreter):
    interpreter(f"#!/bin/sh\necho '{json.dumps({**WHOLE, 'devices': [], 'cuda': ''})}'\n")
    said, error = check(require="gpu")
    assert "torch was built for the CPU" in said and "gpu cannot be used" in error
