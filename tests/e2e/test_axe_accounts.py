"""No violation that axe-core knows of on the pages of accounts, the audit trail, judgements, forgetting."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.e2e.test_axe import LOOKS, RULES
from tests.e2e.test_runs_page import PASSWORD, signed_in


@pytest.fixture(scope="module")
def office(server):
    """Make an administrator, a closed account, and a campaign with remarks; return the server."""
    lines = ["rater,system,segment_id,score,remark"]
    for rater, shift in (("Ada", 0), ("Ben", 30)):
        for segment in range(1, 5):
            for place, system in enumerate(("Quay", "Pier")):
                remark = "A word is missing." if segment == 2 else ""
                lines.append(f"{rater},{system},{segment},{60 - 20 * place + shift},{remark}")
    server.manage(
        "import_judgements", "Office", server.write("office.csv", lines), "--format", "csv",
        "--protocol", "source_da", "--languages", "en-de", "--scale", "0-100",
        "--map", "rater=rater,system=system,segment=segment_id,score=score,comment=remark",
    )  # fmt: skip
    code = (
        "from django.contrib.auth.models import User\n"
        "User.objects.filter(username='warden').exists() or "
        f"User.objects.create_superuser('warden', password={PASSWORD!r})\n"
        "User.objects.create_user('cleo', is_active=False)\n"
    )
    server.manage("shell", "--verbosity", "0", "-c", code)
    return server


@pytest.mark.parametrize(
    "look",
    [
        "light",
        pytest.param("dark", marks=pytest.mark.long),
        pytest.param("right to left", marks=pytest.mark.long),
    ],
)
def test_axe_finds_nothing(office, new_page, look):
    page = signed_in(new_page(reduced_motion="reduce", **LOOKS[look]), office, "/campaigns/")
    own = page.locator("main a", has_text="Office").first.get_attribute("href")
    found = {}

    def held(name):
        for fold in page.locator("main details > summary").all():
            fold.click()
        results = Axe().run(page, options=RULES)
        assert len(results.response["passes"]) > 10, name
        if results.violations_count:
            found[name] = results.generate_report()
        wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        assert not page.evaluate(wide), name

    page.goto(f"{office.url}/users/")
    held("accounts")
    page.locator("main form [name=name]").fill(f"dan-{look.replace(' ', '-')}")
    page.locator("main form button").last.click()
    expect(page.locator("main")).to_contain_text("/password/")
    held("an account that was made, with its link")
    page.goto(f"{office.url}/users/")
    page.locator("main form [name=name]").fill("a b")
    page.locator("main form button").last.click()
    expect(page.locator(".note.error")).to_be_visible()
    held("an account that was refused")
    for path in (
        "/campaigns/", "/campaigns/import/", "/password/", "/audit/", "/audit/?who=nobody",
        "/audit/?since=soon", f"{own}audit/",
        f"{own}judgements/", f"{own}judgements/?comment=yes&order=spread", f"{own}judgements/?low=much",
        f"{own}forget/?rater=Ada",
    ):  # fmt: skip
        page.goto(f"{office.url}{path}")
        held(path)
    with page.expect_navigation():
        page.locator("main form").evaluate("form => { form.noValidate = true; form.requestSubmit(); }")
    expect(page.locator(".note.error")).to_be_visible()
    held("forgetting, the tick missing")
    assert not found, "\n".join(f"== {name}\n{report}" for name, report in found.items())
