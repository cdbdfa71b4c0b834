"""The tables of the two studies in a real browser: numbers that open, a phone, the dark, axe-core."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.e2e.test_axe import RULES

PASSWORD = "tables-by-the-window"


@pytest.fixture(scope="module")
def tables(server):
    """Import a test set with two scored outputs, put it into a study, make an account; return the server."""
    source = server.write("tab.s", ["One lamp is lit.", "Two lamps are lit.", "It is dark again."])
    target = server.write("tab.t", ["Eine Lampe brennt.", "Zwei Lampen brennen.", "Es ist wieder dunkel."])
    output = server.write("tab.o", ["Eine Lampe brennt.", "Zwei Lampen sind hell.", "Es ist wieder dunkel."])
    server.manage(
        "import_testset", "lamps", "--languages", "en-de", "--source", source, "--reference", target,
        "--direction", "direct",
    )  # fmt: skip
    for kind in ("OP", "BT"):
        server.manage("import_output", "lamps", f"lamps {kind}", output, "--kind", kind)
    server.manage("score_outputs", "lamps", "--metrics", "bleu,ter", "--resamples", "0")
    server.manage("create_study", "Lamps and tables")
    server.manage("add_to_study", "Lamps and tables", "--testset", "lamps")
    code = (
        "from django.contrib.auth.models import User\n"
        f"User.objects.create_superuser('tabler', password={PASSWORD!r})\n"
    )
    server.manage("shell", "--verbosity", "0", "-c", code)
    return server


def open_tables(page, server):
    page.goto(f"{server.url}/login/?next=/studies/")
    page.locator("input[name=username]").fill("tabler")
    page.locator("input[name=password]").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Lamps and tables", exact=True).click()
    page.get_by_role("link", name=re.compile("^The tables of two published studies")).click()
    expect(page.get_by_role("heading", name="Tables of Lamps")).to_be_visible()


def test_a_number_opens_what_is_behind_it_and_an_empty_cell_has_its_command(tables, new_page):
    page = new_page()
    refused = []
    page.on("console", lambda message: refused.append(message.text) if message.type == "error" else None)
    open_tables(page, tables)
    number = page.locator("#edunov-1 a.number").first
    written = number.inner_text()
    missing = page.locator("#edunov-1 details")
    missing.locator("summary").click()
    expect(missing.locator(".command").first).to_contain_text("manage.py import_testset NAME")
    number.click()
    expect(page.locator(".value")).to_have_text(written)
    expect(page.locator("main")).to_contain_text(
        "BLEU of lamps OP for lamps from source, reference reference"
    )
    page.get_by_role("link", name="Tables of Lamps").click()
    page.get_by_role("link", name="Vanmassenhove et al. 2021").click()
    expect(page.locator("#vanmassenhove-3")).to_contain_text(written)
    with page.expect_download() as found:
        page.locator("#vanmassenhove-3").get_by_role("link", name="LaTeX").click()
    assert r"\toprule" in found.value.path().read_text("utf-8")
    assert refused == []


@pytest.mark.parametrize(
    "look", [{"color_scheme": "light"}, {"color_scheme": "dark", "viewport": {"width": 390, "height": 800}}]
)
def test_no_violation_and_nothing_wider_than_the_page(tables, new_page, look):
    page = new_page(**look)
    open_tables(page, tables)
    page.evaluate("document.querySelectorAll('main details').forEach(one => { one.open = true; })")
    for name in ("tables", "cell"):
        found = Axe().run(page, options=RULES)
        assert found.violations_count == 0, found.generate_report()
        wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        assert not page.evaluate(wide), name
        if name == "tables":
            page.locator("a.number").first.click()
