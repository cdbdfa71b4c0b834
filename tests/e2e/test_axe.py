"""No violation that axe-core knows of on any rater page: in light and in dark, from left and from right.

A way walks through pages and yields the name of each state worth a look; a new page is one more `yield`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.e2e.campaigns import Crowd
from tests.e2e.raters import begin, expect_saved, expect_title, press
from tests.server import Server

ONLY = {"resultTypes": ["violations"]}  # what passes is not described, which takes longer than to look
RULES = ONLY | {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
COLOURS = ONLY | {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
"""What may be wrong in the dark only: nothing but colours changes."""
LOOKS = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "right to left": {"color_scheme": "light", "locale": "ar"},
}
WALKS = {"left to right": LOOKS["light"], "right to left": LOOKS["right to left"]}
"""Raters' pages are walked twice; colours are those of any direction, so the dark is looked at once."""
PRACTICE = (
    "source,translation,low,high,why\n"
    '"It is late.","Es ist spät.",80,100,"**Nothing** is missing."\n'
    '"He came home.","Er ging fort.",1,30,"It says the *opposite*."\n'
)


@dataclass(frozen=True)
class Places:
    """Where the ways begin: shared campaigns, and one that asks for everything before rating."""

    server: Server
    crowd: Crowd
    people: dict[str, str]
    joining: str
    mirror: str
    cookies: list[dict]  # type: ignore[type-arg]


@pytest.fixture(scope="module")
def places(server, crowd, browser):
    """Make what the ways need: three raters to ask, three to refuse, and a closed campaign."""
    source = server.write("axe.s", ["Lamp 1 is lit at dusk.", "Lamp 2 is lit at dusk."])
    output = server.write("axe.p", ["Lampe 1 brennt.", "Lampe 2 brennt."])
    practice = server.folder / "axe.csv"
    practice.write_text(PRACTICE)
    plain = ("--protocol", "source_da", "--languages", "en-de", "--source", source, "--output", f"P={output}")
    people = server.campaign(
        "Axe", *plain, "--judgements", "6", "--native", "target", "--practice", str(practice),
        "--calibration", str(practice), raters=6,
    )  # fmt: skip
    server.campaign("Axe joined", *plain, "--judgements", "1", "--joins", "--ask-profile", raters=1)
    joining = server.manage("joining_link", "Axe joined").strip()
    closed = server.campaign("Axe closed", *plain, "--judgements", "1", raters=1)
    page = browser.new_context(locale="en-GB").new_page()
    begin(page, closed["R1"])
    root = page.url
    press(page, *"50", "Enter")
    expect_title(page, "Rate 2 of 2")
    expect_saved(page)
    press(page, *"60", "Enter")
    page.wait_for_url("**/finish")
    server.manage("close_campaign", "Axe closed")
    cookies = page.context.cookies()
    page.context.close()
    return Places(server, crowd, people, joining, f"{root}mirror/", cookies)


def first_pages(page: Page, places: Places, turn: int) -> Iterator[str]:
    """Invitation, consent and its error, the rating page, guidelines, hours."""
    page.goto(places.crowd.seat("reference_da").link)
    yield "invitation"
    page.locator("main button").click()
    page.wait_for_url("**/consent")
    yield "consent"
    page.locator("main form").evaluate("form => { form.noValidate = true; form.requestSubmit(); }")
    expect(page.locator(".note.error")).to_be_visible()
    yield "consent, the tick missing"
    page.locator("[type=checkbox]").check()
    page.locator("main button").click()
    page.wait_for_url("**/rate/*/")
    root = page.url
    expect(page.locator("#next[aria-disabled=true]")).to_be_visible()
    press(page, *"70")
    yield "reference-based, set"
    page.goto(f"{root}guidelines")
    yield "guidelines"
    page.goto(f"{root}timesheet/")
    yield "hours"


def source_based(page: Page, places: Places, turn: int) -> Iterator[str]:
    """The rating page with what it opens, shows and refuses."""
    begin(page, places.crowd.seat().link)
    yield "source-based, unset"
    press(page, "Enter")
    expect(page.locator("#message")).not_to_be_empty()
    yield "source-based, refused"
    press(page, *"70", "i", "c")
    yield "source-based, set, with invisible characters and a comment"
    for name in ("keys", "pause", "problem", "skip"):
        page.evaluate("name => rating.openDialog(name)", name)
        yield name
        press(page, "Escape")
    page.locator("#menu summary").click()
    yield "menu"
    press(page, "Escape")
    page.evaluate("document.getElementById('break').hidden = false")
    yield "break"
    page.context.clear_cookies()
    page.locator("#number").focus()
    press(page, "Enter")
    expect(page.locator("#trouble")).to_be_visible()
    yield "session expired"


