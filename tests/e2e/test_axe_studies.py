"""No violation that axe-core knows of where studies are managed, raters come, and measures are launched."""

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.e2e.test_axe import LOOKS, RULES
from tests.e2e.test_runs_page import PASSWORD, signed_in

CODE = f"""
import json
from django.contrib.auth.models import User
from annotation.services.campaign_settings import CampaignSettings
from tests.factories.answers import answer_all
from tests.factories.campaigns import make_campaign
if not User.objects.filter(username="warden").exists():
    User.objects.create_superuser("warden", password={PASSWORD!r})
made = make_campaign(
    name="Pages", owner=User.objects.get(username="warden"), raters=("Ada", "Ben"),
    settings=CampaignSettings(joins=True), n_segments=4,
)
answer_all(made, share=0.5)
print(json.dumps([made.get_absolute_url(), made.study_id]))
"""


@pytest.fixture(scope="module")
def pages(server):
    """Make an administrator and a campaign that runs; return its address and that of its study."""
    told = server.manage("shell", "--verbosity", "0", "-c", CODE)
    campaign, study = json.loads(told.strip().splitlines()[-1])
    return server, campaign, f"/studies/{study}/"


def test_axe_finds_nothing(pages, new_page):
    """One walk in the light: each page as it is, then as it refuses what cannot be."""
    server, campaign, study = pages
    page = signed_in(new_page(reduced_motion="reduce", **LOOKS["light"]), server, "/studies/new/")
    found = {}

    def held(name):
        page.evaluate("document.querySelectorAll('main details').forEach(one => { one.open = true; })")
        results = Axe().run(page, options=RULES)
        assert len(results.response["passes"]) > 10, name
        if results.violations_count:
            found[name] = results.generate_report()
        wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        assert not page.evaluate(wide), name

    def sent(form, **fields):
        own = page.locator(form)
        for name, text in fields.items():
            own.locator(f"[name={name}]").fill(text)
        with page.expect_navigation():
            own.evaluate("form => { form.noValidate = true; form.requestSubmit(); }")

    def refused(where, form="main form", **fields):
        sent(form, **fields)
        expect(page.locator(".note.error, .errorlist, .error").first).to_be_visible()
        held(f"{where}, refused")

    for path, wrong in (
        ("/studies/new/", {"name": "a|b"}),
        (f"{study}manage/", {"researchers": "nobody-of-that-name"}),
        (f"{study}texts/", {"rows": "no bar"}),
        ("/systems/diversity/", {}),
        ("/systems/fluency/", {}),
        ("/systems/directions/", {}),
    ):
        page.goto(f"{server.url}{path}")
        held(path)
        refused(path, **wrong)
    page.goto(f"{server.url}{campaign}")
    held("the campaign with its links")
    refused("raters to be added", "form[action$=add-raters]", raters="Ada")
    page.goto(f"{server.url}{campaign}look/")
    held("looks")
    sent("main form")
    expect(page.locator("#made")).to_be_visible()
    held("a look")
    page.goto(f"{server.url}{campaign}state")
    expect(page.locator("main")).to_contain_text("405")
    held("the address of a button")
    assert not found, "\n".join(f"== {name}\n{report}" for name, report in found.items())
