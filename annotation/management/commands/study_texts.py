"""Say which corpora belong to a study, and which systems share a row of its tables."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from annotation.services.studies import study_named
from annotation.services.study_tables.material import rows_chosen
from annotation.services.study_tables.texts import ROLES, study_texts_set, texts_of
from evalplatform.commands import HouseCommand
from evalplatform.errors import BadInput
from evalplatform.words import quoted


class Command(HouseCommand):
    """Set the texts and rows of a study's tables, or print them."""

    help = (
        "Name what the tables of a study (report_study) are made from beside its test sets: corpora to "
        "train, develop and test with, systems' translations of the training text, and which systems stand "
        "in one row. Without options: print what is set. Systems trained here bring their corpora along."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Name the study and its texts."""
        parser.add_argument("name", metavar="NAME", help="name of the study")
        for role in ROLES:
            parser.add_argument(
                f"--{role}", nargs="*", metavar="CORPUS", help="parallel text; none takes away what is set"
            )
        parser.add_argument(
            "--translation", nargs="+", action="extend", default=[], metavar="SYSTEM=CORPUS",
            help="what a system has made of the source of the training text; SYSTEM= takes it away",
        )  # fmt: skip
        parser.add_argument(
            "--row", nargs="+", action="append", default=[], metavar="LABEL=SYSTEM",
            help="a row of the tables, as --row TRANS=en-fr-trans fr-en-trans: one system for each language "
            "pair; once for each row. LABEL= takes it away",
        )  # fmt: skip

    def run(self, **options: Any) -> None:
        """Set and print."""
        study = study_named(options["name"])
        corpora = {role: options[role] for role in ROLES if options[role] is not None}
        translations = dict(_split(one, "SYSTEM=CORPUS") for one in options["translation"])
        rows = {}
        for first, *others in options["row"]:
            label, system = _split(first, "LABEL=SYSTEM")
            rows[label] = [name for name in (system, *others) if name]
        if corpora or translations or rows:
            study_texts_set(study=study, corpora=corpora, translations=translations, rows=rows)
        texts = texts_of(study)
        for role in ROLES:
            self.stdout.write(f"{role}: {quoted(texts.corpora.get(role, ())) or '–'}")
        for system, corpus in texts.translations.items():
            self.stdout.write(f"translation by {system}: “{corpus}”")
        for label, systems in rows_chosen(study).items():
            self.stdout.write(f"row {label}: {quoted(systems)}")


def _split(argument: str, form: str) -> tuple[str, str]:
    name, found, value = argument.rpartition("=") if argument.endswith("=") else argument.partition("=")
    if not found or not name:
        raise BadInput(f"“{argument}” is not {form}.", f"Write {form}.")
    return name, value
