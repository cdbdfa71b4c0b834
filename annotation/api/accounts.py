"""The API: accounts of researchers and administrators, for administrators."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.services.accounts import (
    NAME_LENGTH,
    RESEARCHER,
    ROLES,
    STATES,
    account_create,
    account_deactivate,
    account_reactivate,
    account_role,
    account_unlock,
    accounts_order,
    accounts_read,
    password_link,
    token_issue,
    token_revoke,
)
from evalplatform.api import Pages, asked
from evalplatform.asks import Asked, NothingAsked
from evalplatform.idempotency import idempotent
from evalplatform.people import user_of
from mtcore.api.permissions import IsAdministrator


class AccountSerializer(serializers.Serializer):
    """An account as it stands."""

    id = serializers.IntegerField(source="user.pk")
    name = serializers.CharField(source="user.username")
    role = serializers.ChoiceField(ROLES)
    state = serializers.ChoiceField(STATES)
    n_studies = serializers.IntegerField(help_text="own and shared ones")
    has_token = serializers.BooleanField()
    locked_until = serializers.DateTimeField(allow_null=True, help_text="no password is taken before")
    last_login = serializers.DateTimeField(source="user.last_login", allow_null=True)


class AccountsSerializer(serializers.Serializer):
    """A page of accounts."""

    count = serializers.IntegerField()
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = AccountSerializer(many=True)


class NewAccountSerializer(Asked):
    """An account to be made."""

    name = serializers.CharField(max_length=NAME_LENGTH, help_text="letters, digits and @ . + - _")
    role = serializers.ChoiceField(ROLES, default=RESEARCHER)


class RoleSerializer(Asked):
    """What a person may do here."""

    role = serializers.ChoiceField(ROLES)


class AccountStateSerializer(Asked):
    """Whether anybody can sign in with an account."""

    state = serializers.ChoiceField(["open", "closed"])


class PasswordLinkSerializer(serializers.Serializer):
    """The link by which the owner of an account sets the password."""

    link = serializers.URLField()


class IssuedSerializer(serializers.Serializer):
    """A new API token; it is shown this once."""

    token = serializers.CharField()


class Accounts(APIView):
    """The accounts: who can sign in."""

    permission_classes = [IsAdministrator]

    @extend_schema(
        operation_id="accounts",
        responses=AccountsSerializer,
        parameters=[
            OpenApiParameter("name", str),
            OpenApiParameter("limit", int),
            OpenApiParameter("offset", int),
        ],
    )
    def get(self, request: Request) -> Response:
        """List them, those that are open first, by name; `name` in the query finds one."""
        name = request.query_params.get("name")
        users = accounts_order(User.objects.filter(username=name) if name else User.objects.all())
        pages = Pages()
        found: list[User] = pages.paginate_queryset(users, request, view=self) or []
        shown = accounts_read(User.objects.filter(pk__in=[one.pk for one in found]))
        return pages.get_paginated_response(AccountSerializer(shown, many=True).data)

    @extend_schema(
        operation_id="account_create", request=NewAccountSerializer, responses={201: AccountSerializer}
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """Make one without a password; its `link/` gives the way to set it."""
        given = asked(NewAccountSerializer, request.data)
        made = account_create(**given, actor=user_of(request))
        return Response(_shown(made), status=HTTPStatus.CREATED)


class OfAccount(APIView):
    """Something of one account."""

    permission_classes = [IsAdministrator]

    def account(self, pk: int) -> User:
        """Return it, or 404."""
        return get_object_or_404(User, pk=pk)


class AccountDetail(OfAccount):
    """One account."""

    @extend_schema(operation_id="account", responses=AccountSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """Show it."""
        return Response(_shown(self.account(pk)))


class Role(OfAccount):
    """What the owner of an account may do."""

    @extend_schema(operation_id="account_role", request=RoleSerializer, responses=AccountSerializer)
    @idempotent
    def post(self, request: Request, pk: int) -> Response:
        """Change it; the own role and that of the last administrator stay (409)."""
        user, given = self.account(pk), asked(RoleSerializer, request.data)
        account_role(user=user, actor=user_of(request), **given)
        return Response(_shown(user))


class AccountState(OfAccount):
    """Whether anybody can sign in with an account."""

    @extend_schema(operation_id="account_state", request=AccountStateSerializer, responses=AccountSerializer)
    @idempotent
    def post(self, request: Request, pk: int) -> Response:
        """Close it (sessions and API token end) or open it; being so already is a conflict (409)."""
        user, given = self.account(pk), asked(AccountStateSerializer, request.data)
        change = account_reactivate if given["state"] == "open" else account_deactivate
        change(user=user, actor=user_of(request))
        return Response(_shown(user))


class _Change(OfAccount):
    """A change that needs no more words."""

    change: Callable[..., None]

    @extend_schema(request=None, responses=AccountSerializer)
    @idempotent
    def post(self, request: Request, pk: int) -> Response:
        """Do it; where there is nothing to do, that is a conflict (409)."""
        asked(NothingAsked, request.data)
        user = self.account(pk)
        type(self).change(user=user, actor=user_of(request))
        return Response(_shown(user))


class Unlock(_Change):
    """Forget the wrong passwords that were given for a name."""

    change = staticmethod(account_unlock)


class RevokeToken(_Change):
    """End the API token of an account."""

    change = staticmethod(token_revoke)


class PasswordLink(OfAccount):
    """The way to set a password, for the owner of an account. Nothing is mailed."""

    @extend_schema(operation_id="account_link", request=None, responses=PasswordLinkSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Give a link that works once, within some days; it is not kept for an `Idempotency-Key`."""
        asked(NothingAsked, request.data)
        link = password_link(user=self.account(pk), actor=user_of(request))
        return Response({"link": link})


class IssueToken(OfAccount):
    """A new API token of an account."""

    @extend_schema(operation_id="account_token", request=None, responses=IssuedSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Give one, this once; an older one stops working. It is not kept for an `Idempotency-Key`."""
        asked(NothingAsked, request.data)
        token = token_issue(user=self.account(pk), actor=user_of(request))
        return Response({"token": token})


def _shown(user: User) -> dict[str, object]:
    found: QuerySet[User] = User.objects.filter(pk=user.pk)
    return dict(AccountSerializer(accounts_read(found)[0]).data)
