"""Reading: the document around a segment, invisible characters, size of the texts, very long sentences."""

import pytest
from playwright.sync_api import expect

from tests.e2e.campaigns import SOURCE, TARGET
from tests.e2e.raters import begin, expect_number, is_in_view, next_by, press, shown, value

PHONE = {"width": 390, "height": 844}
SIGN = "getComputedStyle(document.querySelector('.mark.nbsp'), '::before').content"


def test_the_document_stands_around_the_segment(crowd, new_page):
    """Greyed, of the source alone, drawn by server and script alike; folded away it stays folded."""
    page = new_page()
    begin(page, crowd.seat().link)
    for _ in range(2):
        source, _target = page.locator("#texts .text p").all_text_contents()
        place = SOURCE.index(source)
        around = [SOURCE[max(0, place - 2) : place], SOURCE[place + 1 : place + 3]]
        expected = ["\n".join(lines) for lines in around if lines]
        assert page.locator("#texts .near p").all_text_contents() == expected
        assert set(page.locator("#texts .near").evaluate_all("all => all.map(e => e.lang)")) == {"en"}
        next_by(page, *"50", "Enter")
    near = page.locator("#texts .near")
    expect(near.last).to_have_attribute("open", "")
    near.first.locator("summary").click()
    expect(page.locator("#texts .near[open]")).to_have_count(0)
    page.reload()
    expect(page.locator("#texts .near")).not_to_have_count(0)
    expect(page.locator("#texts .near[open]")).to_have_count(0)


def test_invisible_characters_are_shown_on_request(crowd, new_page):
    """The signs are drawn beside the characters: copied, and for a screen reader, the text is what it was."""
    page = new_page()
    begin(page, crowd.seat().link)
    before = shown(page)
    assert before[-1] in TARGET
    press(page, "i")
    expect(page.locator("#legend")).to_contain_text("no-break space (U+00A0)")
    expect(page.locator("#legend")).to_contain_text("zero-width character (U+200B)")
    expect(page.locator("#legend")).to_contain_text("several spaces")
    assert shown(page) == before
    assert "⍽" in page.evaluate(SIGN)
    assert "/" in page.evaluate(SIGN)  # and nothing to be read out
    page.evaluate("getSelection().selectAllChildren(document.querySelector('.text:last-of-type p'))")
    copied = page.evaluate("String(getSelection())")
    assert copied == before[-1] and "⍽" not in copied
    next_by(page, *"50", "Enter")
    expect(page.locator(".mark.nbsp")).to_have_count(1)
    page.reload()
    expect(page.locator(".mark.nbsp")).to_have_count(1)
    page.locator("#menu summary").click()
    page.get_by_role("button", name="Show invisible characters", pressed=True).click()
    expect(page.locator(".mark")).to_have_count(0)
    assert page.locator("#legend").is_hidden()


def test_the_size_of_the_texts_is_the_raters(crowd, new_page):
    page = new_page()
    begin(page, crowd.seat().link)
    size = "parseFloat(getComputedStyle(document.querySelector('.text p')).fontSize)"
    usual = page.evaluate(size)
    press(page, "+", "+")
    assert page.evaluate(size) == pytest.approx(usual * 1.3)
    page.reload()
    assert page.evaluate(size) == pytest.approx(usual * 1.3)
    page.locator("#menu summary").click()
    expect(page.locator("#size")).to_have_text("130%")
    for _ in range(9):
        page.get_by_role("button", name="larger").click()
    expect(page.locator("#size")).to_have_text("200%")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.keyboard.press("Escape")
    for _ in range(12):
        page.keyboard.press("-")
    assert page.evaluate(size) == pytest.approx(usual * 0.75)
    assert value(page) == ""


def test_what_has_the_focus_is_not_under_the_bars(crowd, new_page):
    """Also on a small window, from the first element to the last; and Space skips no line."""
    page = new_page(viewport={"width": 640, "height": 640})
    begin(page, crowd.seat().link)
    page.locator("a.skip").focus()
    names = []
    for _ in range(30):
        page.keyboard.press("Tab")
        name, is_seen = page.evaluate(
            """() => {
                const element = document.activeElement, box = element.getBoundingClientRect();
                const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
                const over = document.elementFromPoint(x, y);
                const name = element.id || element.textContent.trim();
                return [name, element.contains(over) || over?.contains(element)];
            }"""
        )
        assert is_seen, name
        names.append(name)
        if name == "next":
            break
    assert names.index("track") < names.index("number") < names.index("next")
    assert {"Before it in the document", "After it in the document"} & set(names)


def test_space_reads_on_without_skipping_a_line(crowd, new_page):
    page = new_page(viewport={"width": 390, "height": 844})
    begin(page, crowd.seat("long").link)
    page.locator("#number").focus()
    readable = page.evaluate("document.querySelector('.answer').getBoundingClientRect().top")
    page.evaluate("scrollTo(0, 100)")
    press(page, "Space")
    page.wait_for_timeout(100)
    moved = page.evaluate("scrollY") - 100
    assert 0.5 * readable < moved <= readable - 20


@pytest.mark.parametrize("size", [{"width": 1280, "height": 760}, PHONE, {"width": 320, "height": 640}])
def test_the_scale_stays_in_reach_of_two_thousand_characters(crowd, new_page, size):
    page = new_page(viewport=size)
    begin(page, crowd.seat("long").link)
    assert len(shown(page)[1]) >= 2000
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for share in (0, 0.3, 1):
        page.evaluate("share => scrollTo(0, share * document.body.scrollHeight)", share)
        for part in ("#track", "#number", "#next"):
            assert is_in_view(page, part), (part, share)
    per_line = page.evaluate(
        """() => { const p = document.querySelector('.text p'), style = getComputedStyle(p);
        return p.textContent.length / (p.clientHeight / parseFloat(style.lineHeight)); }"""
    )
    assert 20 <= per_line <= 85
    next_by(page, *"42", "Enter")
    expect_number(page, 2)


def test_each_text_has_its_own_direction(crowd, new_page):
    """UI-09: source and page from the left, the translation from the right, the scale as the page."""
    page = new_page()
    begin(page, crowd.seat("arabic").link)
    boxes = page.locator("#texts .text")
    found = boxes.evaluate_all(
        "all => all.map(e => [e.lang, e.dir, getComputedStyle(e.querySelector('p')).direction])"
    )
    assert found == [["en", "ltr", "ltr"], ["ar", "rtl", "rtl"]]
    assert page.locator("#texts").get_attribute("translate") == "no"  # no browser translates what is judged
    track = page.locator("#track").bounding_box()
    page.mouse.click(track["x"] + track["width"] * 0.9, track["y"] + 5)
    assert int(value(page)) > 80
