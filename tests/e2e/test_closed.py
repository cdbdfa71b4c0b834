"""A campaign closes while answers wait in browsers: raters are told, and the answers are kept."""

import json
import sqlite3
from contextlib import closing

from playwright.sync_api import expect

from tests.e2e.raters import begin, expect_number, expect_saved, next_by, press, resume

SOURCE = [f"The harbour has {n} boats." for n in range(1, 7)]
TARGET = [f"Im Hafen liegen {n} Boote." for n in range(1, 7)]


def late(server):
    """Return the answers that are kept beside the results."""
    path = server.folder / "data" / "platform.sqlite3"
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=20)) as database:
        rows = database.execute(
            "SELECT e.data FROM annotation_auditevent e JOIN annotation_campaign k ON k.id = e.campaign_id "
            "WHERE e.action = 'answer.late' AND k.name = 'Boats'"
        )
        return sorted(json.loads(data)["answers"]["score"] for (data,) in rows)


def test_answers_that_wait_when_a_campaign_closes(server, new_page):
    files = ("--source", server.write("boats.src", SOURCE), "--output", "A=" + server.write("boats", TARGET))
    options = ("--protocol", "source_da", "--languages", "en-de", "--judgements", "2")
    links = server.campaign("Boats", *options, *files, raters=2)
    last, midway = new_page(), new_page()
    begin(last, links["R1"])
    begin(midway, links["R2"])
    for place in range(1, 5):
        expect_number(last, place)
        next_by(last, *str(10 + place), "Enter")
    for page in (last, midway):
        expect_saved(page)
        page.wait_for_load_state("networkidle")
        page.context.set_offline(True)
    press(last, *"21", "Enter")
    expect_number(last, 6)
    press(last, *"22", "Enter")
    next_by(midway, *"31", "Enter")
    next_by(midway, *"32", "Enter")
    server.manage("close_campaign", "Boats")
    for page in (last, midway):
        page.context.set_offline(False)
    for page, done in ((last, 4), (midway, 0)):
        page.wait_for_url("**/finish")
        expect(page.locator("#unsent-title")).to_have_text("Answers still on this device: 2.")
        expect(page.locator("#unsent-detail")).to_contain_text("The campaign closed before they arrived")
        text = page.locator("main").inner_text()
        assert (f"{done} of 6" in text) == (done > 0) and "Your completion code" not in text
    assert late(server) == [21, 22, 31, 32]

    midway.locator("#unsent-again").click()
    expect(midway.locator("#unsent-title")).to_have_text("Answers still on this device: 2.")
    assert late(server) == [21, 22, 31, 32]

    server.manage("open_campaign", "Boats")
    resume(midway, links["R2"])
    expect(midway.locator("#counts")).to_have_text("2 done, 4 left")
    expect(midway.locator("#saved")).to_have_attribute("data-state", "saved")
    resume(last, links["R1"])
    last.wait_for_url("**/finish")
    expect(last.locator("main")).to_contain_text("6 of 6")
    expect(last.locator("#unsent")).to_be_hidden()
