"""Many raters at once against a real server: nothing lost, nothing doubled, nothing over-assigned.

Clients behave as browsers on a bad network do: they hang up before the reply, send again, send twice at once.
"""

import csv
import http.client
import io
import json
import random
import re
import secrets
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from http.cookies import SimpleCookie
from urllib.parse import urlencode, urlsplit

import pytest

from tests import server as servers
from tests.reachable import postgres

pytestmark = pytest.mark.process

RATERS, SEGMENTS, JUDGEMENTS = 16, 24, 6


class Browser:
    """A rater's browser: cookies, the form's token, a seeded temper."""

    def __init__(self, url: str, seed: int) -> None:
        self.host = urlsplit(url).netloc
        self.cookies: dict[str, str] = {}
        self.random = random.Random(seed)
        self.statuses: Counter[int] = Counter()

    def send(self, method, path, body=None, headers=None, hang_up=False):  # type: ignore[no-untyped-def]
        """Send one request on its own connection; `hang_up` leaves without reading the reply."""
        connection = http.client.HTTPConnection(self.host, timeout=240)
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        connection.request(method, path, body, {"Cookie": cookie, **(headers or {})})
        if hang_up:
            connection.close()
            return None
        reply = connection.getresponse()
        text = reply.read().decode()
        for header in reply.headers.get_all("Set-Cookie") or []:
            self.cookies |= {name: morsel.value for name, morsel in SimpleCookie(header).items()}
        connection.close()
        self.statuses[reply.status] += 1
        return reply, text

    def form(self, path, **fields):  # type: ignore[no-untyped-def]
        _, page = self.send("GET", path)
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)[1]
        whole = urlencode(fields | {"csrfmiddlewaretoken": token})
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        reply, _ = self.send("POST", path, whole, headers)
        assert reply.status == 302
        return reply.headers["Location"]

    def enter(self, link: str) -> str:
        """Open the invitation, agree, and return the address of the rating page."""
        return self.form(self.form(urlsplit(link).path), agree="on")

    def post(self, path, body, hang_up=False):  # type: ignore[no-untyped-def]
        headers = {
            "Content-Type": "application/json", "Accept": "application/json", "X-CSRFToken": self.token,
        }  # fmt: skip
        return self.send("POST", path, json.dumps(body), headers, hang_up)

    def rate_all(self, link: str) -> dict[str, float]:
        """Rate to the end on a bad network; return the last score given to each assignment."""
        path = self.enter(link)
        _, page = self.send("GET", path)
        config = json.loads(re.search(r'<script id="config"[^>]*>(.*?)</script>', page)[1])
        screen = json.loads(re.search(r'<script id="screen"[^>]*>(.*?)</script>', page)[1])
        self.token = config["csrf"]
        given: dict[str, float] = {}
        ahead = [screen]
        while ahead:
            for screen in ahead:
                self._rate(config["urls"]["answers"], screen, given)
            ahead = self._screens(config["urls"]["screens"], ahead[-1]["key"])
        return given

    def _screens(self, path, after):  # type: ignore[no-untyped-def]
        reply, text = self.send("GET", f"{path}?{urlencode({'after': after, 'n': 3})}")
        assert reply.status == 200
        return json.loads(text)["screens"]

    def _rate(self, path, screen, given):  # type: ignore[no-untyped-def]
        """Answer a screen, sometimes correcting at once; every answer goes out until acknowledged."""
        for _ in range(2 if self.random.random() < 0.2 else 1):
            score = self.random.randint(1, 100)
            body = {
                "assignment": screen["key"], "client_key": secrets.token_urlsafe(16),
                "answers": {"score": score}, "active_ms": 900,
            }  # fmt: skip
            if self.random.random() < 0.25:
                self.post(path, body, hang_up=True)
            if self.random.random() < 0.15:
                with ThreadPoolExecutor(3) as pool:
                    replies = list(pool.map(lambda _: self.post(path, body), range(3)))  # noqa: B023
            else:
                replies = [self.post(path, body) for _ in range(1 + (self.random.random() < 0.2))]
            for reply, text in replies:
                assert reply.status == 200, text
                assert json.loads(text)["client_key"] == body["client_key"]
            given[screen["key"]] = score


def rate_together(folder, database_url=""):  # type: ignore[no-untyped-def]
    with servers.running(folder, database_url=database_url) as server:
        source = server.write("source.txt", [f"Sentence {n} about the harbour." for n in range(SEGMENTS)])
        outputs = [
            f"{name}={server.write(name, [f'Satz {n} {name}.' for n in range(SEGMENTS)])}" for name in "ABC"
        ]
        links = server.campaign(
            "Harbour", "--protocol", "source_da", "--languages", "en-de", "--source", source,
            *[part for output in outputs for part in ("--output", output)],
            "--judgements", str(JUDGEMENTS), raters=RATERS,
        )  # fmt: skip
        browsers = [Browser(server.url, seed) for seed in range(RATERS)]
        with ThreadPoolExecutor(RATERS) as pool:
            given = list(
                pool.map(lambda pair: pair[0].rate_all(pair[1]), zip(browsers, links.values(), strict=True))
            )
        statuses = sum((browser.statuses for browser in browsers), Counter())
        assert not [status for status in statuses if status >= 400], statuses
        assert not server.complaints()
        return given, _stored(server)


