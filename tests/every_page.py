"""Take a picture of every page: `python -m tests.every_page FOLDER`, light and wide, dark and narrow.

Pages are found by following links from the start of an administrator's and of a rater's way, one page for
each name of an address. What is wider than its window and what the console complains of is printed.
"""

import os
import re
import shutil
import sys
import tempfile
from collections import deque
from pathlib import Path
from urllib.parse import urlsplit

from django.urls import Resolver404, resolve
from playwright.sync_api import Browser, Error, Page, sync_playwright

from tests.screenshots import ARGUMENTS, SETTLED, _something_to_run, _start
from tests.server import Server, running

LOOKS = {"light": ({"width": 1280, "height": 900}, "light"), "dark": ({"width": 390, "height": 800}, "dark")}
FURTHER = ("/runs/", "/machine/", "/recipes/", "/users/", "/audit/", "/corpora/mix/", "/api/v1/docs/")
NO_PAGES = {"logout", "set_language", "favicon"}
HREFS = "all => all.map(one => new URL(one.getAttribute('href'), location).href)"
WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


def _name(address: str) -> str:
    """Return the name of a page's address; "" for what is none of ours."""
    try:
        found = resolve(urlsplit(address).path)
    except Resolver404:
        return ""
    is_ours = found.namespace != "admin" and found.view_name not in NO_PAGES
    return found.view_name if is_ours else ""


def _links(page: Page) -> list[str]:
    hrefs = page.locator("a[href]").evaluate_all(HREFS)
    return [href.partition("#")[0] for href in hrefs if urlsplit(href).netloc == urlsplit(page.url).netloc]


def _walk(page: Page, start: list[str], seen: set[str]) -> list[tuple[str, str]]:
    """Return the name and address of every page that links lead to, one of each name."""
    found, waiting = [], deque(start)
    while waiting:
        address = waiting.popleft()
        name = _name(address)
        if not name or name in seen or re.search(r"\.(csv|tsv|jsonl|parquet|md|tex|svg|zip)\b", address):
            continue
        seen.add(name)
        try:
            page.goto(address)
        except Error:  # a file that is sent instead of a page
            continue
        found.append((name, address))
        waiting.extend(_links(page))
    return found


def _take(page: Page, name: str, address: str, folder: Path, look: str) -> None:
    page.goto(address)
    page.wait_for_timeout(SETTLED)
    if page.evaluate(WIDER):
        print(f"{name}, {look}: wider than the window")
    page.screenshot(path=folder / f"{name.replace(':', '-')}.{look}.png", full_page=True)


def _listening(page: Page) -> Page:
    page.on("console", lambda said: said.type == "error" and print(f"{page.url}: {said.text}"))
    return page


def _sign_in(page: Page, server: Server, password: str) -> None:
    page.goto(f"{server.url}/login/")
    page.locator("input[name=username]").fill("admin")
    page.locator("input[name=password]").fill(password)
    page.keyboard.press("Enter")
    page.wait_for_url("**/campaigns/")


def _pages(browser: Browser, server: Server, password: str, rater: str, folder: Path) -> None:
    seen: set[str] = set()
    people = {
        "": (lambda page: _sign_in(page, server, password), [f"{server.url}{one}" for one in FURTHER]),
        "rater-": (lambda page: _start(page, rater), []),
    }
    for prefix, (enter, further) in people.items():
        walker = browser.new_context().new_page()
        enter(walker)
        found = _walk(walker, [walker.url, *_links(walker), *further], seen)
        state = walker.context.storage_state()
        for look, (size, scheme) in LOOKS.items():
            context = browser.new_context(viewport=size, color_scheme=scheme, storage_state=state)
            page = _listening(context.new_page())
            for name, address in found:
                _take(page, prefix + name, address, folder, look)
        print(f"{len(found)} pages: {', '.join(name for name, _ in found)}")


def main(folder: Path) -> int:
    """Serve the demo study, walk through it, keep the pictures."""
    chromium = shutil.which("chromium")
    if chromium is None:
        print("chromium is not installed: no pictures made", file=sys.stderr)
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, running(Path(data)) as server, sync_playwright() as play:
        printed = server.manage("demo", "--no-serve")
        _something_to_run(server)
        link = re.search(r"Harbour news, source-based, half done: http://[^/]+(\S+)", printed)
        password = re.search(r"user admin, password (\S+)", printed)
        assert link and password
        browser = play.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        _pages(browser, server, password[1], server.url + link[1], folder)
        browser.close()
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Name a folder for the pictures.")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalplatform.settings")
    import django

    django.setup()
    sys.exit(main(Path(sys.argv[1])))
