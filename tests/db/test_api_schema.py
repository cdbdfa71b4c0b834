"""The API holds to its own schema, whatever it is sent (Schemathesis)."""

import pytest
import schemathesis
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, given, settings
from rest_framework.authtoken.models import Token
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

from tests.factories.campaigns import make_campaign

pytestmark = [pytest.mark.django_db, pytest.mark.filterwarnings("ignore")]

CALM = list(HealthCheck)
CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance]


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    cache.clear()


@pytest.fixture(autouse=True)
def _one_connection():
    """Keep the test's transaction open from request to request, as Django's own test client does."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


def check_all(examples, **more):
    """Send every operation what its schema allows, and what it does not, and hold the answers to it."""
    root = User.objects.create_user("root", is_staff=True)
    make_campaign(name="harbour", n_segments=3, owner=root)
    key = {"Authorization": f"Token {Token.objects.create(user=root).key}"}
    schema = schemathesis.openapi.from_wsgi(
        "/api/v1/schema/?format=json", get_wsgi_application(), headers=key
    )
    operations = [found.ok() for found in schema.get_all_operations()]
    failures: list[str] = []
    for operation in operations:

        @settings(
            max_examples=examples,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            database=None,
            **more,
        )
        @given(case=operation.as_strategy())
        def run(case):
            cache.clear()
            case.call_and_validate(headers=key, checks=CHECKS)

        try:
            run()
        except FailureGroup as group:
            failures += [f"{operation.label}: {one}" for one in group.exceptions]
    assert not failures, "\n\n".join(failures)
    return {operation.label for operation in operations}


def test_every_operation_holds_to_the_schema():
    seen = check_all(2, derandomize=True)
    assert {"POST /api/v1/campaigns/", "GET /api/v1/runs/{id}/"} <= seen and len(seen) >= 80


@pytest.mark.long
def test_every_operation_holds_to_the_schema_at_length():
    check_all(200)
