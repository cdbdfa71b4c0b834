"""Fixtures of several modules: a rater in a campaign of their own, a study's package."""

import contextlib
import shutil
from pathlib import Path

import pytest
from django.db import connection, transaction

from annotation.services.package_export import study_export
from tests.factories.rating import participation_of, rater_client, rating_campaign
from tests.factories.studies import study_with_everything


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """On PostgreSQL, leave out what SQLite has shown already: tests that use no database, or hang on none."""
    if connection.vendor != "postgresql":
        return
    again = [item for item in items if Path(__file__).parent not in item.path.parents or _hangs_on_it(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(again)])
    items[:] = again


def _hangs_on_it(item: pytest.Item) -> bool:
    if item.get_closest_marker("process"):
        return True
    asked = {"db", "transactional_db"} & set(getattr(item, "fixturenames", ()))
    return bool((asked or item.get_closest_marker("django_db")) and not item.get_closest_marker("once"))


@pytest.fixture
def campaign():
    """A small campaign to rate in."""
    return rating_campaign()


@pytest.fixture
def rater(campaign):
    """One of its raters."""
    return participation_of(campaign)


@pytest.fixture
def browser(rater):
    """The rater's browser, signed in."""
    return rater_client(rater)


class _Undo(Exception):
    """Leave a transaction without a trace."""


@pytest.fixture(scope="session")
def exported_study(django_db_setup, django_db_blocker, tmp_path_factory):
    """Export a study once; the database is left as it was."""
    folder = tmp_path_factory.mktemp("exported") / "package"
    with django_db_blocker.unblock(), contextlib.suppress(_Undo), transaction.atomic():
        study_export(study=study_with_everything(), output=folder)
        raise _Undo
    return folder


@pytest.fixture
def package(exported_study, tmp_path):
    """Return a copy of the package, whose study is not in the database."""
    return Path(shutil.copytree(exported_study, tmp_path / "package"))
