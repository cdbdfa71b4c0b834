"""Taking back, passing over, resting; and keyboards of other countries."""

from playwright.sync_api import expect

from tests.e2e.raters import begin, enter, expect_number, expect_saved, next_by, press, shown, value


def test_undo_takes_back_one_change_at_a_time(crowd, new_page):
    """A number typed, a run of arrows and a click are a change each; the first one was made on nothing."""
    page = new_page()
    begin(page, crowd.seat().link)
    press(page, *"64", "ArrowUp", "ArrowUp")
    box = page.locator("#track").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 5)
    press(page, "End")
    assert value(page) == "100"
    for expected in ("51", "66", "64", ""):
        press(page, "z")
        assert value(page) == expected or (expected == "51" and value(page) == "50")
    assert page.locator("#track").get_attribute("aria-valuenow") is None
    press(page, "z")
    expect(page.locator("#message")).to_contain_text("nothing to take back")
    press(page, *"70", "Control+z")
    assert value(page) == ""
    press(page, "Enter")
    expect_number(page, 1)
    next_by(page, *"71", "Enter")
    press(page, "z")  # what was before on another item is not undone on this one
    expect(page.locator("#message")).to_contain_text("nothing to take back")


def test_arrows_after_a_pause_are_changes_of_their_own(crowd, new_page):
    """Less than a second between two arrows makes them one change; each jump to an end is one."""
    page = new_page()
    page.clock.install()
    begin(page, crowd.seat().link)
    press(page, *"64", "ArrowUp", "ArrowUp")
    page.clock.run_for(1_100)
    press(page, "ArrowUp")
    page.clock.run_for(1_100)
    press(page, "ArrowUp", "ArrowUp", "End", "Home", "End")
    for before in ("1", "100", "69", "67", "66", "64", ""):
        press(page, "z")
        assert value(page) == before


def test_undo_takes_back_a_choice(crowd, new_page):
    page = new_page()
    begin(page, crowd.seat("pairwise_fluency").link)
    pressed = page.locator("#choices button[aria-pressed=true]")
    press(page, "1", "2")
    expect(pressed).to_have_attribute("value", "right")
    press(page, "z")
    expect(pressed).to_have_attribute("value", "left")
    press(page, "z")
    expect(pressed).to_have_count(0)
    press(page, "Enter")
    expect(page.locator("#message")).not_to_be_empty()
    expect_number(page, 1)


def test_arrows_do_not_begin_at_a_hidden_value(crowd, new_page):
    """UI-05: on an unset scale they ask for a choice first; nothing is set, nothing can be sent."""
    seat = crowd.seat()
    page = new_page()
    begin(page, seat.link)
    page.locator("#track").focus()
    for key in ("ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown", "PageUp", "PageDown"):
        press(page, key)
        assert value(page) == ""
        expect(page.locator("#message")).to_contain_text("Nothing is set yet")
    assert page.locator("#track").get_attribute("aria-valuetext") == "not set"
    press(page, "Enter")
    expect_number(page, 1)
    assert seat.answers() == []


def test_an_item_is_passed_over_after_a_question(crowd, new_page):
    seat = crowd.seat()
    page = new_page()
    begin(page, seat.link)
    texts = shown(page)
    press(page, *"5", "s")
    expect(page.locator("#skip")).to_be_visible()
    press(page, "Escape")
    expect(page.locator("#skip")).to_be_hidden()
    assert shown(page) == texts and value(page) == "5"
    press(page, "s", "Enter")
    expect(page.locator("#skip")).to_be_hidden()
    expect(page.locator("#counts")).to_have_text("0 done, 5 left")
    expect(page.locator("#number")).to_have_value("")
    assert shown(page) != texts
    next_by(page, *"64", "Enter")
    expect_saved(page)
    expect(page.locator("#counts")).to_have_text("1 done, 4 left")
    press(page, "Backspace")
    expect(page.locator("#skip-open")).to_be_hidden()  # what is answered is corrected, not passed over
    assert seat.answers() == [64] and seat.stored()[0][0] not in texts


def test_skipping_without_a_network_says_so(crowd, new_page):
    page = new_page()
    begin(page, crowd.seat().link)
    texts = shown(page)
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    page.get_by_role("button", name="Skip").click()
    page.locator("#skip-reason").fill("Not my subject.")
    press(page, "Control+Enter")
    page.locator("#skip .main").click()
    expect(page.locator("#skip-status")).to_contain_text("It stays as it is")
    assert page.locator("#skip-reason").input_value() == "Not my subject."
    press(page, "Escape")
    assert shown(page) == texts


def test_no_skipping_where_the_campaign_does_not_say_so(crowd, new_page):
    page = new_page()
    begin(page, crowd.seat("reference_da").link)
    assert page.locator("#skip-open").count() == page.locator("#skip").count() == 0
    press(page, "s")
    expect_number(page, 1)


def test_a_break_is_suggested_between_two_items_and_takes_no_focus(crowd, new_page):
    page = new_page()
    page.clock.install()
    begin(page, crowd.seat().link)
    for place in range(1, 4):
        expect_number(page, place)
        page.clock.run_for(25_000)
        assert page.locator("#break").is_hidden()
        next_by(page, *str(10 * place), "Enter")
    expect(page.locator("#break")).to_contain_text("working for 1 min")
    assert page.evaluate("document.activeElement.id") == "number"
    next_by(page, *"44", "Enter")
    expect(page.locator("#break")).to_be_visible()
    page.get_by_role("button", name="Later").click()
    expect(page.locator("#break")).to_be_hidden()
    assert page.evaluate("document.activeElement.id") == "number"
    next_by(page, *"55", "Enter")
    expect(page.locator("#break")).to_be_hidden()


def test_keyboards_of_other_countries(crowd, new_page):
    """A French row of digits without Shift, and a Cyrillic C."""
    page = new_page()
    begin(page, crowd.seat().link)
    send = """([key, code]) => document.activeElement.dispatchEvent(
        new KeyboardEvent("keydown", { key, code, bubbles: true, cancelable: true }))"""
    for key, code in (("&", "Digit1"), ("é", "Digit2")):
        page.evaluate(send, [key, code])
    assert value(page) == "12"
    page.evaluate(send, ["с", "KeyC"])
    expect(page.locator("#comment")).to_be_focused()


def test_a_reference_based_campaign_by_keyboard_alone(crowd, new_page):
    seat = crowd.seat("reference_da")
    page = new_page()
    enter(page, seat.link)
    next_by(page, *"10", "Enter")
    next_by(page, "Home", "Enter")
    press(page, *"55", "Enter")
    page.wait_for_url("**/finish")
    assert seat.answers() == [10, 1, 55]
