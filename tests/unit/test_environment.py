"""What the environment means to the platform."""

import os

from evalplatform.env import use_settings


def test_linear_algebra_has_one_thread_unless_told_otherwise(monkeypatch):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "4")
    use_settings()
    assert os.environ["OPENBLAS_NUM_THREADS"] == "4"
    monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    use_settings()
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
