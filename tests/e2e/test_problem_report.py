"""A rater reports a problem and is thanked; the researcher reads it."""

from playwright.sync_api import expect

from tests.e2e.raters import enter, press

PHONE = {"width": 390, "height": 780}


def test_a_report_is_thanked_for_and_the_page_goes_on(server, new_page):
    lines = [f"Window {n} is open." for n in range(3)]
    links = server.campaign(
        "Reports", "--protocol", "source_da", "--languages", "en-de",
        "--source", server.write("reports.source", lines),
        "--output", f"P={server.write('reports.p', [f'Fenster {n}.' for n in range(3)])}",
        "--judgements", "1", raters=1,
    )  # fmt: skip
    page = new_page(viewport=PHONE)
    enter(page, links["R1"])
    page.locator("#menu summary").click()
    expect(page.locator("#menu .who")).to_contain_text("Reports")
    press(page, "Escape")
    for text in ("The source is cut off.", "The wrong language."):
        page.get_by_role("button", name="Report a problem").click()
        page.locator("#problem-text").fill(text)
        page.get_by_role("button", name="Send").click()
        expect(page.locator("#problem-thanks")).to_contain_text("Thank you")
        expect(page.locator("#problem-form")).to_be_hidden()
        press(page, "Enter")  # the one button has the focus
        expect(page.locator("#problem")).to_be_hidden()
    assert "The wrong language." in server.manage(
        "shell", "-v", "0", "-c",
        "from annotation.models import AuditEvent\n"
        "for event in AuditEvent.objects.filter(action='problem.reported'): print(event.data['text'])",
    )  # fmt: skip
