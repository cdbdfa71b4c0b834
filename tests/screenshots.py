"""Make the pictures of the README and the guides from the demo study: `make screenshots`."""

import re
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.paths import ROOT
from tests.server import Server, running

IMAGES = ROOT / "docs" / "images"
WORK = {"width": 1280, "height": 900}
DESKTOP = {"width": 1280, "height": 760}
PHONE = {"width": 390, "height": 780}
INVISIBLE = (
    "The pier is 10\u00a0km\u200b away,  and the ferry leaves at\u202f6. ",
    "Der Pier ist 10\u00a0km weg,  und die Fähre legt um\u20096\u00adUhr ab.",
)
ARABIC = ("The ferry “Anna” leaves the pier at 12:30.", "تغادر العبّارة “Anna” الرصيف في الساعة 12:30.")
SETTLED = 600  # milliseconds until transitions have ended
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--no-first-run",
]  # fmt: skip


def _page(browser: Browser, size: dict[str, int], scheme: str = "light") -> Page:
    return browser.new_context(viewport=size, color_scheme=scheme, device_scale_factor=1).new_page()


def _start(page: Page, link: str) -> None:
    page.goto(link)
    page.locator("main button.main").click()
    if page.get_by_role("checkbox").count():
        page.get_by_role("checkbox").check()
        page.get_by_role("button", name=re.compile("Agree|Begin|Continue|Start")).click()
    page.wait_for_selector("main")


def _rate_pages(browser: Browser, links: dict[str, str]) -> None:
    page = _page(browser, DESKTOP)
    _start(page, links["source-based"])
    page.wait_for_selector("#number")
    page.keyboard.type("78")
    page.wait_for_timeout(SETTLED)
    page.screenshot(path=IMAGES / "rate-source-da.png")
    page.keyboard.press("?")
    page.wait_for_timeout(SETTLED)
    page.screenshot(path=IMAGES / "rate-keys.png")
    phone = _page(browser, PHONE)
    _start(phone, links["reference-based"])
    phone.wait_for_selector("#track")
    phone.wait_for_timeout(SETTLED)
    phone.screenshot(path=IMAGES / "rate-phone-unset.png")
    dark = _page(browser, DESKTOP, "dark")
    _start(dark, links["fluency"])
    dark.wait_for_selector("#choices")
    dark.keyboard.press("2")
    dark.wait_for_timeout(SETTLED)
    dark.screenshot(path=IMAGES / "rate-fluency-dark.png")


def _plain_link(server: Server, name: str, languages: str, texts: tuple[str, str]) -> str:
    """Make a campaign of a source and one translation, twice the same, and return its link."""
    source, output = (
        server.write(f"{name}.{part}", [text] * 2) for part, text in zip("so", texts, strict=True)
    )
    arguments = (
        "--protocol",
        "source_da",
        "--languages",
        languages,
        "--source",
        source,
        "--output",
        f"P={output}",
    )
    return server.campaign(name, *arguments, "--judgements", "1", raters=1)["R1"]


def _states(browser: Browser, server: Server) -> None:
    """Take what a rater may meet: invisible characters, the end of a session, a phone from right to left."""
    page = _page(browser, DESKTOP)
    _start(page, _plain_link(server, "Pier and ferry", "en-de", INVISIBLE))
    page.wait_for_selector("#number")
    page.keyboard.press("i")
    page.keyboard.type("64")
    page.wait_for_timeout(SETTLED)
    page.screenshot(path=IMAGES / "rate-invisible.png")
    page.context.clear_cookies()
    page.keyboard.press("Enter")
    page.wait_for_selector("#trouble:not([hidden])")
    page.wait_for_timeout(SETTLED)
    page.screenshot(path=IMAGES / "rate-signed-out.png")
    link = _plain_link(server, "العبّارة", "en-ar", ARABIC)
    context = browser.new_context(viewport=PHONE, locale="ar", has_touch=True, is_mobile=True)
    phone = context.new_page()
    phone.goto(link)
    phone.locator("main button").click()
    phone.wait_for_url("**/consent")
    phone.get_by_role("checkbox").check()
    phone.locator("main form button").click()
    phone.wait_for_selector("#track")
    box = phone.locator("#track").bounding_box()
    assert box is not None
    phone.touchscreen.tap(box["x"] + 0.3 * box["width"], box["y"] + 20)
    phone.wait_for_timeout(SETTLED)
    phone.screenshot(path=IMAGES / "rate-rtl-phone.png")


