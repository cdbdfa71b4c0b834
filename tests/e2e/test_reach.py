"""Fingers, small windows and zoom: every protocol on a phone, and all that can be touched is large enough."""

import pytest
from playwright.sync_api import expect

from tests.e2e.raters import begin, expect_number, expect_saved, is_in_view, value

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
SMALL = """() => [...document.querySelectorAll('a, button, input, summary, [role=slider]')]
    .filter(e => e.checkVisibility() && e.getBoundingClientRect().width > 1)
    .map(e => [e.id || e.textContent.trim(), e.getBoundingClientRect()])
    .filter(([, box]) => box.width < 24 || box.height < 24).map(([name]) => name)"""


def tap_scale(page, share):
    box = page.locator("#track").bounding_box()
    page.touchscreen.tap(box["x"] + share * box["width"], box["y"] + box["height"] / 2)


@pytest.mark.parametrize("protocol", ["source_da", "reference_da", "pairwise_fluency"])
def test_a_phone_rates_by_touch(crowd, new_page, protocol):
    """Finishes by taps alone; UI-06: a tap at the middle of the unset scale is a choice."""
    seat = crowd.seat(protocol)
    page = new_page(**PHONE)
    begin(page, seat.link)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(SMALL) == []
    total = 6 if protocol == "source_da" else 3
    for place in range(1, total + 1):
        expect_number(page, place)
        if protocol == "pairwise_fluency":
            page.locator("#choices button").nth(place % 3).tap()
        else:
            tap_scale(page, 0.5)
            assert int(value(page)) in (50, 51)
        page.locator("#next").tap()
    page.wait_for_url("**/finish")
    assert len(seat.answers()) == total


def test_scrolling_over_the_scale_sets_nothing(crowd, new_page):
    """A finger that moves along the page is no answer; one that moves along the scale is."""
    page = new_page(**PHONE)
    begin(page, crowd.seat("long").link)
    box = page.locator("#track").bounding_box()
    x, y = box["x"] + 100, box["y"] + box["height"] / 2
    client = page.context.new_cdp_session(page)

    def touch(kind, *points):
        client.send(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]}
        )

    touch("touchStart", (x, y))
    for step in range(1, 8):
        touch("touchMove", (x, y - 25 * step))
    touch("touchEnd")
    expect(page.locator("#track")).not_to_have_attribute("aria-valuenow", "1")
    assert value(page) == ""
    touch("touchStart", (x, y))
    for step in range(1, 8):
        touch("touchMove", (x + 10 * step, y))
    touch("touchEnd")
    dragged = int(value(page))
    expected = 1 + 99 * (x + 70 - box["x"]) / box["width"]
    assert abs(dragged - expected) <= 1


@pytest.mark.parametrize(
    "size",
    [
        {"width": 320, "height": 568},
        {"width": 844, "height": 390},
        {"width": 390, "height": 420},
        {"width": 640, "height": 400},
    ],
    ids=["320 px", "landscape", "keyboard on the screen", "200 % zoom"],
)
def test_little_room_keeps_scale_number_and_button_in_reach(crowd, new_page, size):
    page = new_page(viewport=size)
    begin(page, crowd.seat("long" if size["width"] == 640 else "arabic").link)
    for share in (0, 0.5):
        page.evaluate("share => scrollTo(0, share * document.body.scrollHeight)", share)
        for part in ("#track", "#number", "#next"):
            assert is_in_view(page, part), part
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    texts = page.evaluate("document.querySelector('.answer').getBoundingClientRect().top")
    least = 0.55 if size["height"] <= 480 else 0.45
    assert texts >= size["height"] * least - 1  # more for reading than for answering
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    assert is_in_view(page, "#previous")


