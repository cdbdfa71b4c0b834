"""What raters do, by keyboard alone."""

import re

from playwright.sync_api import Page, expect


def press(page: Page, *keys: str) -> None:
    """Press keys one after the other."""
    for key in keys:
        page.keyboard.press(key)


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until the element has the focus."""
    for _ in range(120):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{selector} cannot be reached with Tab on {page.url}")


def enter(page: Page, link: str) -> None:
    """Open an invitation, agree to take part and arrive at the rating page."""
    page.goto(link)
    tab_to(page, "main button")
    press(page, "Enter")
    page.wait_for_url("**/consent")
    tab_to(page, "input[type=checkbox]")
    press(page, "Space")
    tab_to(page, "main button")
    press(page, "Enter")
    page.wait_for_url("**/rate/*/")


def resume(page: Page, link: str) -> None:
    """Open an invitation again, agreed before."""
    page.goto(link)
    tab_to(page, "main button")
    press(page, "Enter")
    page.wait_for_url("**/rate/**")


def expect_title(page: Page, title: str | re.Pattern[str]) -> None:
    """Wait until a page of that title is there, with its script: keys pressed before that are lost."""
    expect(page).to_have_title(title)
    page.wait_for_load_state()


def expect_number(page: Page, place: int) -> None:
    """Wait until the item at that place is on the screen."""
    expect_title(page, re.compile(rf"^\w+ {place} "))


def next_by(page: Page, *keys: str) -> None:
    """Answer with keys and wait until the screen has gone on."""
    before = page.title()
    press(page, *keys)
    expect(page).not_to_have_title(before)


def expect_saved(page: Page) -> None:
    """Wait until everything is with the server."""
    expect(page.locator("#saved")).to_have_attribute("data-state", "saved")


def shown(page: Page) -> list[str]:
    """Return the texts on the screen."""
    return page.locator("#texts .text p").all_text_contents()


def begin(page: Page, link: str) -> None:
    """Open an invitation with clicks and arrive at the rating page, its script ready."""
    page.goto(link)
    page.locator("main button").click()
    page.wait_for_url("**/consent")
    page.locator("input[type=checkbox]").check()
    page.locator("main button").click()
    page.wait_for_url("**/rate/*/")
    expect(page.locator("#next")).to_have_attribute("aria-disabled", "true")


def value(page: Page) -> str:
    """Return the number that stands in the field."""
    return page.locator("#number").input_value()


def is_in_view(page: Page, selector: str) -> bool:
    """Tell whether an element is wholly inside the window and nothing lies over its middle."""
    return bool(
        page.evaluate(
            """selector => {
                const element = document.querySelector(selector), box = element.getBoundingClientRect();
                const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
                const over = document.elementFromPoint(x, y);
                const inside = box.top >= -1 && box.left >= -1
                    && box.right <= innerWidth + 1 && box.bottom <= innerHeight + 1;
                return inside && (element.contains(over) || over?.contains(element));
            }""",
            selector,
        )
    )
