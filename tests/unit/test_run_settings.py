"""The environment's settings of runs."""

import pytest

from evalplatform.env import EnvironmentMistake, read_environment


@pytest.mark.parametrize(("text", "seconds"), [(None, 30), ("", 30), ("7", 7)])
def test_the_lease_is_half_a_minute_unless_told_otherwise(monkeypatch, text, seconds):
    monkeypatch.delenv("RUN_LEASE_SECONDS", raising=False)
    if text is not None:
        monkeypatch.setenv("RUN_LEASE_SECONDS", text)
    monkeypatch.setenv("RUN_DEVICE", "cuda:1")
    found = read_environment()
    assert (found.run_lease_seconds, found.run_device) == (seconds, "cuda:1")


@pytest.mark.parametrize("text", ["0", "-3", "soon"])
def test_a_lease_that_is_none_is_refused(monkeypatch, text):
    monkeypatch.setenv("RUN_LEASE_SECONDS", text)
    with pytest.raises(EnvironmentMistake, match="RUN_LEASE_SECONDS"):
        read_environment()
