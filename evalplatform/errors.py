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


REMEDIES = {
    HTTPStatus.BAD_REQUEST: gettext_noop("Check the address and what was sent, then send it again."),
    HTTPStatus.UNAUTHORIZED: gettext_noop("Sign in, or send a token: “Authorization: Token …”."),
    HTTPStatus.FORBIDDEN: gettext_noop(
        "Sign in with another account, or ask the owner of the study or an administrator."
    ),
    HTTPStatus.NOT_FOUND: gettext_noop("Check the address, or sign in with another account."),
    HTTPStatus.METHOD_NOT_ALLOWED: gettext_noop("Go to the page it belongs to, and use its buttons."),
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: gettext_noop(
        "Send it in several parts, or as a file where the page takes one."
    ),
    HTTPStatus.TOO_MANY_REQUESTS: gettext_noop("Try again in a moment."),
}
"""What to do about an error that does not say so itself, by its status."""
