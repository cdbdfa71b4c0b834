"""The machine-translation wing."""

from django.apps import AppConfig


class MtcoreConfig(AppConfig):
    """Test sets, corpora, systems, runs, metrics."""

    name = "mtcore"
    verbose_name = "Machine translation"
