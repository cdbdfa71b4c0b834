"""While the database is away a client is told 503, so that it sends again; never 400, which it would not."""

import pytest
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.exceptions import SessionInterrupted
from django.db import DataError, InterfaceError, OperationalError
from django.test import RequestFactory

from evalplatform.middleware import bad_request, server_error


def session_lost(error):
    """Return what Django makes of an error while it writes a session."""
    try:
        try:
            try:
                raise error("the server closed the connection")
            except error as found:
                raise UpdateError from found
        except UpdateError:
            raise SessionInterrupted("deleted") from None
    except SessionInterrupted as lost:
        return lost


@pytest.mark.parametrize(
    ("error", "status"), [(OperationalError, 503), (InterfaceError, 503), (DataError, 500), (ValueError, 500)]
)
def test_an_error_of_the_server(error, status):
    request = RequestFactory().post("/", {}, content_type="application/json")
    try:
        raise error("the server closed the connection")
    except error:
        answer = server_error(request)
    assert answer.status_code == status and ("Retry-After" in answer) == (status == 503)
    assert "closed" not in answer.content.decode()


@pytest.mark.parametrize(("error", "status"), [(OperationalError, 503), (DataError, 400)])
def test_a_session_that_cannot_be_written(error, status):
    """Django calls it a bad request, whatever the reason."""
    request = RequestFactory().post("/", {}, content_type="application/json")
    assert bad_request(request, session_lost(error)).status_code == status
