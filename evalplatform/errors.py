"""One error for everything a person can put right, with the remedy in it."""

from http import HTTPStatus

from django.utils.translation import gettext_noop


class UserError(Exception):
    """Something a user can put right: what was found, where, and what to do about it.

    `message` states what was expected and found; `remedy` says what to do. Commands print both on one
    line and exit with 1; pages and the API answer with `status`. `title` is translated where it is shown.
    `code` tells a script what happened where it has to act on it.
    """

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = gettext_noop("This cannot be done")
    code = ""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".strip()


class BadInput(UserError):
    """A file or value that was sent is not what was expected."""

    status = HTTPStatus.BAD_REQUEST
    title = gettext_noop("This input cannot be used")


class NotAllowed(UserError):
    """The person is known but has no right to this."""

    status = HTTPStatus.FORBIDDEN
    title = gettext_noop("Not allowed")


class NotFound(UserError):
    """Nothing of that name exists, or not for this person."""

    status = HTTPStatus.NOT_FOUND
    title = gettext_noop("Not found")


class Conflict(UserError):
    """The state of things does not allow it: closed, already there, changed meanwhile."""

    status = HTTPStatus.CONFLICT
    title = gettext_noop("Not possible now")
