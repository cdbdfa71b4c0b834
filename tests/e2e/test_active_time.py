"""The browser's count of active time, under a clock of our own: idle, hidden, asleep, set wrong."""

import pytest

from tests.paths import ROOT

SCRIPT = (ROOT / "static/js/activetime.js").read_text("utf-8")


@pytest.fixture
def page(new_page):
    page = new_page()
    page.clock.install(time=0)
    page.goto("about:blank")
    page.evaluate("window.rating = {}")
    page.evaluate(SCRIPT)
    page.evaluate("window.watch = new window.rating.ActiveTime()")
    page.clock.pause_at(60_000)
    page.evaluate("watch.restart()")
    return page


def move(page):
    page.evaluate("dispatchEvent(new PointerEvent('pointermove'))")


def see(page, visible):
    page.evaluate(
        "seen => { Object.defineProperty(document, 'hidden', { configurable: true, value: !seen });"
        "document.dispatchEvent(new Event('visibilitychange')); }",
        visible,
    )


def read(page):
    return page.evaluate("watch.read()")


def test_activity_counts(page):
    for _ in range(6):
        page.clock.run_for(50_000)
        move(page)
    assert read(page) == 300_000
    page.evaluate("watch.restart()")
    assert read(page) == 0


def test_a_long_pause_and_a_sleeping_machine_do_not(page):
    page.clock.run_for(60_000)
    move(page)
    page.clock.fast_forward(8 * 3600 * 1000)
    move(page)
    page.clock.run_for(30_000)
    assert read(page) == 90_000


def test_a_hidden_page_does_not(page):
    page.clock.run_for(20_000)
    see(page, False)
    for _ in range(4):
        page.clock.run_for(60_000)
        move(page)
    see(page, True)
    page.clock.run_for(10_000)
    assert read(page) == 30_000


def test_setting_the_clock_changes_nothing(page):
    page.clock.run_for(20_000)
    page.clock.set_system_time(4_102_444_800_000)
    page.clock.run_for(20_000)
    assert read(page) == 40_000