@pytest.mark.parametrize("protocol", ["long", "pairwise_fluency"])
@pytest.mark.parametrize("size", [(640, 400), (844, 390)], ids=["200 % zoom", "landscape"])
def test_with_little_height_question_and_both_texts_are_seen_at_once(crowd, new_page, protocol, size):
    """At least eleven twentieths of the height are for them."""
    page = new_page(viewport={"width": size[0], "height": size[1]})
    begin(page, crowd.seat(protocol).link)
    header, answer = (
        page.evaluate(f"(e => e.getBoundingClientRect().{side})(document.querySelector('{part}'))")
        for part, side in (("header.bar", "bottom"), (".answer", "top"))
    )
    assert is_in_view(page, "#prompt")
    tops = page.evaluate(
        "[...document.querySelectorAll('.text p')].map(e => e.getBoundingClientRect().top)",
    )
    line = 40
    assert len(tops) == 2 and all(top + line <= answer for top in tops)
    if protocol == "long":
        assert answer - header >= 0.55 * size[1]


def test_the_list_of_keys_begins_at_its_beginning(crowd, new_page):
    """Also where the window is lower than the list; what closes it stays in view."""
    page = new_page(viewport={"width": 1280, "height": 800})
    begin(page, crowd.seat().link)
    for height in (800, 420):
        page.set_viewport_size({"width": 1280, "height": height})
        page.keyboard.press("?")
        expect(page.locator("#keys .main")).to_be_focused()
        assert page.evaluate("document.querySelector('#keys').scrollTop") == 0
        assert is_in_view(page, "#keys-title") and is_in_view(page, "#keys .main")
        page.keyboard.press("Escape")


@pytest.mark.parametrize("locale", ["ar", "de", "ru"])
def test_the_table_of_hours_fits_a_phone(crowd, new_page, locale):
    page = new_page(**PHONE, locale=locale)
    begin(page, crowd.seat("long").link)
    tap_scale(page, 0.5)
    page.locator("#next").tap()
    expect_saved(page)
    path = page.evaluate("JSON.parse(document.getElementById('config').textContent).urls.timesheet")
    page.goto(path if "://" in path else page.url.split("/rate/")[0] + path)
    assert page.locator(".hours tbody tr").count() == 1
    assert page.evaluate("(e => e.scrollWidth <= e.clientWidth)(document.querySelector('.scroll'))")


def test_at_four_hundred_percent_nothing_covers_the_texts(crowd, new_page):
    page = new_page(viewport={"width": 320, "height": 256})
    begin(page, crowd.seat("arabic").link)
    for selector in (".answer", "footer.bar"):
        assert page.evaluate(f"getComputedStyle(document.querySelector('{selector}')).position") == "static"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_first_page_is_small_and_from_here_alone(crowd, new_page, server):
    """At most 100 kB over the wire, with styles, scripts and the look-ahead; no foreign host."""
    page = new_page()
    link = crowd.seat().link
    begin(page, link)
    finished = []
    other = page.context.browser.new_context(locale="en-GB").new_page()
    try:
        other.on("requestfinished", lambda request: finished.append(request))
        other.goto(link)
        other.locator("main button").click()
        other.wait_for_url("**/rate/*/")
        other.wait_for_load_state("networkidle")
        page_url = other.url
        hosts = {request.url.split("/")[2] for request in finished if not request.url.startswith("data:")}
        assert hosts == {server.url.split("/")[2]}
        seen = [request for request in finished if "/invite/" not in request.url]
        assert any("/screens" in request.url for request in seen) and any(one.url == page_url for one in seen)
        sizes = [one.sizes()["responseBodySize"] + one.sizes()["responseHeadersSize"] for one in seen]
        assert 20_000 < sum(sizes) <= 100_000
    finally:
        other.context.close()


def test_the_number_is_on_the_screen_beside_what_is_typed(crowd, new_page):
    """The field is asked with digits, and what covers it from below lifts it."""
    page = new_page(**PHONE)
    begin(page, crowd.seat().link)
    assert page.locator("#number").get_attribute("inputmode") == "numeric"
    page.locator("#number").tap()
    page.evaluate("document.body.style.setProperty('--keyboard', '300px')")
    for part in ("#number", "#next"):
        bottom = page.evaluate(f"document.querySelector('{part}').getBoundingClientRect().bottom")
        assert bottom <= PHONE["viewport"]["height"] - 300
    page.locator("#number").fill("66")
    page.evaluate("document.body.style.setProperty('--keyboard', '0px')")
    page.locator("#next").tap()
    expect_number(page, 2)
    expect_saved(page)
