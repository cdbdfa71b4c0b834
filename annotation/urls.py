"""Addresses of the human-evaluation wing."""

urlpatterns: list = []
