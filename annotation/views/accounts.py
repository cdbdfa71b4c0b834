"""Accounts: the list and one account for administrators, and for everybody the own password."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.contrib.auth.models import User
from django.contrib.auth.views import PasswordChangeView, PasswordResetConfirmView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse_lazy
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.models import AuditEvent
from annotation.services.accounts import (
    ADMIN,
    RESEARCHER,
    account_create,
    account_deactivate,
    account_reactivate,
    account_role,
    account_unlock,
    accounts_read,
    password_link,
    token_issue,
    token_revoke,
)
from evalplatform.errors import BadInput, UserError
from evalplatform.people import user_of
from mtcore.views.access import admin_page


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@admin_page
def users(request: HttpRequest) -> HttpResponse:
    """List the accounts; make one and show the link to its password."""
    given = {"name": "", "role": RESEARCHER}
    context: dict[str, Any] = {"section": "users"}
    status = 200
    if request.method == "POST":
        given = {name: request.POST.get(name, "") for name in given}
        actor = user_of(request)
        try:
            made = account_create(**given, actor=actor)
        except UserError as error:
            context["error"], status = error, error.status
        else:
            link = password_link(user=made, actor=actor)
            messages.success(request, _("The account “%(name)s” is made.") % {"name": made.username})
            return _account_page(request, made, {"link": link})
    context |= {"accounts": accounts_read(), "given": given, "roles": role_choices()}
    return render(request, "accounts/users.html", context, status=status)


@require_safe
@never_cache
@admin_page
def user(request: HttpRequest, pk: int) -> HttpResponse:
    """Show an account and what can be done with it."""
    return _account_page(request, get_object_or_404(User, pk=pk), {})


@require_POST
@never_cache
@admin_page
def user_change(request: HttpRequest, pk: int) -> HttpResponse:
    """Do one of the things that the page of an account offers; links and tokens are shown this once."""
    found, actor = get_object_or_404(User, pk=pk), user_of(request)
    action = request.POST.get("action", "")
    if action == "link":
        return _account_page(request, found, {"link": password_link(user=found, actor=actor)})
    if action == "token":
        return _account_page(request, found, {"token": token_issue(user=found, actor=actor)})
    if action == "role":
        account_role(user=found, role=request.POST.get("role", ""), actor=actor)
        said = _("The role of “%(name)s” is changed.")
    elif action in CHANGES:
        change, words = CHANGES[action]
        change(user=found, actor=actor)
        said = words()
    else:
        raise BadInput(_("There is nothing of that kind to do."), _("Use the buttons of the page."))
    messages.success(request, said % {"name": found.username})
    return redirect("user", pk=pk)


CHANGES: dict[str, tuple[Any, Any]] = {
    "deactivate": (
        account_deactivate,
        lambda: _("“%(name)s” can no longer sign in; sessions and the API token have ended."),
    ),
    "reactivate": (account_reactivate, lambda: _("“%(name)s” can sign in again.")),
    "unlock": (account_unlock, lambda: _("“%(name)s” can try a password again.")),
    "revoke": (token_revoke, lambda: _("The API token of “%(name)s” no longer works.")),
}
"""What a button does, and what is said then."""


def role_choices() -> list[tuple[str, str]]:
    """Return the roles with their words."""
    return [
        (RESEARCHER, _("researcher: own and shared studies")),
        (ADMIN, _("administrator: everything")),
    ]


def _account_page(request: HttpRequest, found: User, once: dict[str, str]) -> HttpResponse:
    account = accounts_read(User.objects.filter(pk=found.pk))[0]
    context = {
        "section": "users",
        "account": account,
        "is_own": found.pk == request.user.pk,
        "is_higher": found.is_superuser and not request.user.is_superuser,
        "other_role": RESEARCHER if account.role == ADMIN else ADMIN,
        "studies": found.studies.order_by("name"),
        "shared": found.shared_studies.order_by("name"),
    }
    return render(request, "accounts/user.html", context | once)


class PasswordSet(PasswordResetConfirmView):
    """Set a password by the link that an administrator handed over."""

    template_name = "accounts/password.html"
    success_url = reverse_lazy("login")

    def form_valid(self, form: SetPasswordForm[User]) -> HttpResponse:
        """Keep it, and say where to go on."""
        response = super().form_valid(form)
        AuditEvent.note("account.password", actor=form.user, account=form.user.get_username())
        messages.success(self.request, _("The password is set. Sign in with it."))
        return response


class PasswordChange(PasswordChangeView):
    """Change the own password."""

    template_name = "accounts/password.html"
    success_url = reverse_lazy("campaigns")
    extra_context = {"is_change": True, "validlink": True}

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        """Keep it; this browser stays signed in, others do not."""
        response = super().form_valid(form)
        AuditEvent.note("account.password", account=self.request.user.get_username())
        messages.success(self.request, _("The password is changed."))
        return response
