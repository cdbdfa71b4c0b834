"""From an empty database through the browser to a finished campaign, its report and its files."""

import os
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.db.test_rating_race import Browser
from tests.e2e.raters import begin, expect_number, next_by, press, tab_to
from tests.server import running

SOURCE = [f"Boat number {n} left the harbour at noon." for n in range(1, 5)]
REFERENCE = [f"Boot Nummer {n} verließ den Hafen am Mittag." for n in range(1, 5)]
OUTPUTS = {
    "OP": [f"Boot Nummer {n} verließ den Hafen mittags." for n in range(1, 5)],
    "BT": [f"Das Boot {n} hat am Mittag abgelegt." for n in range(1, 5)],
}


@pytest.fixture(scope="module")
def workplace(tmp_path_factory):
    with running(tmp_path_factory.mktemp("workplace"), threads=8) as server:
        code = (
            "from django.contrib.auth.models import User; "
            "User.objects.create_user('ann', password='harbour-ann-1')"
        )
        server.manage("shell", "--verbosity", "0", "-c", code)
        for name, lines in {"src.en": SOURCE, "ref.de": REFERENCE, **OUTPUTS}.items():
            server.write(name, lines)
        source = f"{server.folder / 'src.en'}"
        server.manage("import_testset", "docks", "--languages", "en-de", "--source", source)
        server.manage("import_output", "docks", "Docker", f"{server.folder / 'OP'}")
        server.manage("import_output", "docks", "Crane", f"{server.folder / 'BT'}")
        yield server


def sign_in(page, server):
    page.goto(f"{server.url}/login/")
    page.locator("input[name=username]").fill("ann")
    page.locator("input[name=password]").fill("harbour-ann-1")
    page.keyboard.press("Enter")
    page.wait_for_url("**/campaigns/")


def look(page, name):
    """Hold the page against axe-core; keep a picture of it where SHOTS names a folder."""
    found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]})
    assert found.violations_count == 0, found.generate_report()
    folder = os.environ.get("SHOTS")
    if folder:
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)


def test_from_nothing_to_a_report(workplace, new_page):
    server, page = workplace, new_page()
    sign_in(page, server)
    look(page, "campaigns-empty")
    page.get_by_role("link", name="Test sets").click()
    page.get_by_role("link", name="Import").click()
    page.locator("#id_name").fill("harbour")
    page.locator("#id_languages").fill("en-de")
    page.locator("#id_direction").select_option("direct")
    page.locator("#id_source").set_input_files(str(server.folder / "src.en"))
    page.locator("#id_reference_name_1").fill("ref")
    look(page, "testset-import")
    page.get_by_role("button", name="Import it").click()
    expect(page.locator("main")).to_contain_text("Choose its file.")
    page.locator("#id_source").set_input_files(str(server.folder / "src.en"))
    page.locator("#id_reference_1").set_input_files(str(server.folder / "ref.de"))
    page.get_by_role("button", name="Import it").click()
    expect(page.locator("h1")).to_have_text("harbour")
    for system in OUTPUTS:
        page.get_by_role("link", name="Import an output").click()
        page.locator("#id_system").fill(system)
        page.locator("#id_text").set_input_files(str(server.folder / system))
        page.get_by_role("button", name="Import it").click()
        expect(page.locator("h1")).to_have_text("harbour")
    look(page, "testset")
    page.get_by_role("link", name="New campaign").click()
    page.locator("#id_name").fill("Harbour 1")
    page.locator("#id_raters").fill("Ada\nBen")
    page.locator("#id_judgements").fill("3")
    page.locator("#id_hourly_rate").fill("60")
    look(page, "campaign-new")
    page.get_by_role("button", name="Check and preview").click()
    expect(page.locator("main")).to_contain_text("3 judgements")
    page.locator("#id_judgements").fill("2")
    page.locator("#id_bad_references").fill("0")
    page.locator("#id_repeats").fill("0")
    page.get_by_role("button", name="Check and preview").click()
    expect(page.locator("#estimate")).to_contain_text("Cost")
    expect(page.locator("#preview .preview").first).to_contain_text("Boat number")
    look(page, "campaign-checked")
    page.get_by_role("button", name="Make and open it").click()
    expect(page.locator("h1")).to_contain_text("Harbour 1")
    look(page, "campaign-made")
    links = re.findall(r"https?://[^\s<]+/invite/[^\s<]+", page.content())
    assert len(links) == 2
    for link in links:
        rater = new_page()
        begin(rater, link)
        for place in range(1, 9):
            expect_number(rater, place)
            next_by(rater, *str(10 * place), "Enter") if place < 8 else rater.keyboard.type("80")
        rater.keyboard.press("Enter")
        rater.wait_for_url("**/finish")
    page.reload()
    page.goto(page.url + "report/")
    expect(page.locator("main")).to_contain_text("OP")
    with page.expect_download() as download:
        page.locator("a[href$='.csv']").first.click()
    assert download.value.suggested_filename.endswith(".csv")


