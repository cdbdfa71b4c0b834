"""The texts a campaign shows to raters before they begin: their limits, and what of them is not shown."""

from __future__ import annotations

from urllib.parse import urlsplit

from markdown_it import MarkdownIt

from evalplatform.errors import BadInput
from evalplatform.words import counted

TEXT_LENGTH = 100_000


def text_length_check(text: str, what: str) -> None:
    """Make sure that a text for raters is one to be read.

    Raises:
        BadInput: it has more than 100,000 characters.
    """
    if len(text) > TEXT_LENGTH:
        raise BadInput(
            f"The {what} has {len(text):,} characters; {TEXT_LENGTH:,} are possible.",
            "Shorten it, or link to a longer text.",
        )


def guidelines_notices(text: str) -> tuple[str, ...]:
    """Say which images of guidelines (Markdown) raters will not see: pages load nothing from other hosts."""
    hosts = [urlsplit(address).netloc for address in _images(text)]
    foreign = list(dict.fromkeys(host for host in hosts if host))
    if not foreign:
        return ()
    n = sum(1 for host in hosts if host)
    return (
        f"the guidelines have {counted(n, 'image')} on other hosts ({', '.join(foreign[:5])}), which raters "
        "will not be shown: pages load nothing from elsewhere. Write images into the text as data: addresses",
    )


def _images(text: str) -> list[str]:
    """Return the addresses of the images of a Markdown text."""
    inside = [
        token
        for block in MarkdownIt("commonmark", {"html": False}).parse(text)
        for token in block.children or ()
    ]
    return [str(token.attrs.get("src", "")) for token in inside if token.type == "image"]
