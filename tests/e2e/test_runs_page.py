"""An administrator in a real browser: imports, filters, watches, cancels, resumes; clean for axe-core."""

import os
import re
import signal
import subprocess
import sys

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.e2e.test_axe import LOOKS, RULES
from tests.paths import ROOT

PASSWORD = "a-harbour-at-night"
MT_PYTHON = ROOT / ".venv-mt" / "bin" / "python"


class Machine:
    """The platform with an administrator, and a worker that is started and stopped."""

    def __init__(self, server):
        self.server = server
        self.worker = None

    def work(self):
        """Start a worker beside the server, as the page says."""
        self.worker = subprocess.Popen(
            [sys.executable, "manage.py", "work", "--queue", "default"],
            cwd=ROOT, env=self.server.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip

    def rest(self):
        """Stop the worker, if there is one."""
        if self.worker is not None:
            os.killpg(self.worker.pid, signal.SIGTERM)
            self.worker.wait(timeout=30)
            self.worker = None


@pytest.fixture(scope="module")
def machine(server):
    code = (
        "from django.contrib.auth.models import User\n"
        "User.objects.filter(username='warden').exists() or "
        f"User.objects.create_superuser('warden', password={PASSWORD!r})\n"
    )
    server.manage("shell", "--verbosity", "0", "-c", code)
    one, two = big_text(server, "first", 200)
    server.manage("import_corpus", "First", "--languages", "en-de", "--source", one, "--target", two)
    server.manage("filter_corpus", "First", "First, clean", "--background")
    server.manage("work", "--once")
    made = Machine(server)
    yield made
    made.rest()


@pytest.fixture(autouse=True)
def _resting(machine):
    """Leave no worker to the next test, also where one fails."""
    yield
    machine.rest()


def signed_in(page, server, path):
    page.goto(f"{server.url}/login/?next={path}")
    page.locator("input[name=username]").fill("warden")
    page.locator("input[name=password]").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("nav.top")).to_be_visible()
    return page


def big_text(server, name, n):
    """Write lines that differ, so that filtering takes its time."""
    one = server.write(
        f"{name}.en", [f"The ferry number {i} leaves the harbour at {i % 24}." for i in range(n)]
    )
    two = server.write(
        f"{name}.de", [f"Die Fähre Nummer {i} verlässt den Hafen um {i % 24}." for i in range(n)]
    )
    return one, two


@pytest.mark.long  # its runs have to last longer than a quick machine takes
def test_import_filter_watch_cancel_and_resume(machine, new_page):
    server = machine.server
    page = signed_in(new_page(), server, "/corpora/")
    refused = []
    page.on("console", lambda message: refused.append(message.text) if message.type == "error" else None)
    page.get_by_role("link", name="Import", exact=True).click()
    one, two = big_text(server, "watch", 40_000)
    page.get_by_label("Name", exact=True).fill("Watched")
    page.get_by_label("Languages").fill("en-de")
    page.locator("input[name=sources]").set_input_files(one)
    page.locator("input[name=targets]").set_input_files(two)
    page.get_by_role("button", name="Import it").click()
    expect(page.get_by_text("“Watched” is imported.")).to_be_visible()  # no worker is needed for so little
    one, two = big_text(server, "long", 400_000)  # what a quick machine cannot filter between two looks
    server.manage("import_corpus", "Long", "--languages", "en-de", "--source", one, "--target", two)
    page.goto(f"{server.url}/corpora/")
    page.get_by_role("link", name="Long", exact=True).click()
    page.get_by_role("link", name="Filter", exact=True).click()
    page.get_by_label("Name of what is left").fill("Watched, clean")
    page.get_by_role("button", name="Filter it").dblclick()

    # Nobody works: the page says so at once, and how to change it. (CEL-06)
    expect(page.get_by_role("heading", name=re.compile(r"^Run \d+: Watched, clean$"))).to_be_visible()
    expect(page.locator("#waits")).to_contain_text("Nobody is working on the queue “default”")
    expect(page.locator("#waits")).to_contain_text("manage.py work --queue default")
    number = re.search(r"/runs/(\d+)/", page.url)[1]
    launched = server.manage("runs")
    assert launched.count("Watched, clean") == 1, launched

    # A worker comes: the page follows by itself, without a reload.
    page.evaluate("window.sameDocument = true")
    machine.work()
    expect(page.locator("[data-part=status] .figure b").first).to_have_text("running", timeout=40_000)
    expect(page.locator("[data-part=status]")).to_contain_text("lines read")
    page.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.get_by_text(f"Run {number} is being stopped; what it has reached is kept.")).to_be_visible()
    expect(page.locator("[data-part=status] .figure b").first).to_have_text("cancelled", timeout=30_000)
    expect(page.locator("#live-note")).to_have_text("The run has ended.")

    page.get_by_role("button", name="Resume", exact=True).click()
    expect(page.get_by_text(f"Run {number} will go on.")).to_be_visible()
    page.evaluate("window.sameDocument = true")
    expect(page.locator("[data-part=status] .figure b").first).to_have_text("succeeded", timeout=120_000)
    assert page.evaluate("window.sameDocument")
    expect(page.locator("#live-said")).to_have_text("succeeded")
    page.get_by_role("link", name="Watched, clean").click()
    expect(page.get_by_role("heading", name="What was removed")).to_be_visible()
    expect(page.get_by_text("made by filtering")).to_be_visible()
    machine.rest()
    assert not refused
    assert not server.complaints()


