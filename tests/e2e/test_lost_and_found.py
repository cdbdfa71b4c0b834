"""Nothing is lost and nothing doubled: networks, sessions, tabs, clocks and browsers at their worst."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.raters import begin, expect_number, expect_saved, expect_title, next_by, press, resume, value

BARE = """
    Object.defineProperty(Crypto.prototype, "randomUUID", { value: undefined });
    Object.defineProperty(Crypto.prototype, "subtle", { value: undefined });
    Object.defineProperty(Navigator.prototype, "locks", { value: undefined });
"""
NO_STORAGE = """
    Object.defineProperty(window, "localStorage", {
        get() { throw new DOMException("denied", "SecurityError"); },
    });
"""
FULL_STORAGE = """
    Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };
"""
WRONG_CLOCK = """
    const now = Date.now;
    Date.now = () => now() - 40 * 365 * 86_400_000;
"""


def rate_all(page, first=1, last=6, start=11):
    for place in range(first, last + 1):
        expect_number(page, place)
        if place < last:
            next_by(page, *str(start * place), "Enter")
        else:
            press(page, *str(start * place), "Enter")


def test_what_was_answered_without_a_network_arrives_with_it(crowd, new_page):
    """All that was fetched ahead can be rated and corrected offline; it arrives once and in order."""
    seat = crowd.seat()
    page = new_page()
    begin(page, seat.link)
    next_by(page, *"11", "Enter")
    expect_saved(page)
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    for number in (22, 33, 44):
        press(page, *str(number), "Enter")
    expect(page.locator("#saved")).to_have_text("waiting, 3 unsent")
    press(page, "Backspace", "Backspace")  # two of them are corrected offline as well
    expect_number(page, 3)
    next_by(page, *"34", "Enter")
    assert seat.answers() == [11]
    page.context.set_offline(False)
    expect_saved(page)
    assert seat.answers() == [11, 22, 44, 34] and seat.answers(history=True) == [11, 22, 33, 44, 34]
    expect(page.locator("#counts")).to_have_text("4 done, 2 left")


def test_ten_new_items_are_rated_offline(server, new_page):
    """Look-ahead reaches twelve items; then the page waits, offers nothing in vain, and goes on by itself."""
    lines = [f"Boat {n} is in." for n in range(20)]
    links = server.campaign(
        "Ten offline", "--protocol", "source_da", "--languages", "en-de", "--allow-skip",
        "--source", server.write("ten.s", lines), "--output", f"P={server.write('ten.p', lines)}",
        "--judgements", "1", raters=1,
    )  # fmt: skip
    page = new_page()
    begin(page, links["R1"])
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    for place in range(1, 11):
        expect_number(page, place)
        next_by(page, *str(50 + place), "Enter")
    expect(page.locator("#saved")).to_have_text("waiting, 10 unsent")
    for place in range(11, 14):
        expect_number(page, place)
        press(page, *str(50 + place), "Enter")
    expect(page.locator("#waiting-title")).to_have_text("Waiting for the connection")
    for button in ("#next", "#comment-toggle", "#skip-open", "#problem-open"):
        expect(page.locator(button)).to_be_disabled()
    page.context.set_offline(False)
    expect_saved(page)
    expect_number(page, 14)
    for button in ("#skip-open", "#problem-open"):
        expect(page.locator(button)).to_be_enabled()
    expect(page.locator("#counts")).to_have_text("13 done, 7 left")
    header, *rows = server.manage("export_judgements", "Ten offline", "--format", "csv").strip().split("\n")
    scores = sorted(float(row.split(",")[header.split(",").index("score")]) for row in rows)
    assert scores == [*range(51, 64)]


def test_the_page_goes_on_by_itself_once_the_invitation_is_open_again(crowd, new_page):
    """UI-04: friendly words, the same item with the typed value, no answer lost."""
    seat = crowd.seat()
    page = new_page()
    begin(page, seat.link)
    page.wait_for_load_state("networkidle")
    page.context.clear_cookies()
    for number in (11, 22, 33, 44):
        press(page, *str(number), "Enter")
    expect(page.locator("#trouble")).to_contain_text("You are no longer signed in")
    expect(page.locator("#trouble")).to_contain_text("Open your invitation link again")
    expect(page.locator("#saved")).to_have_text("waiting, 4 unsent")
    assert seat.answers() == []
    other = page.context.new_page()
    resume(other, seat.link)
    expect_saved(page)
    expect(page.locator("#trouble")).to_be_hidden()
    expect_number(page, 5)
    press(page, *"55", "Enter")
    expect_number(page, 6)
    expect_saved(page)
    assert seat.answers() == [11, 22, 33, 44, 55]


def test_nobody_answers_for_somebody_else(crowd, new_page):
    """UI-04: another rater opens an invitation in this browser; the first page waits and keeps all."""
    one, two = crowd.seat(), crowd.seat()
    page = new_page()
    begin(page, one.link)
    next_by(page, *"11", "Enter")
    expect_saved(page)
    page.wait_for_load_state("networkidle")
    other = page.context.new_page()
    begin(other, two.link)
    next_by(other, *"99", "Enter")
    expect_saved(other)
    for number in (22, 33, 44):
        press(page, *str(number), "Enter")
    expect(page.locator("#trouble")).to_contain_text("Somebody else")
    assert one.answers() == [11] and two.answers() == [99]
    third = page.context.new_page()
    resume(third, one.link)
    expect_saved(third)
    assert one.answers() == [11, 22, 33, 44]
    assert two.answers() == [99]


def test_two_tabs_ask_nothing_twice(crowd, new_page):
    """What one tab answers the other passes over; both end at the same place."""
    seat = crowd.seat()
    page = new_page()
    begin(page, seat.link)
    page.wait_for_load_state("networkidle")
    twin = page.context.new_page()
    resume(twin, seat.link)
    expect_number(twin, 1)
    next_by(page, *"11", "Enter")
    expect_number(twin, 2)
    press(twin, *"2")  # begun here: it is not taken away
    next_by(page, *"21", "Enter")
    expect_saved(page)
    expect_number(twin, 2)
    twin.locator("#number").fill("22")
    next_by(twin, "Enter")
    expect_number(twin, 3)
    expect_saved(twin)
    expect(twin.locator("#counts")).to_have_text("2 done, 4 left")
    assert seat.answers() == [11, 22] and seat.answers(history=True) == [11, 21, 22]


def test_two_devices_keep_the_latest_answer(crowd, new_page):
    """UI-02 and UI-13: history is kept, and progress counts items and not answers."""
    seat = crowd.seat()
    desk = new_page()
    begin(desk, seat.link)
    train = new_page()
    resume(train, seat.link)
    next_by(desk, *"64", "Enter")
    expect_saved(desk)
    next_by(train, *"79", "Enter")
    expect_saved(train)
    expect(train.locator("#counts")).to_have_text("1 done, 5 left")
    for number in (80, 81, 64):
        press(train, "Backspace")
        expect_number(train, 1)
        next_by(train, *str(number), "Enter")
    expect_saved(train)
    expect(train.locator("#counts")).to_have_text("1 done, 5 left")
    desk.reload()
    expect_number(desk, 2)
    press(desk, "Backspace")
    expect_number(desk, 1)
    assert value(desk) == "64"
    assert seat.answers() == [64] and seat.answers(history=True) == [64, 79, 80, 81, 64]


@pytest.mark.parametrize(
    "script",
    [BARE, NO_STORAGE, FULL_STORAGE, WRONG_CLOCK],
    ids=["plain http", "storage denied", "storage full", "clock 40 years back"],
)
def test_a_poor_browser_rates_as_well(crowd, new_page, script):
    seat = crowd.seat("reference_da")
    page = new_page()
    page.add_init_script(script)
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    begin(page, seat.link)
    next_by(page, *"11", "Enter")
    next_by(page, *"22", "Enter")
    press(page, "Backspace")
    expect_number(page, 2)
    next_by(page, *"23", "Enter")
    expect_saved(page)
    press(page, *"33", "Enter")
    page.wait_for_url("**/finish")
    assert sorted(seat.answers()) == [11, 23, 33]
    assert not asked  # nobody is held up when all is saved


def test_a_comment_of_a_hundred_kilobytes_is_refused_in_words(crowd, new_page):
    """Before it is sent; it stays in the field whole, also after a reload, and a shorter one goes through."""
    seat = crowd.seat()
    page = new_page()
    begin(page, seat.link)
    long = "This is wrong. " * 7000
    press(page, *"50", "c")
    page.locator("#comment").fill(long)
    press(page, "Control+Enter")
    expect(page.locator("#message")).to_contain_text("The comment has 104999 characters; 5000 are possible.")
    expect_number(page, 1)
    page.reload()
    assert page.locator("#comment").input_value() == long and value(page) == "50"
    page.locator("#comment").fill("This is wrong.")
    press(page, "Control+Enter")
    expect_number(page, 2)
    expect_saved(page)
    assert seat.comments() == ["This is wrong."]
    page.get_by_role("button", name="Report a problem").click()
    page.locator("#problem-text").fill(long)
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#problem-status")).to_contain_text("5,000 are possible")
    assert page.locator("#problem-text").input_value() == long


def test_a_server_that_fails_or_hangs_up_is_asked_again(crowd, new_page):
    """Errors, a proxy's page, a connection that dies after the server took the answer: one judgement."""
    seat = crowd.seat()
    page = new_page()
    begin(page, seat.link)
    faults = ["503", "html", "cut"]

    def disturb(route):
        fault = faults.pop(0) if faults else ""
        if fault == "503":
            route.fulfill(status=503, body="busy")
        elif fault == "html":
            route.fulfill(status=502, content_type="text/html", body="<h1>Bad gateway</h1>")
        elif fault == "cut":
            route.fetch()  # the server takes it, the reply is lost
            route.abort()
        else:
            route.continue_()

    page.route("**/answers", disturb)
    next_by(page, *"64", "Enter")
    expect(page.locator("#saved")).to_have_text("waiting, 1 unsent")
    expect(page.locator("#saved")).to_have_attribute("data-state", "saved", timeout=20_000)
    assert not faults and seat.answers(history=True) == [64]


