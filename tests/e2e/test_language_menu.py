"""Changing the language in the middle of the work."""

from playwright.sync_api import expect

from tests.e2e.raters import enter, expect_saved, next_by, press, shown


def test_the_language_changes_under_the_item_on_the_screen(server, new_page):
    """The item, what was typed for it, and everything saved before stay; the page turns around."""
    lines = [f"Window {n} is open." for n in range(6)]
    links = server.campaign(
        "Many tongues", "--protocol", "source_da", "--languages", "en-de",
        "--source", server.write("tongues.source", lines),
        "--output", f"P={server.write('tongues.output', [f'Fenster {n} ist offen.' for n in range(6)])}",
        "--judgements", "1", raters=1,
    )  # fmt: skip
    page = new_page(viewport={"width": 390, "height": 780})
    enter(page, links["R1"])
    next_by(page, "5", "5", "Enter")
    next_by(page, "6", "6", "Enter")
    expect_saved(page)
    next_by(page, "Backspace")
    texts = shown(page)
    press(page, "7", "7")
    page.locator("#menu summary").click()
    page.get_by_role("button", name="العربية").click()
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    assert shown(page) == texts and page.locator("#number").input_value() == "77"
    expect(page.locator("#counts")).to_have_text("أُنجز 2، بقي 4")
    expect(page.locator("#next")).to_have_text("حفظ ومتابعة")
    next_by(page, "Enter")
    expect_saved(page)
    assert shown(page) != texts
    overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert overflow <= 0
    page.reload()
    expect(page.locator("html")).to_have_attribute("lang", "ar")
    expect(page.locator("#counts")).to_have_text("أُنجز 2، بقي 4")