def _stored(server):  # type: ignore[no-untyped-def]
    """Read the tables from a process beside the server."""
    code = (
        "import json; from annotation.models import *; from django.db.models import F; print(json.dumps({"
        "'current': list(Judgement.objects.current().values_list('assignment__key', 'score')),"
        "'all': Judgement.objects.count(),"
        "'rows': list(Judgement.objects.values_list('client_key', 'assignment__key', 'score')),"
        "'superseded': Judgement.objects.filter(supersedes__isnull=False).count(),"
        "'states': list(Assignment.objects.values_list('state', flat=True)),"
        "'over': Item.objects.exclude(given=F('wanted')).count(),"
        "'raters': [[p.state, p.rater.name] for p in Participation.objects.select_related('rater')],"
        "'own': Assignment.objects.values('item', 'participation').distinct().count()}))"
    )
    return json.loads(server.manage("shell", "--verbosity", "0", "-c", code))


def check(given, stored, expected=SEGMENTS * 3 * JUDGEMENTS):  # type: ignore[no-untyped-def]
    whole = {key: score for one in given for key, score in one.items()}
    assert sum(len(one) for one in given) == len(whole) == expected
    assert dict(stored["current"]) == whole
    assert len(stored["current"]) == expected == stored["own"]
    assert stored["all"] == expected + stored["superseded"]
    assert Counter(stored["states"]) == {"done": expected}
    assert stored["over"] == 0
    assert {state for state, _ in stored["raters"]} == {"finished"} and len(stored["raters"]) == RATERS


def test_sixteen_raters_on_sqlite(tmp_path):
    check(*rate_together(tmp_path))


@pytest.mark.skipif(postgres() is None, reason="no PostgreSQL server answers on 127.0.0.1:5432")
def test_sixteen_raters_on_postgresql(tmp_path):
    with servers.own_postgres(migrated=True) as url:
        check(*rate_together(tmp_path, url))


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server for campaigns of one rater."""
    with servers.running(tmp_path_factory.mktemp("one")) as made:
        yield made


def alone(server, name):  # type: ignore[no-untyped-def]
    """Let one rater open a campaign of two items; return the browser, the rating page's address and text."""
    source = server.write("source.txt", ["One sentence.", "Another sentence."])
    output = server.write("output.txt", ["Ein Satz.", "Ein anderer Satz."])
    links = server.campaign(
        name, "--protocol", "source_da", "--languages", "en-de", "--source", source,
        "--output", f"A={output}", "--judgements", "1", raters=1,
    )  # fmt: skip
    browser = Browser(server.url, 1)
    path = browser.enter(links["R1"])
    _, page = browser.send("GET", path)
    return browser, path, page


def test_one_answer_sent_eight_times_at_once(server):
    """UI-01, without and with a script: one judgement, no error page, and the next item stays unrated."""
    browser, path, page = alone(server, "Twice")
    form = {
        name: re.search(rf'name="{name}" value="([^"]+)"', page)[1]
        for name in ("csrfmiddlewaretoken", "assignment", "client_key")
    }
    whole = urlencode(form | {"score": "64"})
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda _: browser.send("POST", path, whole, headers), range(8)))
    assert [(reply.status, reply.headers["Location"]) for reply, _ in replies] == [(302, path)] * 8
    rows = list(csv.DictReader(io.StringIO(server.manage("export_judgements", "Twice", "--format", "csv"))))
    assert [float(row["score"]) for row in rows] == [64]


def test_one_late_answer_sent_eight_times_at_once(server):
    """A page that is left and the page that follows both send what waits: it is kept once."""
    browser, _, page = alone(server, "Late")
    config, screen = (
        json.loads(re.search(rf'<script id="{name}"[^>]*>(.*?)</script>', page)[1])
        for name in ("config", "screen")
    )
    browser.token = config["csrf"]
    server.manage("close_campaign", "Late")
    body = {
        "assignment": screen["key"], "client_key": secrets.token_urlsafe(16),
        "answers": {"score": 64}, "active_ms": 900,
    }  # fmt: skip
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda _: browser.post(config["urls"]["answers"], body), range(8)))
    assert {reply.status for reply, _ in replies} == {409}
    code = (
        "from annotation.models import AuditEvent; "
        "print(AuditEvent.objects.filter(action='answer.late', campaign__name='Late').count())"
    )
    assert server.manage("shell", "--verbosity", "0", "-c", code).strip() == "1"
