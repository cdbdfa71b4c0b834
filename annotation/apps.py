"""The human-evaluation wing."""

from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    """Studies, campaigns, raters, judgements."""

    name = "annotation"
    verbose_name = "Human evaluation"