@pytest.mark.long
@pytest.mark.skipif(not MT_PYTHON.is_file(), reason="the training environment is absent (make mt)")
def test_a_small_training_is_launched_watched_cancelled_and_resumed(machine, new_page):
    server = machine.server
    one, two = big_text(server, "trained", 400)
    server.manage("import_corpus", "Ferries", "--languages", "en-de", "--source", one, "--target", two)
    page = signed_in(new_page(), server, "/systems/")
    page.get_by_role("link", name="Train a system").click()
    page.get_by_label("Name of the system").fill("Ferryman")
    page.get_by_label("Figures to change").fill(
        "training.max_updates = 60\ntraining.validate_every = 10\nsubwords.size = 200"
    )
    page.locator("input[name=corpora][value=Ferries]").check()
    page.get_by_role("button", name="See what will happen").click()
    expect(page.get_by_role("heading", name="What will happen")).to_be_visible()
    expect(page.locator(".steps")).to_contain_text("Train “Ferryman”")
    page.get_by_role("button", name="Train it").dblclick()
    expect(page.get_by_role("heading", name=re.compile(r"^Run \d+: Ferryman.filtered$"))).to_be_visible()
    page.get_by_role("link", name=re.compile("training of a model")).click()
    expect(page.get_by_role("heading", name=re.compile(r"^Run \d+: Ferryman$"))).to_be_visible()
    machine.work()
    state = page.locator("[data-part=status] .figure b").first
    expect(state).to_have_text("running", timeout=90_000)
    expect(page.locator("[data-part=curves] polyline").first).to_be_visible(timeout=180_000)
    page.get_by_role("button", name="Cancel", exact=True).click()
    expect(state).to_have_text("cancelled", timeout=60_000)
    page.get_by_role("button", name="Resume", exact=True).click()
    expect(state).to_have_text("succeeded", timeout=400_000)
    expect(page.locator("[data-part=made]")).to_contain_text("checkpoint.pt")
    page.goto(f"{server.url}/systems/")
    page.get_by_role("link", name="Ferryman", exact=True).first.click()
    expect(page.get_by_role("heading", name="How it came about")).to_be_visible()
    expect(page.locator("main")).to_contain_text("tiny-op")
    machine.rest()


def test_without_script_the_page_is_whole(machine, browser):
    server = machine.server
    context = browser.new_context(java_script_enabled=False, locale="en-GB")
    page = signed_in(context.new_page(), server, "/runs/")
    page.locator("tbody th a").first.click()
    expect(page.locator("[data-part=status] .figure").first).to_be_visible()
    expect(page.locator("[data-part=made]")).to_contain_text("First, clean")
    context.close()


