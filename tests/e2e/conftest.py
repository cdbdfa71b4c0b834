"""What browser tests share: Debian's chromium and the platform in its own processes."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.e2e.campaigns import Crowd
from tests.server import Server, running

CHROMIUM = shutil.which("chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
]
NewPage = Callable[..., Page]
expect.set_options(timeout=30_000)  # a slow machine is no fault of a page


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything here; skip it where there is no browser."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.e2e)
            if CHROMIUM is None:
                item.add_marker(pytest.mark.skip(reason="chromium is not installed"))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Return one browser for all tests; each rater has a context of their own."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Return a running platform with an empty database."""
    with running(tmp_path_factory.mktemp("platform"), threads=8) as started:
        yield started


@pytest.fixture(scope="session")
def crowd(server: Server) -> Crowd:
    """Return campaigns that tests share, each test with a rater of its own."""
    return Crowd(server)


@pytest.fixture
def new_page(browser: Browser) -> Iterator[NewPage]:
    """Return a maker of pages, each in a fresh context; scripts that fail there fail the test."""
    contexts: list[BrowserContext] = []
    faults: list[str] = []

    def make(**options: object) -> Page:
        context = browser.new_context(**{"locale": "en-GB", **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: faults.append(str(error)))
        return page

    yield make
    for context in contexts:
        context.close()
    assert not faults
