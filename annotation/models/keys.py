"""Public keys: random names that stand in for database ids wherever a rater looks."""

import secrets


def public_key() -> str:
    """Return 22 random URL-safe characters (132 bits)."""
    return secrets.token_urlsafe(16)
