"""The app's configuration."""

from django.apps import AppConfig


class RunApp(AppConfig):
    """Adds the tests' kind of run once everything is loaded."""

    name = "tests.factories.run_app"

    def ready(self) -> None:
        """Add it."""
        from tests.factories.runs import know_test_kind

        know_test_kind()
