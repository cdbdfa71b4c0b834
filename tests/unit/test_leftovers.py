"""What killed processes left beside an output."""

import subprocess
import sys
from pathlib import Path

import pytest

from evalplatform.commands import whole_file
from evalplatform.leftovers import leftovers_remove, part_file


@pytest.fixture
def left(tmp_path):
    """A part whose process has ended."""
    code = "import sys; from pathlib import Path; from evalplatform.leftovers import part_file\n"
    code += "part = part_file(Path(sys.argv[1])); part.touch(); print(part)"
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "out.csv"], capture_output=True, text=True, check=True
    )
    return Path(done.stdout.strip())


def test_only_what_dead_processes_left_of_this_output_goes(tmp_path, left):
    own, other = part_file(tmp_path / "out.csv"), tmp_path / left.name.replace("out.csv", "more.csv")
    own.touch()
    other.touch()
    assert leftovers_remove(tmp_path / "out.csv") == [left.name]
    assert own.exists() and other.exists() and not left.exists()


def test_what_may_not_be_removed_stays_and_disturbs_nobody(tmp_path, left, monkeypatch):
    def refused(path, **options):
        raise PermissionError(1, "Operation not permitted", str(path))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", refused)
        assert leftovers_remove(tmp_path / "out.csv") == []
    assert left.exists()


def test_a_folder_that_is_not_there_has_nothing_left(tmp_path):
    assert leftovers_remove(tmp_path / "none" / "out.csv") == []
    with pytest.raises(FileNotFoundError) as caught, whole_file(tmp_path / "none" / "out.csv"):
        pass
    assert caught.value.filename == str(tmp_path / "none" / "out.csv")
