"""A tiny test set of our own in a cache of sacrebleu's, under a name and in the format of its wmt19."""

from pathlib import Path

SOURCES = ["The ferry leaves at noon.", "The pier is closed today.", "A gull sits on the lamp."]
REFERENCES = [
    "Die Fähre fährt mittags ab.",
    "Der Pier ist heute geschlossen.",
    "Eine Möwe sitzt auf der Lampe.",
]
FIELDS = {
    "src": SOURCES,
    "ref": REFERENCES,
    "docid": ["harbour.1", "harbour.1", "gull.2"],
    "genre": ["news"] * 3,
    "origlang": ["en", "en", "de"],
}


def cache_texts(cache: Path) -> None:
    """Put the texts there as sacrebleu leaves them after its first use."""
    folder = cache / "wmt19"
    folder.mkdir(parents=True)
    for field, lines in FIELDS.items():
        (folder / f"wmt19.en-de.{field}").write_text("".join(f"{line}\n" for line in lines), "utf-8")


def cache_raw(cache: Path) -> None:
    """Put the files there as sacrebleu leaves them when it has unpacked what it fetched, and no more."""
    raw = cache / "wmt19" / "raw"
    (raw / "sgm").mkdir(parents=True)
    (raw / "wmt19.test.tgz").write_bytes(b"unpacked already")
    for side, lines in (("src", SOURCES), ("ref", REFERENCES)):
        text = f'<{side}set setid="newstest2019" srclang="any">\n'
        for document, origin, wanted in (("harbour.1", "en", lines[:2]), ("gull.2", "de", lines[2:])):
            text += f'<doc docid="{document}" genre="news" origlang="{origin}">\n'
            text += "".join(f'<seg id="{n}">{line}</seg>\n' for n, line in enumerate(wanted, 1))
            text += "</doc>\n"
        (raw / "sgm" / f"newstest2019-ende-{side}.{'en' if side == 'src' else 'de'}.sgm").write_text(
            f"{text}</{side}set>\n", "utf-8"
        )
