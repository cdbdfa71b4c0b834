"""Accounts of researchers and administrators: made, changed and closed, each step in the audit trail.

There is no registration and no mail: an administrator makes an account and hands over a link by which its
owner sets the password. Accounts are closed, never deleted, so that the audit trail keeps its names.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from axes.models import AccessAttempt
from axes.utils import reset
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _
from rest_framework.authtoken.models import Token

from annotation.models import AuditEvent
from annotation.services.sessions import sessions_of_user_end
from evalplatform.errors import BadInput, Conflict, NotAllowed, NotFound
from evalplatform.words import quoted

RESEARCHER, ADMIN = "researcher", "admin"
ROLES = (RESEARCHER, ADMIN)
OPEN, CLOSED, LOCKED_OUT, NO_PASSWORD = STATES = ("open", "closed", "locked_out", "no_password")
"""How an account stands: the last two are open ones whose owner cannot sign in for now."""
NAME_LENGTH = 150


@dataclass(frozen=True)
class Account:
    """An account as it stands. `locked_until`: no password is taken before."""

    user: User
    role: str
    n_studies: int
    has_token: bool
    locked_until: datetime | None

    @property
    def state(self) -> str:
        """How it stands, one of `STATES`."""
        if not self.user.is_active:
            return CLOSED
        if self.locked_until:
            return LOCKED_OUT
        return OPEN if self.user.has_usable_password() else NO_PASSWORD


def role_of(user: User) -> str:
    """Return what a person may do here."""
    return ADMIN if user.is_staff else RESEARCHER


def accounts_read(users: QuerySet[User] | None = None) -> list[Account]:
    """Return the accounts, those that are open first, by name."""
    found = User.objects.all() if users is None else users
    counted = accounts_order(found).annotate(
        n_owned=Count("studies", distinct=True), n_shared=Count("shared_studies", distinct=True)
    )
    with_token = set(Token.objects.values_list("user_id", flat=True))
    locked = _locked()
    return [
        Account(
            user=user,
            role=role_of(user),
            n_studies=user.n_owned + user.n_shared,
            has_token=user.pk in with_token,
            locked_until=locked.get(user.username),
        )
        for user in counted
    ]


def accounts_order(users: QuerySet[User]) -> QuerySet[User]:
    """Return accounts as they are listed: those that are open first, by name."""
    return users.order_by("-is_active", "username")


def account_named(name: str) -> User:
    """Return the account of a name.

    Raises:
        NotFound: there is none.
    """
    found = User.objects.filter(username=name).first()
    if found is None:
        names = User.objects.order_by("username").values_list("username", flat=True)[:20]
        raise NotFound(f"There is no account “{name}”.", f"The accounts are: {quoted(names)}.")
    return found


def account_create(*, name: str, role: str = RESEARCHER, actor: User | None = None) -> User:
    """Make an account without a password; `password_link` gives the way to set one.

    Raises:
        BadInput: a name that cannot be one, or an unknown role.
        Conflict: the name is taken.
    """
    _check_role(role)
    name = name.strip()
    try:
        UnicodeUsernameValidator()(name)
    except ValidationError:
        name_is_good = False
    else:
        name_is_good = len(name) <= NAME_LENGTH
    if not name_is_good:
        raise BadInput(
            _("“%(name)s” cannot be a user name.") % {"name": name[:NAME_LENGTH]},
            _("Take 1 to 150 letters, digits and the signs @ . + - _."),
        )
    with transaction.atomic():
        if User.objects.filter(username__iexact=name).exists():
            raise Conflict(
                _("There is an account “%(name)s” already.") % {"name": name}, _("Take another name.")
            )
        user = User(username=name, is_staff=role == ADMIN, is_superuser=role == ADMIN and _is_super(actor))
        user.set_unusable_password()
        user.save()
        _note("account.created", user, actor, role=role)
    return user


def account_role(*, user: User, role: str, actor: User | None = None) -> None:
    """Make a researcher an administrator, or the other way round.

    Raises:
        BadInput: an unknown role.
        Conflict: it has that role; it is the account of who asks; or the last administrator would go.
    """
    _check_role(role)
    with transaction.atomic():
        found = _locked_row(user, actor)
        if role_of(found) == role:
            raise Conflict(_("The account has this role already."), _("Nothing was changed."))
        _check_other(found, actor)
        if role == RESEARCHER:
            _check_not_last(found)
        found.is_staff = role == ADMIN
        found.is_superuser = role == ADMIN and _is_super(actor)
        found.save(update_fields=["is_staff", "is_superuser"])
        _note("account.role", found, actor, role=role)


def account_deactivate(*, user: User, actor: User | None = None) -> None:
    """Close an account: nobody can sign in with it, its sessions end and its API token is gone.

    Raises:
        Conflict: it is closed; it is the account of who asks; or the last administrator would go.
    """
    with transaction.atomic():
        found = _locked_row(user, actor)
        if not found.is_active:
            raise Conflict(_("The account is closed already."), _("Nothing was changed."))
        _check_other(found, actor)
        _check_not_last(found)
        found.is_active = False
        found.save(update_fields=["is_active"])
        Token.objects.filter(user=found).delete()
        sessions_of_user_end(user_id=found.pk)
        _note("account.deactivated", found, actor)


def account_reactivate(*, user: User, actor: User | None = None) -> None:
    """Open a closed account again, with the password it had.

    Raises:
        Conflict: it is open.
    """
    with transaction.atomic():
        found = _locked_row(user, actor)
        if found.is_active:
            raise Conflict(_("The account is open already."), _("Nothing was changed."))
        found.is_active = True
        found.save(update_fields=["is_active"])
        _note("account.reactivated", found, actor)


def account_unlock(*, user: User, actor: User | None = None) -> None:
    """Forget the wrong passwords that were given for a name.

    Raises:
        Conflict: there were none.
    """
    if not reset(username=user.username):
        raise Conflict(_("No wrong password was counted for this account."), _("Nothing was changed."))
    _note("account.unlocked", user, actor)


def password_link(*, user: User, actor: User | None = None, base_url: str | None = None) -> str:
    """Return a link by which the owner of an account sets a password, once, within some days.

    Raises:
        Conflict: the account is closed.
        NotAllowed: it is one of a higher administrator.
    """
    _check_rank(user, actor)
    if not user.is_active:
        raise Conflict(_("The account is closed."), _("Open it again first."))
    uid = urlsafe_base64_encode(force_bytes(user.pk))
    address = reverse("password_set", args=[uid, default_token_generator.make_token(user)])
    _note("account.link", user, actor)
    return (base_url or settings.BASE_URL) + address


def token_issue(*, user: User, actor: User | None = None) -> str:
    """Return a new API token; an older one stops working.

    Raises:
        Conflict: the account is closed.
        NotAllowed: it is one of a higher administrator.
    """
    with transaction.atomic():
        found = _locked_row(user, actor)
        if not found.is_active:
            raise Conflict(_("The account is closed."), _("Open it again first."))
        Token.objects.filter(user=found).delete()
        made = Token.objects.create(user=found)
        _note("token.issued", found, actor)
    return str(made.key)


def token_revoke(*, user: User, actor: User | None = None) -> None:
    """End the API token of an account.

    Raises:
        Conflict: it has none.
    """
    with transaction.atomic():
        found = _locked_row(user, actor)
        if not Token.objects.filter(user=found).delete()[0]:
            raise Conflict(_("The account has no API token."), _("Nothing was changed."))
        _note("token.revoked", found, actor)


def _locked() -> dict[str, datetime]:
    """Return until when each name cannot sign in from somewhere."""
    since = timezone.now() - settings.AXES_COOLOFF_TIME
    rows = AccessAttempt.objects.filter(
        failures_since_start__gte=settings.AXES_FAILURE_LIMIT, attempt_time__gt=since
    ).order_by("attempt_time")
    return {
        name: at + settings.AXES_COOLOFF_TIME for name, at in rows.values_list("username", "attempt_time")
    }


def _check_role(role: str) -> None:
    if role not in ROLES:
        raise BadInput(
            _("“%(role)s” is no role.") % {"role": role}, _("An account is a researcher's or an admin's.")
        )


def _is_super(actor: User | None) -> bool:
    """Tell whether an administrator made here has all rights: so many as who makes it; commands have all."""
    return actor is None or actor.is_superuser


def _locked_row(user: User, actor: User | None) -> User:
    """Return the row as it is now, held; every administrator's too, so that two do not remove each other."""
    _check_rank(user, actor)
    list(User.objects.select_for_update().filter(is_staff=True).order_by("pk").values_list("pk"))
    return User.objects.select_for_update().get(pk=user.pk)


def _check_rank(user: User, actor: User | None) -> None:
    if user.is_superuser and not _is_super(actor):
        raise NotAllowed(
            _("“%(name)s” has more rights than you.") % {"name": user.username},
            _("Ask an administrator who has all rights."),
        )


def _check_other(user: User, actor: User | None) -> None:
    if actor is not None and actor.pk == user.pk:
        raise Conflict(
            _("This is your own account: you would lock yourself out."), _("Ask another administrator.")
        )


def _check_not_last(user: User) -> None:
    others = User.objects.filter(is_active=True, is_staff=True).exclude(pk=user.pk)
    if user.is_staff and user.is_active and not others.exists():
        raise Conflict(
            _("“%(name)s” is the last administrator.") % {"name": user.username},
            _("Make somebody else an administrator first."),
        )


def _note(action: str, user: User, actor: User | None, **data: str) -> None:
    AuditEvent.note(action, actor=actor, account=user.username, **data)