def fluency(page: Page, places: Places, turn: int) -> Iterator[str]:
    """Two texts, without a connection, and the last page."""
    begin(page, places.crowd.seat("pairwise_fluency").link)
    page.wait_for_load_state("networkidle")
    press(page, "2")
    yield "fluency"
    page.context.set_offline(True)
    for _ in range(3):
        press(page, "1", "Enter")
    expect(page.locator("#waiting")).to_be_visible()
    yield "offline"
    page.context.set_offline(False)
    page.wait_for_url("**/finish")
    yield "finish"


def arabic(page: Page, places: Places, turn: int) -> Iterator[str]:
    """Texts of two directions."""
    begin(page, places.crowd.seat("arabic").link)
    press(page, *"40")
    yield "right-to-left texts"


def before_rating(page: Page, places: Places, turn: int) -> Iterator[str]:
    """The form on languages, practice, calibration, their end."""
    page.goto(places.people[f"R{1 + turn}"])
    page.locator("main button").click()
    page.wait_for_url("**/profile")
    yield "form"
    page.locator("[name=native_1]").fill("Germn")
    page.locator("main form button").click()
    expect(page.locator(".note.error")).to_be_visible()
    yield "form, not understood"
    page.locator("[name=native_1]").fill("de")
    page.locator("main form button").click()
    page.wait_for_url("**/consent")
    page.locator("[type=checkbox]").check()
    page.locator("main form button").click()
    page.wait_for_url("**/practice/")
    yield "practice"
    unset = page.locator("#next[aria-disabled=true]")  # the script has taken over
    for score in (90, 90):
        expect(unset).to_be_visible()
        press(page, *str(score), "Enter")
        expect(page.locator("#told")).to_be_visible()
        yield f"what is expected of {score}"
        page.locator("#next").click()
    for _ in range(2):
        expect(unset).to_be_visible()
        before = page.title()
        press(page, *"50", "Enter")
        expect(page).not_to_have_title(before)
    expect(page.locator("[value=begin]")).to_be_visible()
    yield "practice finished"
    page.locator("summary").last.click()
    yield "practice finished, an item open"


def refused(page: Page, places: Places, turn: int) -> Iterator[str]:
    """Who lacks a language."""
    page.goto(places.people[f"R{4 + turn}"])
    page.locator("main button").click()
    page.locator("[name=native_1]").fill("fr")
    page.locator("main form button").click()
    expect(page.locator("#asked")).to_be_visible()
    yield "asked whether that is right"
    page.locator("main form button").click()
    expect(page.locator("#asked")).to_have_count(0)
    expect(page.locator(".needs")).to_be_visible()
    yield "refused"


def joining(page: Page, places: Places, turn: int) -> Iterator[str]:
    """Who comes by the link for anybody."""
    page.goto(places.joining)
    yield "joining"
    page.locator("main form button").click()
    expect(page.locator("h1")).to_be_visible()
    yield "after joining"


def mirror(page: Page, places: Places, turn: int) -> Iterator[str]:
    """What raters see of themselves after closing."""
    page.context.add_cookies(places.cookies)
    page.goto(places.mirror)
    expect(page.locator("h1")).to_be_visible()
    yield "mirror"


def wrong_ways(page: Page, places: Places, turn: int) -> Iterator[str]:
    """Messages and errors."""
    page.goto(places.people["R1"][:-8])
    yield "broken link"
    page.goto(f"{places.server.url}/rate/nobody/")
    yield "signed out"
    page.goto(f"{places.server.url}/nowhere/")
    yield "not found"


WAYS: tuple[Callable[[Page, Places, int], Iterator[str]], ...] = (
    first_pages, source_based, fluency, arabic, before_rating, refused, joining, mirror, wrong_ways,
)  # fmt: skip


@pytest.mark.parametrize("look", WALKS)
def test_axe_finds_nothing(places, new_page, look):
    """One test for a look and all ways, so that the campaigns serve them all."""
    found, seen_in_dark = {}, 0
    for way in WAYS:
        page = new_page(reduced_motion="reduce", **WALKS[look])
        for name in way(page, places, list(WALKS).index(look)):
            direction = page.evaluate("document.documentElement.dir")
            assert direction == ("rtl" if look == "right to left" else "ltr"), name
            results = Axe().run(page, options=RULES)
            assert len(results.response["passes"]) > 10, name  # it did look
            looked = {"light": results}
            if look == "left to right":
                page.emulate_media(color_scheme="dark")
                looked["dark"] = Axe().run(page, options=COLOURS)
                seen_in_dark += bool(looked["dark"].response["passes"])
                page.emulate_media(color_scheme="light")
            for light, one in looked.items():
                if one.violations_count:
                    found[f"{name}, {light}"] = one.generate_report()
        page.context.close()
    assert (
        seen_in_dark > 20 or look == "right to left"
    )  # a dialog may leave nothing whose contrast can be told
    assert not found, "\n".join(f"== {name}\n{report}" for name, report in found.items())
