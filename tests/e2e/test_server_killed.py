"""A browser on a local network, by plain HTTP and a host name, while the server is killed and comes back."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import ARGUMENTS, CHROMIUM
from tests.e2e.raters import begin, enter, expect_number, expect_saved, next_by, press
from tests.server import running

HOST = "rating.lan"
SCORES = """
import json
from annotation.models import Judgement
found = Judgement.objects.current().values_list("assignment__participation__rater__name", "score")
print(json.dumps(sorted(found)))
"""
RESOLVE = f"--host-resolver-rules=MAP {HOST} 127.0.0.1"


@pytest.fixture
def lan_page(browser):
    """Return a page of a browser that knows our host name; scripts that fail there fail the test."""
    faults = []
    started = browser.browser_type.launch(executable_path=CHROMIUM, args=[*ARGUMENTS, RESOLVE])
    page = started.new_context(locale="en-GB").new_page()
    page.set_default_timeout(60_000)
    page.on("pageerror", lambda error: faults.append(str(error)))
    yield page
    started.close()
    assert not faults


def test_rating_goes_on_by_itself_after_the_server_was_killed(tmp_path, lan_page):
    with running(tmp_path, threads=8, workers=1, ALLOWED_HOSTS=f"{HOST},127.0.0.1") as server:
        lines = [f"Window {n} is open." for n in range(8)]
        links = server.campaign(
            "Killed", "--protocol", "source_da", "--languages", "en-de",
            "--source", server.write("source", lines), "--output", f"A={server.write('a', lines)}",
            "--judgements", "1", raters=1,
        )  # fmt: skip
        page = lan_page
        enter(page, links["R1"].replace("127.0.0.1", HOST))
        assert page.evaluate("window.isSecureContext") is False
        next_by(page, *"11", "Enter")
        expect_saved(page)
        page.wait_for_load_state("networkidle")
        server.kill()
        for place, score in ((2, "22"), (3, "33")):
            expect_number(page, place)
            press(page, *score, "Enter")
        expect(page.locator("#saved")).to_have_attribute("data-state", "waiting")
        expect(page.locator("#saved")).to_contain_text("2")
        server.start()
        expect(page.locator("#saved")).to_have_attribute("data-state", "saved", timeout=40_000)
        expect_number(page, 4)
        page.reload()  # what was typed and what was saved both outlive the page
        expect_number(page, 4)
        for place in range(4, 9):
            expect_number(page, place)
            press(page, *f"{place}{place}", "Enter")
        page.wait_for_url("**/finish")
        expect(page.locator("main")).to_contain_text(re.compile("8"))
        code = "from annotation.models import *; print(sorted(Judgement.objects.current().values_list('score', flat=True)), Judgement.objects.count())"  # noqa: E501
        stored = server.manage("shell", "--verbosity", "0", "-c", code).strip()
    assert stored == "[11.0, 22.0, 33.0, 44.0, 55.0, 66.0, 77.0, 88.0] 8"
    assert not any(cookie["secure"] for cookie in page.context.cookies())


@pytest.mark.long
def test_sixteen_people_go_on_after_two_kills(tmp_path, new_page):
    """Each in a browser context of their own; the second kill meets the answers that are being sent again."""
    n = 16
    with running(tmp_path, threads=8, workers=2) as server:
        lines = [f"Window {place} is open." for place in range(6)]
        links = server.campaign(
            "Sixteen", "--protocol", "source_da", "--languages", "en-de",
            "--source", server.write("source", lines), "--output", f"A={server.write('a', lines)}",
            "--judgements", str(n), raters=n,
        )  # fmt: skip
        pages = {}
        for rater, link in links.items():
            pages[rater] = new_page()
            pages[rater].set_default_timeout(120_000)
            begin(pages[rater], link)
        typed = {
            rater: [str(10 + number + 5 * place) for place in range(6)] for number, rater in enumerate(pages)
        }

        def answer(place: int, raters: list[str]) -> None:
            for rater in raters:
                expect_number(pages[rater], place + 1)
                press(pages[rater], *typed[rater][place], "Enter")

        answer(0, list(pages))
        answer(1, list(pages)[:8])
        server.kill()
        answer(1, list(pages)[8:])
        answer(2, list(pages))
        for page in pages.values():
            expect(page.locator("#saved")).to_have_attribute("data-state", "waiting")
        server.start()
        answer(3, list(pages)[:4])
        server.kill()
        answer(3, list(pages)[4:])
        server.start()
        for page in pages.values():
            expect(page.locator("#saved")).to_have_attribute("data-state", "saved", timeout=120_000)
        answer(4, list(pages))
        answer(5, list(pages))
        for page in pages.values():
            page.wait_for_url("**/finish")
        stored = json.loads(server.manage("shell", "--verbosity", "0", "-c", SCORES))
    wanted = sorted([rater, float(score)] for rater, own in typed.items() for score in own)
    assert stored == wanted
