"""PostgreSQL is stopped under raters and started again: nothing lost, nothing doubled.

Clients do as the page's outbox does: what fails on the way, or is answered with an error of the server, goes
out again under its key until it is acknowledged.
"""

import json
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests import server as servers
from tests.db.test_rating_race import RATERS, _stored, check
from tests.db.test_server_killed import PATIENCE, Outbox
from tests.postgres_server import absent, private_postgres

pytestmark = [
    pytest.mark.process,
    pytest.mark.long,
    pytest.mark.skipif(bool(absent()), reason=absent() or "there is a server"),
]

SEGMENTS, JUDGEMENTS = 9, 8
ANSWERS = SEGMENTS * 2 * JUDGEMENTS
AWAY_SECONDS = 2


class Patient(Outbox):
    """A browser that also sends again what the server could not do."""

    def send(self, method, path, body=None, headers=None, hang_up=False):
        until = time.monotonic() + PATIENCE
        while True:
            found = super().send(method, path, body, headers, hang_up)
            if found is None or found[0].status < 500:
                return found
            reply, text = found
            assert reply.status == 503 and reply.headers["Retry-After"], (reply.status, text[:500])
            if (headers or {}).get("Accept") == "application/json":
                assert reply.headers["Content-Type"] == "application/problem+json"
                assert json.loads(text)["remedy"]
            assert time.monotonic() < until, "the server never came back"
            time.sleep(0.2)


def test_the_database_is_restarted_twice_under_sixteen_raters(tmp_path):
    with (
        private_postgres() as postgres,
        servers.running(tmp_path, database_url=postgres.url, workers=2) as server,
    ):
        source = server.write("source", [f"Sentence {n} about the harbour." for n in range(SEGMENTS)])
        outputs = [f"{name}={server.write(name, [f'{name} {n}.' for n in range(SEGMENTS)])}" for name in "AB"]
        links = server.campaign(
            "Restarted", "--protocol", "source_da", "--languages", "en-de", "--source", source,
            *[part for output in outputs for part in ("--output", output)],
            "--judgements", str(JUDGEMENTS), raters=RATERS,
        )  # fmt: skip
        browsers = [Patient(server.url, seed) for seed in range(RATERS)]
        for browser in browsers:
            browser.acknowledged = []
        failed: list[BaseException] = []

        def restart():
            try:
                for share in (0.2, 0.6):
                    while sum(len(one.acknowledged) for one in browsers) < share * ANSWERS:
                        time.sleep(0.02)
                    postgres.stop()
                    time.sleep(AWAY_SECONDS)
                    postgres.start()
            except BaseException as error:
                failed.append(error)
                raise

        restarter = threading.Thread(target=restart, daemon=True)
        restarter.start()
        with ThreadPoolExecutor(RATERS) as pool:
            given = list(
                pool.map(lambda pair: pair[0].rate_all(pair[1]), zip(browsers, links.values(), strict=True))
            )
        restarter.join(timeout=PATIENCE)
        assert not restarter.is_alive() and not failed
        stored = _stored(server)
    statuses = sum((browser.statuses for browser in browsers), Counter())
    assert statuses[503] > 0, statuses  # it was away while they worked
    assert not [status for status in statuses if status >= 400 and status != 503], statuses
    said = {answer for browser in browsers for answer in browser.acknowledged}
    kept = [(assignment, score) for _, assignment, score in stored["rows"]]
    assert said <= set(kept)  # what was called saved is there
    assert len({key for key, _, _ in stored["rows"]}) == len(kept)
    check(given, stored, ANSWERS)


def test_pages_say_that_the_database_is_away(tmp_path):
    with (
        private_postgres() as postgres,
        servers.running(tmp_path, database_url=postgres.url, workers=1) as server,
    ):
        browser = Outbox(server.url, 1)
        postgres.stop()
        try:
            reply, text = browser.send("GET", "/campaigns/", headers={"Cookie": "sessionid=" + "a" * 32})
            assert reply.status == 503 and "The database does not answer" in text, text[:500]
            reply, text = browser.send(
                "GET", "/api/v1/campaigns/", headers={"Authorization": "Token " + "a" * 40}
            )
            assert reply.status == 503 and reply.headers["Content-Type"] == "application/problem+json"
            assert "OperationalError" not in text and reply.headers["Retry-After"]
        finally:
            postgres.start()
        reply, _ = browser.send("GET", "/campaigns/", headers={"Cookie": "sessionid=" + "a" * 32})
        assert reply.status == 302
        assert browser.send("GET", "/login/")[0].status == 200
