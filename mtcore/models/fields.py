"""Columns that several tables share."""

import hashlib

from django.db import models

NAME_LENGTH = 120
LANGUAGE_LENGTH = 35


def sha256(text: str) -> str:
    """Return the hexadecimal SHA-256 of a text in UTF-8."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def name_field(**options: object) -> "models.CharField[str, str]":
    """Return a column for a name kept verbatim (1–120 printable characters, no `|`)."""
    return models.CharField(max_length=NAME_LENGTH, **options)  # type: ignore[arg-type]


def hash_field(**options: object) -> "models.CharField[str, str]":
    """Return a column for a hexadecimal SHA-256."""
    return models.CharField(max_length=64, blank=True, default="", **options)  # type: ignore[arg-type]
