"""Wiring: environment, settings, Celery, URLs, errors."""

from evalplatform.celery import app as celery_app

__all__ = ["celery_app"]
