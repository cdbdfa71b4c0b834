"""People at the pages."""

from django.test import Client


def client_of(user):
    """Return a browser in which somebody is signed in."""
    client = Client()
    client.force_login(user)
    return client
