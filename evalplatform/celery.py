"""The Celery application: wake-ups only, rows decide."""

from celery import Celery

from evalplatform.env import use_settings

use_settings()
app = Celery("evalplatform")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