def _researcher_pages(browser: Browser, server: Server, password: str) -> None:
    page = _page(browser, {"width": 1360, "height": 800})
    page.goto(f"{server.url}/campaigns/")
    page.screenshot(path=IMAGES / "login.png")
    page.locator("input[name=username]").fill("researcher")
    page.locator("input[name=password]").fill(password)
    page.keyboard.press("Enter")
    page.wait_for_selector("table")
    page.screenshot(path=IMAGES / "campaigns.png", full_page=True)
    page.get_by_role("link", name="Harbour news, source-based", exact=True).click()
    page.wait_for_selector("table")
    page.screenshot(path=IMAGES / "campaign.png", full_page=True)
    page.goto(page.url.rstrip("/") + "/results/?by=condition")
    page.wait_for_selector("table")
    page.screenshot(path=IMAGES / "results.png", full_page=True)
    page.goto(page.url.split("/results/")[0] + "/report/")
    page.wait_for_selector("table")
    page.screenshot(
        path=IMAGES / "report.png", full_page=True, clip={"x": 0, "y": 0, "width": 1360, "height": 1500}
    )
    page.goto(f"{server.url}/campaigns/")
    page.get_by_role("link", name="Harbour news, fluency", exact=True).click()
    page.goto(page.url.rstrip("/") + "/results/")
    page.wait_for_selector("table")
    page.screenshot(path=IMAGES / "results-fluency.png", full_page=True)


def _workplace_pages(browser: Browser, server: Server, password: str) -> None:
    """Take what researchers and administrators work with: texts, a new campaign, systems, runs, tables."""
    _something_to_run(server)
    page = _page(browser, WORK)
    page.goto(f"{server.url}/login/?next=/testsets/")
    page.locator("input[name=username]").fill("admin")
    page.locator("input[name=password]").fill(password)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="harbour-news-direct", exact=True).first.click()
    _take(page, "testset")
    page.get_by_role("link", name="New campaign").first.click()
    page.locator("#id_name").fill("Harbour news, once more")
    page.locator("#id_raters").fill("Ada\nBen\nCleo")
    page.locator("#id_judgements").fill("2")
    page.locator("#id_hourly_rate").fill("40")
    page.get_by_role("button", name="Check and preview").click()
    page.locator("#estimate").wait_for()
    page.locator("#estimate").scroll_into_view_if_needed()
    _take(page, "campaign-new")
    page.goto(f"{server.url}/systems/")
    page.get_by_role("link", name="BT", exact=True).click()
    _take(page, "system")
    page.goto(f"{server.url}/runs/")
    _take(page, "runs")
    page.locator("main table a").first.click()
    _take(page, "run")
    page.goto(f"{server.url}/campaigns/")
    page.get_by_role("link", name="Harbour news, source-based", exact=True).click()
    page.goto(page.url.rstrip("/") + "/correlation/")
    page.locator("figure svg").first.wait_for()
    page.locator("#systems").evaluate("one => one.scrollIntoView()")
    _take(page, "correlation")
    page.goto(f"{server.url}/studies/")
    page.get_by_role("link", name="Harbour news", exact=True).first.click()
    page.get_by_role("link", name=re.compile("^The tables of two published studies")).click()
    page.locator("#edunov-1").evaluate("one => one.scrollIntoView()")
    _take(page, "study-tables")


def _something_to_run(server: Server) -> None:
    """Import a corpus and clean it, so that there is a run to look at."""
    lines = [f"Boat {n} lies at the pier and waits for the tide." for n in range(400)]
    german = [f"Boot {n} liegt am Pier und wartet auf die Flut." for n in range(400)]
    server.manage(
        "import_corpus", "harbour", "--languages", "en-de", "--source", server.write("harbour.en", lines),
        "--target", server.write("harbour.de", german),
    )  # fmt: skip
    server.manage("filter_corpus", "harbour", "harbour, clean", "--background")
    server.manage("work", "--once")


def _take(page: Page, name: str) -> None:
    """Take what is in the window, without what is empty below the page."""
    page.wait_for_timeout(SETTLED)
    box = page.locator("main").bounding_box()
    assert box is not None
    low = min(WORK["height"], box["y"] + box["height"])
    page.screenshot(path=IMAGES / f"{name}.png", clip={**WORK, "x": 0, "y": 0, "height": low})


def _shrink() -> None:
    """Give every picture 256 colours: a third of its size, and no difference to see."""
    for path in sorted(IMAGES.glob("*.png")):
        with Image.open(path) as picture:
            small = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
        small.save(path, optimize=True)


def main() -> int:
    """Serve the demo study, open its pages, keep their pictures in docs/images."""
    chromium = shutil.which("chromium")
    if chromium is None:
        print("chromium is not installed: no pictures made", file=sys.stderr)
        return 1
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as server, sync_playwright() as play:
        printed = server.manage("demo", "--no-serve")
        links = dict(re.findall(r"Harbour news, ([\w-]+), half done: http://[^/]+(\S+)", printed))
        password, admin = re.findall(r"user (?:researcher|admin), password (\S+)", printed)
        browser = play.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        _rate_pages(browser, {name: server.url + path for name, path in links.items()})
        _states(browser, server)
        _researcher_pages(browser, server, password)
        _workplace_pages(browser, server, admin)
        browser.close()
    _shrink()
    print(f"pictures in {IMAGES.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
