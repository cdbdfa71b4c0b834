"""Run management commands in a test and keep what they write."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.factories.counts import row_counts


def run(*arguments: object) -> tuple[str, str]:
    """Run a command; return what it wrote to stdout and stderr."""
    out, err = StringIO(), StringIO()
    call_command(*map(str, arguments), stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def refused(*arguments: object) -> str:
    """Run a command that must be refused in one line and leave the database as it was; return the line."""
    before = row_counts()
    with pytest.raises(CommandError) as caught:
        run(*arguments)
    assert row_counts() == before
    message = str(caught.value)
    assert message and "\n" not in message
    return message
