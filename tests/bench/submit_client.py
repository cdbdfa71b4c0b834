"""Raters as a server sees their browsers: answer after answer, screens fetched ahead, no thinking."""

import http.client
import json
import re
import secrets
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

from tests.db.test_rating_race import Browser
from tests.paths import ROOT

SCREENS = (ROOT / "static/js/screens.js").read_text("utf-8")
AHEAD, AT_ONCE = (int(re.search(rf"{name} = (\d+)", SCREENS)[1]) for name in ("AHEAD", "AT_ONCE"))  # type: ignore[index]


class Rater:
    """A signed-in rater on one connection."""

    def __init__(self, url: str, link: str) -> None:
        browser = Browser(url, 1)
        page_path = browser.enter(link)
        _, self.page = browser.send("GET", page_path)
        self.config = self._json("config")
        screen = self._json("screen")
        self.headers = {
            "Cookie": "; ".join(f"{name}={value}" for name, value in browser.cookies.items()),
            "Content-Type": "application/json", "Accept": "application/json",
            "X-CSRFToken": self.config["csrf"],
        }  # fmt: skip
        self.connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=120)
        self.ahead = [screen["key"]]
        self.last = screen["key"]
        self.requests = 0

    def _json(self, name: str) -> dict:  # type: ignore[type-arg]
        found = re.search(rf'<script id="{name}"[^>]*>(.*?)</script>', self.page)
        assert found, name
        return json.loads(found[1])

    def ask(self, method: str, path: str, body: str | None = None) -> dict:  # type: ignore[type-arg]
        """Send a request and return the JSON of the reply."""
        self.connection.request(method, path, body, self.headers)
        reply = self.connection.getresponse()
        text = reply.read()
        assert reply.status == 200, text
        self.requests += 1
        return json.loads(text)

    def rate(self, n: int) -> None:
        """Rate n items as the page does: answer, and fetch more screens when fewer than AHEAD are at hand."""
        urls = self.config["urls"]
        self.connection.close()  # the server has ended one that was idle; it opens by itself
        for _ in range(n):
            key = self.ahead.pop(0)
            self.ask("POST", urls["answers"], answer(key))
            if len(self.ahead) < AHEAD:
                n = max(AT_ONCE, AHEAD - len(self.ahead))
                found = self.ask("GET", f"{urls['screens']}?after={self.last}&n={n}")["screens"]
                self.ahead += [one["key"] for one in found]
                self.last = self.ahead[-1]


class Bare:
    """A client of the bare view."""

    def __init__(self, url: str) -> None:
        self.connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=120)
        self.requests = 0

    def rate(self, n: int) -> None:
        """Send n answers."""
        self.connection.close()
        for _ in range(n):
            self.connection.request("POST", "/answers", answer(secrets.token_urlsafe(16)))
            reply = self.connection.getresponse()
            assert reply.status == 200, reply.read()
            reply.read()
            self.requests += 1


def answer(key: str) -> str:
    """Return the body of an answer."""
    sent = {"assignment": key, "client_key": secrets.token_urlsafe(16), "answers": {"score": 64}}
    return json.dumps(sent | {"comment": "", "active_ms": 900})


def together(
    raters: Sequence[Rater | Bare], n: int, processor: Callable[[], float]
) -> tuple[float, float, float]:
    """Let all rate n items at once.

    Returns ratings a second, the server's processor seconds a rating, and requests a rating.
    """
    before = (time.perf_counter(), processor(), sum(one.requests for one in raters))
    with ThreadPoolExecutor(len(raters)) as pool:
        list(pool.map(lambda one: one.rate(n), raters))
    whole = n * len(raters)
    seconds = time.perf_counter() - before[0]
    asked = sum(one.requests for one in raters) - before[2]
    return whole / seconds, (processor() - before[1]) / whole, asked / whole
