"""What the environment means to the platform."""

import os

import pytest

from evalplatform.env import EnvironmentMistake, read_environment, use_settings


def test_linear_algebra_has_one_thread_unless_told_otherwise(monkeypatch):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "4")
    use_settings()
    assert os.environ["OPENBLAS_NUM_THREADS"] == "4"
    monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    use_settings()
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"


@pytest.mark.parametrize("days", ["0", "-5", "36501", "99999999999999", "soon"])
def test_links_work_for_a_number_of_days_that_can_be(monkeypatch, tmp_path, days):
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    monkeypatch.setenv("INVITATION_DAYS", "36500")
    assert read_environment().invitation_days == 36_500
    monkeypatch.setenv("INVITATION_DAYS", days)
    with pytest.raises(EnvironmentMistake, match=f"INVITATION_DAYS is '?{days}'?; write"):
        read_environment()
