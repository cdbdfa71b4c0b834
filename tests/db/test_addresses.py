"""Addresses with numbers that no row has: not found, whatever stands there."""

import re

import pytest
from django.contrib.auth.models import User
from django.urls import get_resolver

pytestmark = pytest.mark.django_db

NUMBERS = ["9" * 18, "9" * 30, "9" * 5000, "١٢"]


def patterns(found, before=""):
    for one in found.url_patterns:
        path = before + str(one.pattern)
        if hasattr(one, "url_patterns"):
            yield from patterns(one, path)
        else:
            yield path


def test_no_address_takes_numbers_of_any_length():
    """Digits of any script and any number are no number that Python or a database reads."""
    ours = [path for path in patterns(get_resolver()) if not path.startswith("admin/")]
    assert len(ours) > 150
    assert not [path for path in ours if re.search(r"\\d[+*]", path)]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize(
    "address",
    [
        "/runs/{}/", "/runs/{}/options.json", "/runs/{}/result.json", "/runs/{}/history.csv",
        "/corpora/{}/", "/testsets/{}/", "/systems/{}/", "/studies/{}/report/",
        "/studies/{}/report/scores.csv", "/studies/{}/tables/edunov.csv",
        "/studies/{}/tables/edunov/1/1/", "/api/v1/runs/{}/", "/api/v1/studies/{}/", "/api/v1/users/{}/",
    ],
)  # fmt: skip
def test_a_number_that_no_row_has_is_not_found(client, address, number):
    client.force_login(User.objects.create_user("root", is_staff=True, is_superuser=True))
    assert client.get(address.format(number)).status_code == 404
