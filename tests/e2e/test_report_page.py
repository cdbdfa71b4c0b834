"""The report in a real browser: figures drawn, numbers that open, a phone, the dark, paper."""

import re

import pytest
from playwright.sync_api import expect

PASSWORD = "a-harbour-at-night"


@pytest.fixture(scope="module")
def reports(server):
    """Import judgements of two raters about three systems and make an account; return the server."""
    lines = ["rater,system,segment_id,score"]
    for rater, shift in (("Ada", 0), ("Ben", 12)):
        for segment in range(1, 13):
            for place, system in enumerate(("North", "South", "West")):
                score = 70 - 9 * place - shift + (7 * segment + 5 * place + shift) % 13
                lines.append(f"{rater},{system},{segment},{score}")
    server.manage(
        "import_judgements", "Lighthouses", server.write("lights.csv", lines), "--format", "csv",
        "--protocol", "source_da", "--languages", "en-de", "--scale", "0-100",
        "--map", "rater=rater,system=system,segment=segment_id,score=score",
    )  # fmt: skip
    code = (
        "from django.contrib.auth.models import User\n"
        f"User.objects.create_superuser('keeper', password={PASSWORD!r})\n"
    )
    server.manage("shell", "--verbosity", "0", "-c", code)
    return server


def open_report(page, server):
    page.goto(f"{server.url}/login/?next=/campaigns/")
    page.locator("input[name=username]").fill("keeper")
    page.locator("input[name=password]").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Lighthouses", exact=True).first.click()
    page.get_by_role("link", name="Report", exact=True).click()
    expect(page.get_by_role("heading", name="Report of Lighthouses")).to_be_visible()


def wide(page):
    return page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")


def test_a_number_opens_its_ratings_and_these_their_segment(reports, new_page):
    page = new_page()
    refused = []
    page.on("console", lambda message: refused.append(message.text) if message.type == "error" else None)
    open_report(page, reports)
    expect(page.locator("figure svg").first).to_be_visible()
    number = page.locator("#ranking tbody tr").first.locator("a.number").nth(2)
    written = number.inner_text()
    number.click()
    expect(page.locator(".value")).to_have_text(written)
    expect(page.locator("tbody tr")).to_have_count(24)
    page.locator("tbody th a").first.click()
    expect(page.get_by_role("heading", name=re.compile(r"^Segment \d+$"))).to_be_visible()
    expect(page.locator("article")).to_have_count(3)
    page.get_by_role("link", name="Ada").first.click()
    expect(page.locator("tbody tr")).to_have_count(36)
    assert not refused


def test_figures_and_tables_download(reports, new_page):
    page = new_page()
    open_report(page, reports)
    for name, start in (("SVG", "<?xml"), ("LaTeX", "% Needs"), ("Markdown", "Ranking"), ("CSV", "system,")):
        with page.expect_download() as waiting:
            page.locator("#ranking").get_by_role("link", name=name, exact=True).click()
        assert waiting.value.path().read_text("utf-8").startswith(start)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_and_text_is_seen_in_light_and_dark(reports, new_page, scheme):
    page = new_page(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    open_report(page, reports)
    assert not wide(page)
    label = page.locator("#ranking svg .f-label").first
    ink = label.evaluate("node => getComputedStyle(node).fill")
    assert ink == page.evaluate("getComputedStyle(document.body).color")
    point = page.locator("#ranking svg .f-point").first.evaluate("node => getComputedStyle(node).fill")
    assert point == page.locator("#ranking .files a").first.evaluate("node => getComputedStyle(node).color")


def test_paper_has_the_figures_and_none_of_the_controls(reports, new_page):
    page = new_page(viewport={"width": 718, "height": 1000})
    open_report(page, reports)
    page.emulate_media(media="print")
    assert not wide(page)
    expect(page.locator("#ranking svg")).to_be_visible()
    expect(page.locator(".methods")).to_be_visible()
    for control in ("header.bar", ".contents", ".options-card", ".files"):
        expect(page.locator(control).first).to_be_hidden()