def test_by_keyboard_alone(workplace, new_page):
    """The form is filled and sent without a mouse, and made once however often Enter is pressed."""
    server, page = workplace, new_page()
    sign_in(page, server)
    page.goto(f"{server.url}/campaigns/new/?testset=docks")
    page.locator("#id_name").focus()
    page.keyboard.type("Harbour 2")
    page.locator("#id_raters").focus()
    page.keyboard.type("2")
    page.locator("#id_judgements").focus()
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("1")
    fold, minutes = page.locator("#words details summary").last, page.locator("#id_break_after")
    fold.focus()
    page.keyboard.press("Enter")
    minutes.focus()
    page.keyboard.type("99")
    fold.focus()
    page.keyboard.press("Enter")
    expect(minutes).to_be_hidden()
    page.locator("#id_name").focus()
    page.keyboard.press("Enter")
    expect(minutes).to_be_focused()  # too much for it: its group opens, however it was
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    look(page, "campaign-new-opened")
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("45")
    page.keyboard.press("Enter")
    expect(page.locator("#estimate")).to_be_visible()
    page.get_by_role("button", name="Make it a draft").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("Harbour 2")
    page.goto(f"{server.url}/campaigns/")
    assert page.locator("main").inner_text().count("Harbour 2") == 2  # the campaign and its study


@pytest.mark.long
def test_the_whole_way_by_keyboard_alone(workplace, new_page):
    """Sign in, find a test set, make a campaign, read its report, take a table along: Tab, letters, Enter."""
    server, page = workplace, new_page()
    page.goto(f"{server.url}/login/")
    tab_to(page, "input[name=username]")
    page.keyboard.type("ann")
    tab_to(page, "input[name=password]")
    page.keyboard.type("harbour-ann-1")
    press(page, "Enter")
    page.wait_for_url("**/campaigns/")
    for selector, heading in (
        ("nav a[href='/testsets/']", "Test sets"),
        ("tbody a", "docks"),
        ("a[href*='/campaigns/new/']", "New campaign"),
    ):
        tab_to(page, selector)
        press(page, "Enter")
        expect(page.locator("h1")).to_have_text(heading)
    for field, text in (
        ("name", "By keys"),
        ("raters", "Ada"),
        ("judgements", "1"),
        ("bad_references", "0"),
        ("repeats", "0"),
    ):
        tab_to(page, f"#id_{field}")
        press(page, "ControlOrMeta+A")
        page.keyboard.type(text)
    tab_to(page, "button[name=action][value=check]")
    press(page, "Enter")
    expect(page.locator("#estimate")).to_be_visible()
    tab_to(page, "button[name=action][value=open]")
    press(page, "Enter")
    expect(page.locator("h1")).to_contain_text("By keys")
    link = re.search(r"https?://[^\s<]+/invite/[^\s<]+", page.content())[0]
    assert len(Browser(server.url, 1).rate_all(link)) == 8
    page.reload()
    tab_to(page, "a[href$='/report/']")
    press(page, "Enter")
    expect(page.locator("main")).to_contain_text("Docker")
    look(page, "report-by-keys")
    tab_to(page, "a[href$='.csv']")
    with page.expect_download() as download:
        press(page, "Enter")
    assert download.value.suggested_filename.startswith("By keys.")


def test_outputs_are_read_and_the_pages_of_the_api_follow_light_and_dark(workplace, new_page):
    server, page = workplace, new_page()
    sign_in(page, server)
    page.goto(f"{server.url}/testsets/")
    page.get_by_role("link", name="docks").click()
    page.get_by_role("link", name="Read the output of Crane").click()
    expect(page.get_by_role("cell", name=OUTPUTS["BT"][3])).to_be_visible()
    look(page, "output")
    page.set_viewport_size({"width": 390, "height": 800})
    look(page, "output-phone")
    page.goto(f"{server.url}/testsets/import/")
    look(page, "testset-import")
    page.emulate_media(color_scheme="dark")
    page.goto(f"{server.url}/api/v1/docs/")
    title = page.get_by_role("heading", name="Human evaluation")
    ink, paper = (
        "e => getComputedStyle(e).color",
        "getComputedStyle(document.querySelector('.swagger-ui')).backgroundColor",
    )
    expect(title).to_be_visible()
    dark = title.evaluate(ink), page.evaluate(paper)
    page.emulate_media(color_scheme="light")
    light = title.evaluate(ink), page.evaluate(paper)
    assert shade(dark[0]) > 180 and shade(dark[1]) < 50, dark
    assert shade(light[0]) < 90, light


def shade(colour):
    """Return how light a colour is, 0 to 255."""
    return sum(int(one) for one in re.findall(r"\d+", colour)[:3]) / 3
