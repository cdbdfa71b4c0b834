"""What the environment means to the platform."""

import os

import pytest

from evalplatform.env import EnvironmentMistake, read_environment, use_settings


@pytest.mark.parametrize(
    ("name", "own", "usual"), [("OPENBLAS_NUM_THREADS", "4", "1"), ("OMP_WAIT_POLICY", "ACTIVE", "PASSIVE")]
)
def test_numeric_libraries_leave_the_cores_to_others_unless_told_otherwise(monkeypatch, name, own, usual):
    monkeypatch.setenv(name, own)
    use_settings()
    assert os.environ[name] == own
    monkeypatch.delenv(name)
    use_settings()
    assert os.environ[name] == usual


@pytest.mark.parametrize("days", ["0", "-5", "36501", "99999999999999", "soon"])
def test_links_work_for_a_number_of_days_that_can_be(monkeypatch, tmp_path, days):
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    monkeypatch.setenv("INVITATION_DAYS", "36500")
    assert read_environment().invitation_days == 36_500
    monkeypatch.setenv("INVITATION_DAYS", days)
    with pytest.raises(EnvironmentMistake, match=f"INVITATION_DAYS is '?{days}'?; write"):
        read_environment()


@pytest.mark.parametrize("days", ["0", "-1", "2.5", "36501"])
def test_silence_begins_after_a_number_of_days_that_can_be(monkeypatch, tmp_path, days):
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    monkeypatch.delenv("SILENT_DAYS", raising=False)
    assert read_environment().silent_days == 3
    monkeypatch.setenv("SILENT_DAYS", "7")
    assert read_environment().silent_days == 7
    monkeypatch.setenv("SILENT_DAYS", days)
    with pytest.raises(EnvironmentMistake, match=f"SILENT_DAYS is '?{days}'?; write"):
        read_environment()
