"""Submit and next: what an answer costs the server, in an empty campaign and beside a million judgements."""

import json
import re
import subprocess
import sys
import tempfile
import urllib.request
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from tests.bench.submit_client import Bare, Rater, together
from tests.bench.timing import Section, table
from tests.paths import ROOT
from tests.reachable import postgres
from tests.server import Server, own_postgres, running

RATERS, EACH, WARM = 16, 60, 3
SEGMENTS, JUDGEMENTS = 160, 8
MILLISECONDS, QUERIES, SHARE, KILOBYTES = 10, 12, 0.2, 100
PEERS = (
    "For comparison, measured earlier on a machine of the same size and not in this run: Appraise takes "
    "48–61 ms and 32 → 326 queries as a task fills, 7–12 ratings a second; Pearmut 2 ms (16 ms in a pool, "
    "100 ms beside 100,000 judgements), 157–198 ratings a second (4 beside 100,000)."
)


@dataclass
class Found:
    """What was measured on one database."""

    name: str
    bare: tuple[float, float, float]
    empty: tuple[float, float, float]
    full: tuple[float, float, float]
    queries: dict[str, dict[str, int]]
    page: tuple[int, int, list[str]]

    def per_rating(self, when: str) -> float:
        """Return the queries of an answer with its share of fetching ahead."""
        asked = (self.empty if when == "empty" else self.full)[2]
        return self.queries[when]["answer"] + (asked - 1) * self.queries[when]["screens"]


def measure() -> Section:
    """Measure on SQLite, and on PostgreSQL where there is one."""
    section = Section("Submit and next", "")
    found = [_measure("SQLite", nullcontext(""))]
    if postgres():
        found.append(_measure("PostgreSQL", own_postgres()))
    for one in found:
        for when, measured in (("empty", one.empty), ("full", one.full)):
            where = f"{one.name}, {'empty campaign' if when == 'empty' else 'a million judgements'}"
            section.promise(
                f"{where}: at most {MILLISECONDS} ms of processor time a rating",
                measured[1] * 1000 <= MILLISECONDS,
            )
            section.promise(f"{where}: at most {QUERIES} queries a rating", one.per_rating(when) <= QUERIES)
        section.promise(
            f"{one.name}: beside a million judgements the same within {SHARE:.0%}",
            abs(one.full[1] / one.empty[1] - 1) <= SHARE,
        )
        section.promise(
            f"{one.name}: the first page has at most {KILOBYTES} kB and no foreign host",
            one.page[0] <= KILOBYTES * 1000 and not one.page[2],
        )
    section.text = _text(found)
    return section


def _text(found: list[Found]) -> str:
    rows = []
    for one in found:
        rows.append([f"{one.name}, bare view", f"{one.bare[1] * 1000:.1f} ms", "1", f"{one.bare[0]:.0f}"])
        for words, measured, when in (("empty", one.empty, "empty"), ("1,000,000 stored", one.full, "full")):
            rows.append(
                [
                    f"{one.name}, {words}", f"{measured[1] * 1000:.1f} ms", f"{one.per_rating(when):.1f}",
                    f"{measured[0]:.0f}",
                ]
            )  # fmt: skip
    first = found[0]
    asked = first.queries["empty"]
    return (
        f"{RATERS} raters without a pause, through gunicorn and all middleware as `manage.py serve` runs "
        "them (one process, eight threads); clients on the same cores. A rating is an answer and its share "
        f"of fetching screens ahead, as the page does it ({first.empty[2]:.2f} requests); processor time is "
        "that of the server's processes, user and system. *Bare view*: Django without middleware, reading "
        "JSON and writing one row, under the same server and database. Transactions count as queries: "
        f"{asked['answer']} for an answer, {asked['screens']} for fetching ahead, {asked['page']} for a "
        "page.\n\n"
        + table(["", "processor", "queries", "ratings a second"], rows)
        + f"\n\nThe first page with its styles and scripts: {first.page[0] / 1000:.0f} kB in {first.page[1]} "
        f"files, all from the platform's own host.\n\n{PEERS}"
    )


def _measure(name: str, database: Any) -> Found:
    with tempfile.TemporaryDirectory() as folder, database as url:
        bare = _bare(Path(folder), url)
        with running(Path(folder), database_url=url, workers=1, threads=8) as server:
            links = list(_campaign(server).values())
            raters = [Rater(server.url, link) for link in links[:RATERS]]
            page = _weigh(server.url, raters[0].page)
            together(raters, WARM, server.processor_seconds)
            queries = {"empty": _worker(server, "queries", f"R{RATERS + 1}")}
            empty = together(raters, EACH, server.processor_seconds)
            _worker(server, "fill")
            queries["full"] = _worker(server, "queries", f"R{RATERS + 2}")
            together(raters, WARM, server.processor_seconds)
            full = together(raters, EACH, server.processor_seconds)
    return Found(name, bare, empty, full, queries, page)


def _bare(folder: Path, url: str) -> tuple[float, float, float]:
    """Measure the bare view on a database of the same kind."""
    (folder / "bare").mkdir()
    with running(
        folder / "bare", database_url=url, workers=1, threads=8, application="tests.bench.bare"
    ) as server:
        subprocess.run(
            [sys.executable, "-m", "tests.bench.bare"], cwd=ROOT, env=server.environment, check=True
        )
        clients = [Bare(server.url) for _ in range(RATERS)]
        together(clients, WARM, server.processor_seconds)
        return together(clients, EACH, server.processor_seconds)


def _campaign(server: Server) -> dict[str, str]:
    lines = [f"Sentence {n} about the harbour and the road that leads to it." for n in range(SEGMENTS)]
    source = server.write("source", lines)
    outputs = []
    for name in "AB":
        lines = [f"Satz {n} von {name} über den Hafen und den Weg dorthin." for n in range(SEGMENTS)]
        outputs.append(f"{name}={server.write(name, lines)}")
    return server.campaign(
        "Submit", "--protocol", "source_da", "--languages", "en-de", "--source", source,
        *[part for output in outputs for part in ("--output", output)],
        "--judgements", str(JUDGEMENTS), raters=RATERS + 2,
    )  # fmt: skip


def _worker(server: Server, *arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.bench.submit_worker", *arguments]
    done = subprocess.run(
        command, cwd=ROOT, env=server.environment, stdout=subprocess.PIPE, check=True, text=True
    )
    return json.loads(done.stdout)


def _weigh(url: str, page: str) -> tuple[int, int, list[str]]:
    """Return bytes on the wire and number of the page with all it loads, and hosts that are not ours."""
    loaded = re.findall(r'<(?:script|link|img)[^>]*\b(?:src|href)="([^"]+)"', page)
    addresses = {urljoin(url, address) for address in loaded}
    foreign = sorted({urlsplit(one).netloc for one in addresses} - {urlsplit(url).netloc})
    own = [one for one in addresses if urlsplit(one).netloc not in foreign]
    packed = [urllib.request.Request(one, headers={"Accept-Encoding": "gzip"}) for one in own]
    sizes = [len(urllib.request.urlopen(one).read()) for one in packed]
    return len(page.encode()) + sum(sizes), 1 + len(sizes), foreign
