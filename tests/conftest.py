"""What every test shares."""

import gc
import os
import random

import numpy as np
import pytest
from django.db import connections
from django.test import override_settings
from django.utils import translation
from hypothesis import HealthCheck, settings

from evalplatform.celery import app
from tests import thoroughness

settings.register_profile(
    "house", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("house")


def pytest_configure(config: pytest.Config) -> None:
    """Try properties on all their examples where long tests run."""
    thoroughness.is_long = "not long" not in config.option.markexpr


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over thousands of collected tests: none of them is garbage."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _own_data_dir(settings, tmp_path):  # type: ignore[no-untyped-def]
    """Keep files that the program writes inside the test's own folder."""
    settings.DATA_DIR = tmp_path / "data"


@pytest.fixture(autouse=True)
def _own_language(settings):  # type: ignore[no-untyped-def]
    """Begin in English whatever language a page before was asked in: it outlives its request here."""
    with translation.override(settings.LANGUAGE_CODE):
        yield


@pytest.fixture
def one_stream(monkeypatch):  # type: ignore[no-untyped-def]
    """Draw what a pool or a skip draws from one stream, so that a test meets the same order every time."""
    real, source, dice = np.random.default_rng, np.random.default_rng(11), random.Random(11)
    monkeypatch.setattr(np.random, "default_rng", lambda seed=None: source if seed is None else real(seed))
    monkeypatch.setattr("annotation.services.skipping.secrets.choice", dice.choice)
    monkeypatch.setattr("annotation.services.skipping.secrets.randbits", dice.getrandbits)


@pytest.fixture(scope="session", autouse=True)
def _quick_passwords():  # type: ignore[no-untyped-def]
    """Hash passwords of this process quickly; the platforms that browser tests start hash as they are."""
    with override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]):
        yield


@pytest.fixture(scope="session", autouse=True)
def _no_queue():  # type: ignore[no-untyped-def]
    """Keep wake-ups of this process to itself; what starts a worker has a queue of its own."""
    app.conf.update(broker_url="memory://", broker_transport_options={})


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix):  # type: ignore[no-untyped-def]
    """Name a PostgreSQL test database after this process: two runs on one machine do not meet."""
    for connection in connections.all():
        if connection.vendor == "postgresql":
            database = connection.settings_dict
            name = database["TEST"].get("NAME") or f"test_{database['NAME']}"
            database["TEST"]["NAME"] = f"{name}_{os.getpid()}"
