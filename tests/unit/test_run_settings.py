"""The environment's settings of runs."""

import pytest

from evalplatform.env import EnvironmentMistake, read_environment

SQLITE, POSTGRES = "sqlite:///data.sqlite3", "postgres://127.0.0.1/evalplatform"


@pytest.mark.parametrize(
    ("text", "database", "seconds"),
    [
        (None, POSTGRES, 30), ("", POSTGRES, 30), ("7", POSTGRES, 7),
        (None, "", 90), ("", SQLITE, 90), ("7", SQLITE, 7),
    ],
)  # fmt: skip
def test_the_lease_outlasts_a_long_import_where_writers_wait_for_each_other(
    monkeypatch, text, database, seconds
):
    monkeypatch.delenv("RUN_LEASE_SECONDS", raising=False)
    if text is not None:
        monkeypatch.setenv("RUN_LEASE_SECONDS", text)
    monkeypatch.setenv("DATABASE_URL", database)
    monkeypatch.setenv("RUN_DEVICE", "cuda:1")
    found = read_environment()
    assert (found.run_lease_seconds, found.run_device) == (seconds, "cuda:1")


@pytest.mark.parametrize("text", ["0", "-3", "soon"])
def test_a_lease_that_is_none_is_refused(monkeypatch, text):
    monkeypatch.setenv("RUN_LEASE_SECONDS", text)
    with pytest.raises(EnvironmentMistake, match="RUN_LEASE_SECONDS"):
        read_environment()
