"""Check the settings on who takes part in a campaign, and on what comes before and after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol
from urllib.parse import urlsplit

from django.conf import settings

from annotation.services.guidelines import text_length_check
from evalplatform.errors import BadInput
from mtcore.corpora.languages import check_tag
from mtcore.services.texts import as_bad_input

#: Words that stand for a language of the campaign.
SIDES = ("source", "target")
#: What the literature asks of raters: fluency is judged by native speakers, a translation also by who
#: understands the source (Edunov et al. 2020, section 3.4).
PAPER = {"source_da": ("source",), "reference_da": ("source",), "pairwise_fluency": ()}
CODE = "{code}"
ADDRESS_LENGTH = 1000


class PeopleSettings(Protocol):
    """What is checked here of a campaign's settings."""

    @property
    def native(self) -> Sequence[str]: ...
    @property
    def fluent(self) -> Sequence[str]: ...
    @property
    def guidelines(self) -> Mapping[str, str]: ...
    @property
    def return_url(self) -> str: ...


def paper_required(
    protocol: str, native: Sequence[str] = (), fluent: Sequence[str] = ()
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the native and fluent languages required where those of the literature are required too."""
    languages = ("target", *native), (*PAPER[protocol], *fluent)
    return tuple(dict.fromkeys(languages[0])), tuple(dict.fromkeys(languages[1]))


def people_check(made: PeopleSettings) -> None:
    """Make sure that languages are known, texts can be shown and raters can be sent back.

    Raises:
        BadInput: a value cannot be used.
    """
    for language in (*made.native, *made.fluent):
        if language not in SIDES:
            with as_bad_input():
                check_tag(language)
    spoken = dict(settings.LANGUAGES)
    for language, text in made.guidelines.items():
        if language not in spoken:
            raise BadInput(
                f"The pages are not written in “{language}”, so nobody would be shown these guidelines.",
                f"Give guidelines for: {', '.join(spoken)}; or without a language, for everybody else.",
            )
        text_length_check(text, f"guidelines ({language})")
    if made.return_url:
        _check_address(made.return_url)


def _check_address(address: str) -> None:
    try:
        parts = urlsplit(address.replace(CODE, "code"))
        host = parts.hostname
    except ValueError:
        parts, host = urlsplit(""), None
    plain = address.replace(CODE, "")
    if (
        parts.scheme != "https"
        or not host
        or parts.username
        or CODE in address.partition("//")[2].split("/")[0]
    ):
        raise BadInput(
            f"“{address[:200]}” is not an address that raters can be sent to.",
            "Give one as https://panel.example.org/complete?cc={code}.",
        )
    if len(address) > ADDRESS_LENGTH or not plain.isprintable() or set(plain) & set(' {}<>"\\'):
        raise BadInput(
            f"The address “{address[:60]}…” holds signs that an address does not have, or is too long.",
            "Give one as https://panel.example.org/complete?cc={code}.",
        )
