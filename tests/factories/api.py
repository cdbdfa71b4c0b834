"""Who asks the API in tests."""

from typing import Any

from django.contrib.auth.models import User
from rest_framework.test import APIClient


def client_of(name: str, **more: Any) -> APIClient:
    """Make a user and return a client that is signed in as that user; `more` are fields of the user."""
    client = APIClient()
    client.force_login(User.objects.create_user(name, **more))
    return client
