"""Each protocol by keyboard, from right to left, zoomed, undone, ten new items offline, in two tabs."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.campaigns import Seat
from tests.e2e.raters import enter, expect_saved, expect_title, next_by, press, resume

N_ITEMS = 12
ZOOMED = {"viewport": {"width": 640, "height": 400}, "locale": "ar"}


def expect_number(page, place):
    """Wait until the item at that place is on the screen, whatever the words of its title are."""
    expect_title(page, re.compile(rf"(?<!\d){place}(?!\d)\D+{N_ITEMS}(?!\d)"))


@pytest.fixture
def seat(server, request):
    protocol = request.param
    write = server.write
    lines = [f"Gate {n} is shut at night." for n in range(N_ITEMS)]
    files = ["--source", write(f"{protocol}.s", lines), "--output", "A=" + write(f"{protocol}.a", lines)]
    if protocol == "reference_da":
        files += ["--reference", write(f"{protocol}.r", [f"{line} Truly." for line in lines])]
    if protocol == "pairwise_fluency":
        files += ["--output", "B=" + write(f"{protocol}.b", [f"{line} Truly." for line in lines])]
    name = f"Gates {protocol}"
    links = server.campaign(
        name, "--protocol", protocol, "--languages", "en-ar", "--judgements", "1", *files, raters=1
    )
    return Seat(server, name, "R1", links["R1"])


@pytest.mark.parametrize("seat", ["source_da", "reference_da", "pairwise_fluency"], indirect=True)
def test_a_whole_campaign_in_every_way(seat, new_page):
    chosen = "1" if "pairwise" in seat.campaign else "64"
    page = new_page(**ZOOMED)
    enter(page, seat.link)
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    press(page, *chosen, "z", "Enter")  # undone: nothing is set, so nothing is sent
    expect_number(page, 1)
    assert seat.answers() == []
    next_by(page, *chosen, "Enter")
    expect_saved(page)
    twin = page.context.new_page()
    resume(twin, seat.link)
    expect_number(twin, 2)
    next_by(twin, *chosen, "Enter")
    expect_saved(twin)
    twin.close()
    page.reload()
    expect_number(page, 3)
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    for place in range(3, N_ITEMS + 1):  # ten of them, none seen before
        expect_number(page, place)
        press(page, *chosen, "Enter")
    expect(page.locator("#saved")).to_contain_text("10")
    assert len(seat.answers()) == 2
    page.context.set_offline(False)
    page.wait_for_url("**/finish")
    assert len(seat.answers()) == N_ITEMS == len(seat.answers(history=True))