def test_a_connection_that_died_without_a_word_is_given_up(crowd, new_page):
    """As after a closed laptop: no error ever comes, and the answer is sent again all the same."""
    seat = crowd.seat()
    page = new_page()
    page.clock.install()
    begin(page, seat.link)
    held = []
    page.route("**/answers", lambda route: route.continue_() if held else held.append(route))
    next_by(page, *"64", "Enter")
    expect(page.locator("#saved")).to_have_text("saving…")
    page.clock.run_for(21_000)
    expect(page.locator("#saved")).to_have_text("waiting, 1 unsent")
    page.clock.run_for(3_000)
    expect_saved(page)
    assert held and seat.answers(history=True) == [64]


def test_corrections_arrive_in_order_when_the_page_is_left(crowd, new_page):
    """Two answers to one item wait; the page is closed; the last one is still the last one."""
    seat = crowd.seat()
    page = new_page()
    begin(page, seat.link)
    page.wait_for_load_state("networkidle")
    page.route("**/answers", lambda route: route.abort())
    next_by(page, *"64", "Enter")
    press(page, "Backspace")
    expect_number(page, 1)
    next_by(page, *"79", "Enter")
    expect(page.locator("#saved")).to_have_text("waiting, 2 unsent")
    page.unroute("**/answers")
    page.close()
    page = page.context.new_page()
    resume(page, seat.link)
    expect_saved(page)
    assert seat.answers() == [79] and seat.answers(history=True) == [64, 79]


def test_going_back_with_the_browser_shows_the_latest(crowd, new_page):
    """UI-02 with the browser's own buttons: what the page kept in memory is not what counts."""
    seat = crowd.seat()
    page = new_page()
    begin(page, seat.link)
    next_by(page, *"64", "Enter")
    expect_saved(page)
    page.goto(page.url + "guidelines")
    page.go_back()
    expect_title(page, re.compile("^Rate "))
    press(page, "Backspace")
    expect_number(page, 1)
    assert value(page) == "64"
    next_by(page, *"79", "Enter")
    expect_saved(page)
    assert seat.answers() == [79]
