"""The rating page under a mouse, without a script, from right to left, and with hostile texts."""

import pytest
from playwright.sync_api import expect

from tests.e2e.raters import enter, expect_number, expect_saved, next_by, press, shown, value
from tests.paths import ROOT

NAMES = iter(f"Pages {n}" for n in range(1, 100))


@pytest.fixture
def campaign(server):
    """Return a maker of small campaigns: (name, link of the only rater)."""

    def make(protocol="source_da", languages="en-de", source=(), outputs=None):
        name = next(NAMES)
        source = source or [f"Window {n} is open." for n in range(6)]
        outputs = outputs or {"P": [f"Fenster {n} ist offen." for n in range(len(source))]}
        files = [
            part
            for system, lines in outputs.items()
            for part in ("--output", f"{system}={server.write(f'{name}.{system}', lines)}")
        ]
        links = server.campaign(
            name, "--protocol", protocol, "--languages", languages,
            "--source", server.write(f"{name}.source", list(source)), *files, "--judgements", "1", raters=1,
        )  # fmt: skip
        return name, links["R1"]

    return make


def test_the_middle_of_an_unset_track_is_a_choice(crowd, new_page):
    """UI-06 and UI-05: unset does not go through; one click exactly at the middle does."""
    seat = crowd.seat()
    page = new_page()
    enter(page, seat.link)
    press(page, "Enter")
    expect(page.locator("#message")).not_to_be_empty()
    expect_number(page, 1)
    assert page.locator("#track").get_attribute("aria-valuenow") is None
    box = page.locator("#track").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    middle = int(value(page))
    assert middle in (50, 51)
    next_by(page, "Enter")
    expect_saved(page)
    assert seat.answers() == [middle]


def test_a_reload_keeps_unset_unset_and_a_draft_a_draft(crowd, new_page):
    """UI-07: nothing of the item before comes back; what was typed and not sent does."""
    seat = crowd.seat()
    page = new_page()
    enter(page, seat.link)
    next_by(page, *"80", "Enter")
    expect_saved(page)
    key = page.locator("input[name=assignment]").input_value()
    page.reload()
    expect_number(page, 2)
    assert value(page) == ""
    assert page.locator("#track").get_attribute("aria-valuenow") is None
    assert page.locator("input[name=assignment]").input_value() == key
    press(page, *"37")
    page.reload()
    expect_number(page, 2)
    assert value(page) == "37"
    assert page.locator("input[name=assignment]").input_value() == key
    assert seat.answers() == [80]


def test_right_moves_right_on_a_page_from_right_to_left(crowd, new_page):
    link = crowd.seat("arabic").link
    page = new_page(locale="ar")
    page.goto(link)
    assert page.locator("html").get_attribute("dir") == "rtl"
    enter(page, link)
    boxes = page.locator("#texts > section")
    assert [boxes.nth(n).get_attribute("dir") for n in (0, 1)] == ["ltr", "rtl"]
    assert [boxes.nth(n).get_attribute("lang") for n in (0, 1)] == ["en", "ar"]
    track = page.locator("#track").bounding_box()
    page.mouse.click(track["x"] + track["width"] * 0.25, track["y"] + track["height"] / 2)
    left = int(value(page))
    assert 70 <= left <= 80  # a quarter from the left is three quarters from where the page begins
    press(page, "ArrowRight", "ArrowRight", "ArrowRight")
    assert int(value(page)) == left - 3
    press(page, "ArrowLeft")
    assert int(value(page)) == left - 2


def test_a_double_click_rates_one_item(crowd, new_page):
    """UI-01 with a mouse."""
    seat = crowd.seat()
    page = new_page()
    enter(page, seat.link)
    page.keyboard.type("64")
    page.locator("#next").dblclick()
    expect_number(page, 2)
    expect_saved(page)
    expect_number(page, 2)
    assert seat.answers() == [64]


def test_without_scripts_the_page_rates_as_well(crowd, new_page):
    seat = crowd.seat()
    page = new_page(java_script_enabled=False)
    page.goto(seat.link)
    page.locator("main button").click()
    page.locator("input[type=checkbox]").check()
    page.locator("main button").click()
    for place in range(1, 7):
        expect_number(page, place)
        page.locator("#number").fill(str(10 * place))
        page.locator("#next").click()
    page.wait_for_url("**/finish")
    assert sorted(seat.answers()) == [10, 20, 30, 40, 50, 60]


@pytest.mark.parametrize("protocol", ["source_da", "pairwise_fluency"])
def test_markup_is_shown_as_it_is_written(campaign, new_page, protocol):
    """SEC-01: on the first screen, drawn by the server, and on the others, drawn by the script."""
    rows = (ROOT / "tests/files/sec01_xss.tsv").read_text("utf-8").strip().split("\n")[1:]
    source, target = zip(*(row.split("\t")[1:] for row in rows), strict=True)
    outputs = {"P": list(target), "Q": [f"{text} <i>" for text in target]}
    _, link = campaign(protocol, source=source, outputs=outputs)
    page = new_page()
    enter(page, link)
    seen = []
    for place in range(1, 9 if protocol == "source_da" else 5):
        expect_number(page, place)
        page.mouse.move(300, 300)
        seen += shown(page)
        if place < (8 if protocol == "source_da" else 4):
            next_by(page, *("50" if protocol == "source_da" else "1"), "Enter")
    assert page.evaluate("window.__x") is None
    expected = {*target, *(f"{text} <i>" for text in target), *(source if protocol == "source_da" else ())}
    assert set(seen) == expected
