"""Make the pictures of the README and the guides from the demo study: `make screenshots`."""

import re
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.paths import ROOT
from tests.server import Server, running

IMAGES = ROOT / "docs" / "images"
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
    page.screenshot(path=IMAGES / "report.png", full_page=True)
    page.goto(f"{server.url}/campaigns/")
    page.get_by_role("link", name="Harbour news, fluency", exact=True).click()
    page.goto(page.url.rstrip("/") + "/results/")
    page.wait_for_selector("table")
    page.screenshot(path=IMAGES / "results-fluency.png", full_page=True)


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
        password = re.findall(r"user researcher, password (\S+)", printed)[0]
        browser = play.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        _rate_pages(browser, {name: server.url + path for name, path in links.items()})
        _states(browser, server)
        _researcher_pages(browser, server, password)
        browser.close()
    print(f"pictures in {IMAGES.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
