"""Without a plan, items may go to somebody else while answers wait: raters are told, nothing hangs."""

import sqlite3

from playwright.sync_api import expect

from tests.e2e.raters import begin, expect_saved, next_by, press, shown

LINES = [f"The tide comes at {n}." for n in range(1, 7)]


def end_leases(server, first=100):
    """Let the time be over for which the first items are held."""
    with sqlite3.connect(server.folder / "data" / "platform.sqlite3", timeout=20) as database:
        change = "UPDATE annotation_assignment SET lease_until = '2020-01-01 00:00:00' WHERE position <= ?"
        database.execute(change, [first])


def pool(server, name, *arguments):
    files = ("--source", server.write("tide.src", LINES), "--output", "A=" + server.write("tide", LINES))
    options = ("--protocol", "source_da", "--languages", "en-de", "--judgements", "1", "--pool")
    return server.campaign(name, *options, *files, *arguments, raters=2)


def test_who_comes_too_late_is_told_and_done(server, new_page):
    """All items went to somebody else: the answers are kept, none is unsent, none that has gone is asked."""
    links = pool(server, "Tide")
    page, other = new_page(), new_page()
    begin(page, links["R1"])
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    next_by(page, *"11", "Enter")
    next_by(page, *"22", "Enter")
    end_leases(server)
    begin(other, links["R2"])
    other.wait_for_load_state("networkidle")
    next_by(other, *"50", "Enter")
    expect_saved(other)
    page.context.set_offline(False)
    expect(page.locator("#trouble")).to_contain_text("Your answer is kept beside the others")
    expect(page.locator("#saved")).to_have_text("saved")
    expect(page.locator("#answer-form")).to_be_hidden()
    expect(page.locator("#counts")).to_have_text("0 done")
    page.locator("#trouble-close").click()
    page.wait_for_url("**/finish")
    expect(page.locator("#unsent")).to_be_hidden()


def test_what_is_left_is_gone_on_with(server, new_page):
    """Some items went to somebody else: the item shown stays, and what is answered after that counts."""
    links = pool(server, "Ebb")
    page, other = new_page(), new_page()
    begin(page, links["R1"])
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    next_by(page, *"11", "Enter")
    next_by(page, *"22", "Enter")
    third = shown(page)
    end_leases(server, first=2)
    begin(other, links["R2"])
    other.wait_for_load_state("networkidle")
    page.context.set_offline(False)
    expect(page.locator("#trouble")).to_contain_text("Your answer is kept beside the others")
    expect(page.locator("#saved")).to_have_text("saved")
    page.wait_for_load_state("networkidle")
    assert shown(page) == third
    page.locator("#trouble-close").click()
    for _ in range(3):
        next_by(page, *"55", "Enter")
    press(page, *"55", "Enter")
    page.wait_for_url("**/finish")
    expect(page.locator("main")).to_contain_text("Your 4 answers are saved")
