"""Where the shared material lies, and how a test that needs it skips."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
DATA = SHARED / "data"
CASES = SHARED / "cases" / "files"

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the shared real data (../shared/data) is absent")
needs_cases = pytest.mark.skipif(
    not CASES.is_dir(), reason="the shared case files (../shared/cases) are absent"
)