@pytest.mark.long  # its runs have to last longer than a quick machine takes
def test_a_hidden_page_rests_and_a_lost_server_is_said(machine, new_page):
    server = machine.server
    server.manage("filter_corpus", "Watched", "Rested", "--any-language", "--background")
    page = signed_in(new_page(), server, "/runs/")
    asked = []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/live") else None)
    page.get_by_role("row", name=re.compile("Rested")).locator("th a").click()
    expect(page.locator("#live-note")).to_contain_text("Renews itself")
    page.evaluate(
        "Object.defineProperty(document, 'hidden', { value: true, configurable: true });"
        "document.dispatchEvent(new Event('visibilitychange'))"
    )
    page.wait_for_timeout(500)
    n = len(asked)
    page.wait_for_timeout(4000)
    assert len(asked) == n
    page.context.set_offline(True)
    page.evaluate(
        "Object.defineProperty(document, 'hidden', { value: false, configurable: true });"
        "document.dispatchEvent(new Event('visibilitychange'))"
    )
    expect(page.locator("#live-note")).to_have_text("The server does not answer; trying again.")
    page.context.set_offline(False)
    expect(page.locator("#live-note")).to_contain_text("Renews itself", timeout=20_000)
    page.context.clear_cookies()
    expect(page.locator("#live-note")).to_contain_text("no longer signed in", timeout=20_000)
    server.manage("run_cancel", re.search(r"/runs/(\d+)/", page.url)[1])


@pytest.mark.parametrize(
    "look",
    [
        "light",
        pytest.param("dark", marks=pytest.mark.long),
        pytest.param("right to left", marks=pytest.mark.long),
    ],
)
def test_axe_finds_nothing(machine, new_page, look):
    server = machine.server
    page = signed_in(new_page(reduced_motion="reduce", **LOOKS[look]), server, "/runs/")
    wanted = [
        "/runs/", "/runs/machine/", "/corpora/", "/corpora/import/", "/corpora/mix/", "/systems/",
        "/systems/train/", "/systems/train-lm/", "/systems/score/", "/recipes/", "/recipes/tiny-bt/",
    ]  # fmt: skip
    for path in ("/runs/", "/corpora/"):
        page.goto(f"{server.url}{path}")
        wanted.append(page.locator("tbody th a").first.get_attribute("href"))
    wanted += [f"{wanted[-1]}{end}" for end in ("filter/", "split/", "translate/", "?overlap=1")]
    found = {}
    for path in wanted:
        page.goto(f"{server.url}{path}")
        for fold in page.locator("details.fold > summary").all():
            fold.click()
        results = Axe().run(page, options=RULES)
        assert len(results.response["passes"]) > 10, path
        if results.violations_count:
            found[path] = results.generate_report()
        assert not page.evaluate(
            "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        )
    page.goto(f"{server.url}/corpora/mix/")
    page.locator("form.form").evaluate("form => { form.noValidate = true; form.requestSubmit(); }")
    expect(page.locator(".note.error")).to_be_visible()
    results = Axe().run(page, options=RULES)
    if results.violations_count:
        found["a refused form"] = results.generate_report()
    assert not found, "\n".join(f"== {name}\n{report}" for name, report in found.items())


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone(machine, new_page, scheme):
    server = machine.server
    page = signed_in(new_page(viewport={"width": 390, "height": 844}, color_scheme=scheme), server, "/runs/")
    paths = [
        "/runs/",
        "/runs/machine/",
        "/corpora/",
        "/corpora/import/",
        "/systems/train/",
        "/recipes/tiny-op/",
    ]
    paths.append(page.locator("tbody th a").first.get_attribute("href"))
    for path in paths:
        page.goto(f"{server.url}{path}")
        assert not page.evaluate(
            "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        ), path
