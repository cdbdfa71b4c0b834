"""Sixteen raters while the server is killed under them: nothing lost, nothing doubled, "saved" always true.

The clients are what the page's outbox is: an answer goes out under its key until the server acknowledges it.
"""

import http.client
import json
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests import server as servers
from tests.db.test_rating_race import Browser, _stored, check
from tests.reachable import postgres

pytestmark = pytest.mark.process

RATERS, SEGMENTS, JUDGEMENTS = 16, 9, 8
ANSWERS = SEGMENTS * 2 * JUDGEMENTS
PATIENCE = 240


class Outbox(Browser):
    """A browser that sends again what got no reply, and remembers what was acknowledged."""

    acknowledged: "list[tuple[str, float]]"
    unanswered = 0

    def send(self, method, path, body=None, headers=None, hang_up=False):  # type: ignore[no-untyped-def]
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return super().send(method, path, body, headers, hang_up)
            except (OSError, http.client.HTTPException):
                self.unanswered += 1
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)

    def post(self, path, body, hang_up=False):  # type: ignore[no-untyped-def]
        reply, text = super().post(path, body, False)
        if reply.status == 200 and json.loads(text)["saved"]:
            self.acknowledged.append((body["assignment"], body["answers"]["score"]))
        return reply, text


def kill_under(folder, moments, database_url=""):  # type: ignore[no-untyped-def]
    with servers.running(folder, database_url=database_url, workers=1) as server:
        source = server.write("source", [f"Sentence {n} about the harbour." for n in range(SEGMENTS)])
        outputs = [
            part
            for name in "AB"
            for part in (
                "--output",
                f"{name}={server.write(name, [f'{name} {n}.' for n in range(SEGMENTS)])}",
            )
        ]
        links = server.campaign(
            "Killed", "--protocol", "source_da", "--languages", "en-de", "--source", source, *outputs,
            "--judgements", str(JUDGEMENTS), raters=RATERS,
        )  # fmt: skip
        browsers = [Outbox(server.url, seed) for seed in range(RATERS)]
        for browser in browsers:
            browser.acknowledged = []

        def acknowledged() -> int:
            return sum(len(browser.acknowledged) for browser in browsers)

        def kill() -> None:
            for share in moments:
                while acknowledged() < share * ANSWERS:
                    time.sleep(0.02)
                server.kill()
                time.sleep(0.3)
                server.start()

        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        with ThreadPoolExecutor(RATERS) as pool:
            given = list(
                pool.map(lambda pair: pair[0].rate_all(pair[1]), zip(browsers, links.values(), strict=True))
            )
        killer.join(timeout=PATIENCE)
        assert not killer.is_alive()
        return given, browsers, _stored(server)


def survive(given, browsers, stored):  # type: ignore[no-untyped-def]
    assert sum(browser.unanswered for browser in browsers) > 0  # it was killed while they worked
    statuses = sum((browser.statuses for browser in browsers), Counter())
    assert not [status for status in statuses if status >= 400], statuses
    said = {answer for browser in browsers for answer in browser.acknowledged}
    kept = [(assignment, score) for _, assignment, score in stored["rows"]]
    assert said <= set(kept)  # what was called saved is there
    assert len({key for key, _, _ in stored["rows"]}) == len(kept)
    check(given, stored, ANSWERS)


def test_killed_twice_on_sqlite(tmp_path):
    survive(*kill_under(tmp_path, (0.2, 0.6)))


@pytest.mark.skipif(postgres() is None, reason="no PostgreSQL server answers on 127.0.0.1:5432")
def test_killed_on_postgresql(tmp_path):
    with servers.own_postgres(migrated=True) as url:
        survive(*kill_under(tmp_path, (0.4,), url))
