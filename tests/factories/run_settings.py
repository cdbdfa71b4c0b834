"""The platform's settings for workers of tests: with the tests' kind of run."""

from evalplatform.settings import *  # noqa: F403
from evalplatform.settings import INSTALLED_APPS as PLATFORM_APPS

INSTALLED_APPS = [*PLATFORM_APPS, "tests.factories.run_app.apps.RunApp"]
