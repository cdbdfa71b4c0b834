"""Count what is stored, to see that nothing was."""

from django.apps import apps


def row_counts() -> dict[str, int]:
    """Return the number of rows of every table of both wings."""
    return {
        model._meta.db_table: model._default_manager.count()
        for app in ("mtcore", "annotation")
        for model in apps.get_app_config(app).get_models(include_auto_created=True)
    }
