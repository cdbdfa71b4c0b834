"""One campaign of each protocol for many browser tests: every test takes a rater of its own from it."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from tests.server import Server

RATERS = 24
N_ITEMS = 6
SOURCE = [f"Window {n} is open, and it is 10 km away." for n in range(N_ITEMS)]
#: With a no-break space, two blanks in a row and a zero-width space: they are to be seen on request.
TARGET = [f"Fenster {n} ist offen,  und es ist 10\u00a0km\u200b weg." for n in range(N_ITEMS)]
OTHER = [f"Das Fenster {n} steht offen, zehn Kilometer weit weg." for n in range(N_ITEMS)]
#: Two thousand characters in a sentence, each way.
LONG = "and then the ferry left the harbour once more, " * 42
LANG = "und dann verließ die Fähre noch einmal den Hafen, " * 40


@dataclass(frozen=True)
class Seat:
    """A rater in a campaign: the link, and what the server holds of the answers."""

    server: Server
    campaign: str
    rater: str
    link: str

    def stored(self, *, history: bool = False) -> list[tuple[str, object]]:
        """Return (translation, answer) of the current judgements in the order they came, or of all."""
        rows = self._read(
            "SELECT c.text, COALESCE(j.score, j.choice), j.is_current FROM annotation_judgement j "
            "JOIN annotation_assignment a ON a.id = j.assignment_id "
            "JOIN annotation_itemcandidate c ON c.item_id = a.item_id AND c.position = 1 "
            "JOIN annotation_participation p ON p.id = a.participation_id "
            "JOIN annotation_rater r ON r.id = p.rater_id JOIN annotation_campaign k ON k.id = p.campaign_id "
            "WHERE k.name = ? AND r.name = ? ORDER BY j.id",
            self.campaign,
            self.rater,
        )
        return [(text, answer) for text, answer, current in rows if history or current]

    def answers(self, *, history: bool = False) -> list[object]:
        """Return the answers alone."""
        return [answer for _, answer in self.stored(history=history)]

    def comments(self) -> list[str]:
        """Return the comments of all judgements of the campaign's rater."""
        rows = self._read(
            "SELECT j.comment FROM annotation_judgement j "
            "JOIN annotation_assignment a ON a.id = j.assignment_id "
            "JOIN annotation_participation p ON p.id = a.participation_id "
            "JOIN annotation_rater r ON r.id = p.rater_id JOIN annotation_campaign k ON k.id = p.campaign_id "
            "WHERE k.name = ? AND r.name = ? ORDER BY j.id",
            self.campaign,
            self.rater,
        )
        return [comment for (comment,) in rows]

    def _read(self, query: str, *parameters: str) -> list[tuple]:  # type: ignore[type-arg]
        path = self.server.folder / "data" / "platform.sqlite3"
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=20)
        try:
            return connection.execute(query, parameters).fetchall()
        finally:
            connection.close()


class Crowd:
    """Campaigns made on first use, and raters handed out one after the other."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._seats: dict[str, Iterator[Seat]] = {}

    def seat(self, kind: str = "source_da") -> Seat:
        """Return the next unused rater of a protocol; `long` and `arabic` are source-based."""
        if kind not in self._seats:
            self._seats[kind] = iter(getattr(self, f"_{kind}")())
        return next(self._seats[kind])

    def _source_da(self) -> list[Seat]:
        """In one document, with skipping, and a break after a minute."""
        write, manage = self._server.write, self._server.manage
        testset = (
            "import_testset", "Windows", "--languages", "en-de", "--source", write("crowd.s", SOURCE),
            "--documents", write("crowd.d", ["news"] * N_ITEMS),
        )  # fmt: skip
        manage(*testset)
        manage("import_output", "Windows", "P", write("crowd.p", TARGET))
        return self._make(
            "Crowd", "--protocol", "source_da", "--testset", "Windows", "--systems", "P",
            "--allow-skip", "--break-after", "1", raters=40,
        )  # fmt: skip

    def _reference_da(self) -> list[Seat]:
        files = (
            *self._files("crowdref", TARGET[:3]),
            "--reference",
            self._server.write("crowdref.r", OTHER[:3]),
        )
        return self._make("Crowd ref", "--protocol", "reference_da", "--languages", "en-de", *files)

    def _pairwise_fluency(self) -> list[Seat]:
        files = self._files("crowdpair", TARGET[:3], OTHER[:3])
        return self._make("Crowd pair", "--protocol", "pairwise_fluency", "--languages", "en-de", *files)

    def _long(self) -> list[Seat]:
        files = self._files("crowdlong", [f"{n} {LANG}" for n in range(2)], source=[LONG, LONG + "2"])
        return self._make("Crowd long", "--protocol", "source_da", "--languages", "en-de", *files, raters=12)

    def _arabic(self) -> list[Seat]:
        texts = [f"النافذة {n} مفتوحة (MS “Anna”, 12:30)." for n in range(3)]
        files = self._files("crowdar", texts)
        return self._make("Crowd ar", "--protocol", "source_da", "--languages", "en-ar", *files, raters=12)

    def _files(self, name: str, *outputs: list[str], source: list[str] | None = None) -> tuple[str, ...]:
        write = self._server.write
        files = ["--source", write(f"{name}.s", source or SOURCE[: len(outputs[0])])]
        for number, lines in enumerate(outputs):
            files += ["--output", f"S{number}=" + write(f"{name}.{number}", lines)]
        return tuple(files)

    def _make(self, name: str, *arguments: str, raters: int = RATERS) -> list[Seat]:
        links = self._server.campaign(name, *arguments, "--judgements", str(raters), raters=raters)
        return [Seat(self._server, name, rater, link) for rater, link in links.items()]
