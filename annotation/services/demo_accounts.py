"""The accounts of the demo: its own, never those of people."""

from __future__ import annotations

import secrets
from itertools import chain, count

from django.contrib.auth.models import User

from annotation.models import AuditEvent

MADE = "account.created"


def demo_account(name: str, *, admin: bool) -> tuple[User, str]:
    """Give an account that the demo made a new password, or make one.

    Where somebody else has the name, the demo's account is called demo-NAME, or demo-NAME-2 and so on. What
    the demo made stands in the audit trail. An account of its own that was renamed, switched off or given
    other rights counts as somebody's.

    Returns:
        The account and its password.
    """
    password = secrets.token_urlsafe(9)
    user = _made_before(name, admin)
    if user is None:
        user = User(username=_free(name), first_name=name.capitalize(), is_staff=admin, is_superuser=admin)
        user.set_password(password)
        user.save()
        AuditEvent.note(MADE, account=user.username, demo=name, number=user.pk)
    else:
        user.set_password(password)
        user.save(update_fields=["password"])
    return user, password


def _made_before(name: str, admin: bool) -> User | None:
    for event in AuditEvent.objects.filter(action=MADE, data__demo=name).order_by("pk"):
        own = {"pk": event.data["number"], "username": event.data["account"], "is_active": True}
        found = User.objects.filter(**own, is_staff=admin, is_superuser=admin).first()
        if found is not None:
            return found
    return None


def _free(name: str) -> str:
    further = (f"demo-{name}-{number}" for number in count(2))
    names = chain([name, f"demo-{name}"], further)
    return next(one for one in names if not User.objects.filter(username__iexact=one).exists())
