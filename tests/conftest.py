"""What every test shares."""

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "house", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("house")


@pytest.fixture(autouse=True)
def _own_data_dir(settings, tmp_path):  # type: ignore[no-untyped-def]
    """Keep files that the program writes inside the test's own folder."""
    settings.DATA_DIR = tmp_path / "data"
