"""Metrics against people in a real browser: dots that open, a phone, the dark, no mark-up that runs."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.paths import ROOT

PASSWORD = "a-harbour-at-night"
RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],  # what passes is not described, which takes longer than to look
}
SYSTEMS = ("North", "South", "West", "<b>East</b>")
LOOKS = {
    "light": {"color_scheme": "light"},
    "phone": {"color_scheme": "dark", "viewport": {"width": 390, "height": 844}},
    "right to left": {"locale": "ar"},
}


@pytest.fixture(scope="module")
def beacons(server):
    """Import a test set in both directions with outputs, ratings and mark-up; return the server."""
    marks = [
        row.split("\t") for row in (ROOT / "tests/files/sec01_xss.tsv").read_text("utf-8").splitlines()[1:]
    ]
    plain = [f"Beacon {n} is seen from the pier in the evening." for n in range(1, 5)]
    source = [*plain, *(row[1] for row in marks)]
    reference = [
        *(f"Feuer {n} sieht man abends von der Mole aus." for n in range(1, 5)),
        *(row[2] for row in marks),
    ]
    directions = ["direct"] * 4 + ["reverse"] * 4
    server.manage(
        "import_testset", "beacons", "--languages", "en-de",
        "--source", f"src={server.write('b.src', source)}",
        "--reference", f"ref={server.write('b.ref', reference)}",
        "--double-translation", f"source=back={server.write('b.back', source[::-1])}",
        "--direction", server.write("b.dir", directions),
    )  # fmt: skip
    rows = ["rater,system,segment_id,score"]
    for lost, system in enumerate(SYSTEMS):
        output = [" ".join(line.split(" ")[lost:]) or line for line in reference]
        server.manage("import_output", "beacons", system, server.write(f"b.{lost}", output))
        for rater, shift in (("Ada", 0), ("Ben", 9)):
            rows += [
                f"{rater},{system},{n},{80 - 11 * lost - shift + (7 * n + 5 * lost) % 9}" for n in range(1, 9)
            ]
    server.manage(
        "import_judgements", "Beacons", server.write("b.csv", rows), "--format", "csv", "--protocol",
        "source_da", "--languages", "en-de", "--scale", "0-100", "--testset", "beacons",
        "--map", "rater=rater,system=system,segment=segment_id,score=score",
    )  # fmt: skip
    code = (
        "from django.contrib.auth.models import User\n"
        f"User.objects.create_superuser('lamplighter', password={PASSWORD!r})\n"
    )
    server.manage("shell", "--verbosity", "0", "-c", code)
    return server


def open_page(page, server):
    page.goto(f"{server.url}/login/?next=/campaigns/")
    page.locator("input[name=username]").fill("lamplighter")
    page.locator("input[name=password]").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Beacons", exact=True).first.click()
    page.goto(f"{page.url.rstrip('/')}/correlation/")
    button = page.locator("form.score-now button")
    if button.count():
        button.click()
        expect(page.locator("figure svg").first).to_be_visible()
        page.goto(page.url)
    expect(page.locator("figure svg").first).to_be_visible()


def wide(page):
    return page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")


def violations(page):
    found = Axe().run(page, options=RULES).response["violations"]
    return [(one["id"], [node["html"][:160] for node in one["nodes"]][:3]) for one in found]


@pytest.mark.parametrize("look", LOOKS)
def test_both_pages_fit_and_have_no_violation(beacons, new_page, look):
    page = new_page(**LOOKS[look])
    refused = []
    page.on("console", lambda message: refused.append(message.text) if message.type == "error" else None)
    open_page(page, beacons)
    assert not wide(page)
    page.locator("details.options-card > summary").click()  # all that the page has is shown now
    assert violations(page) == []
    page.locator("#segments tbody th a").first.click()
    expect(page.locator("ins, del").first).to_be_visible()
    assert not wide(page) and violations(page) == []
    assert not refused


def test_dots_open_ratings_and_dossiers_by_mouse_and_keyboard(beacons, new_page):
    page = new_page()
    open_page(page, beacons)
    page.locator("#systems svg a").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".value")).to_be_visible()
    page.go_back()
    page.locator("#segments svg a").last.click()
    expect(page.get_by_role("heading", name=re.compile(r"^Segment \d+$"))).to_be_visible()
    expect(page.locator("article.item")).to_have_count(4)
    page.get_by_label("Compare word by word with").select_option(label="North (src)")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("article.item").first.locator("ins, del")).to_have_count(0)
    page.get_by_role("link", name=re.compile("Segment (after|before)")).first.click()
    expect(page.get_by_role("heading", name=re.compile(r"^Segment \d+$"))).to_be_visible()


def test_sec_01_no_mark_up_runs(beacons, new_page):
    page = new_page()
    open_page(page, beacons)
    address = page.url.replace("/correlation/", "/dossier/").partition("?")[0]
    for segment in range(5, 9):
        page.goto(f"{address}?testset=beacons&segment={segment}")
        expect(page.locator("article.item h3").filter(has_text="<b>East</b>")).to_be_visible()
        assert page.evaluate("window.__x") is None
        assert page.locator("main img, main b, main i, main textarea").count() == 0
