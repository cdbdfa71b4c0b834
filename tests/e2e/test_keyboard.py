"""Whole campaigns by keyboard alone, with every byte that reaches a rater read."""

import json
import math
import re
import secrets
import string

import pytest
from playwright.sync_api import expect

from tests.e2e.raters import enter, expect_number, expect_saved, next_by, press, resume, shown
from tests.wire import tapped

FIRST_ID = 731_000_000_000
KINDS = ("system", "reference", "bad_reference", "repeat", "practice", "attention")


@pytest.fixture(scope="module", autouse=True)
def recognisable_ids(server):
    """Let every table count on from a number that nothing else on a page contains."""
    code = (
        "from django.apps import apps; from django.db import connection\n"
        "with connection.cursor() as cursor:\n"
        "    for model in apps.get_models():\n"
        "        table = model._meta.db_table\n"
        "        if model._meta.app_label in ('annotation', 'mtcore'):\n"
        "            cursor.execute('DELETE FROM sqlite_sequence WHERE name = %s', [table])\n"
        f"            cursor.execute('INSERT INTO sqlite_sequence VALUES (%s, {FIRST_ID})', [table])\n"
    )
    server.manage("shell", "--verbosity", "0", "-c", code)


def canary():
    return "".join(secrets.choice(string.ascii_uppercase) for _ in range(16))


def make(server, name, protocol, segments, judgements, raters):
    """Return the links of a campaign of two systems with canary names, and these names."""
    systems = [canary(), canary()]
    source = server.write(f"{name}.source", [f"Ship {n} leaves at noon." for n in range(segments)])
    outputs = [
        part
        for mark, system in zip("xy", systems, strict=True)
        for part in ("--output", f"{system}=" + server.write(f"{name}.{mark}", lines(mark, segments)))
    ]
    links = server.campaign(
        name, "--protocol", protocol, "--languages", "en-de", "--source", source, *outputs,
        "--judgements", str(judgements), raters=raters,
    )  # fmt: skip
    return links, systems


def lines(mark, n):
    return [f"Schiff {number} fährt um zwölf, {mark}." for number in range(n)]


def check_blind(tap, systems, links):
    """Read every byte received and every address asked for."""
    received = tap.received.decode("utf-8", "replace")
    addresses = "\n".join(tap.requests())
    assert len(received) > 100_000 and "/answers" in addresses  # there is something to look at
    for word in systems:
        assert word not in received and word not in addresses
    assert str(FIRST_ID)[:8] not in received and str(FIRST_ID)[:8] not in addresses
    for kind in KINDS:
        assert f'"{kind}"' not in received and f"kind={kind}" not in addresses
    for link in links.values():
        token = link.split("/invite/")[1].strip("/")
        assert token not in received
        asked = [line for line in tap.requests() if token in line]
        assert all(re.match(r"(GET|POST) /invite/[^/ ]+/ HTTP", line) for line in asked)
    referrers = re.findall(r"\r\nReferer: ([^\r]*)", tap.sent.decode("latin-1"))
    assert referrers and not [line for line in referrers if "/invite/" in line]


def same(one, other):
    """Tell whether two score results agree in every number and name."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12)
    return one == other


def check_round_trip(server, name, protocol, rows):
    """Export, import under another name, and compare the scores of both."""
    path = server.folder / f"{name}.csv"
    server.manage("export_judgements", name, "--format", "csv", "--output", str(path))
    copy = f"{name} again"
    server.manage("import_judgements", copy, str(path), "--format", "csv")
    first, second = (
        json.loads(server.manage("score_campaign", one, "--format", "json")) for one in (name, copy)
    )
    assert first["protocol"] == second["protocol"] == protocol
    assert len(path.read_text("utf-8").strip().split("\n")) >= rows + 1
    assert first["systems"] and first["pairs"]
    for part in ("systems", "pairs", "raters"):
        assert same(first.get(part), second.get(part)), part
    return first


def test_three_raters_finish_a_direct_assessment(server, new_page):
    links, systems = make(server, "Harbour", "source_da", segments=3, judgements=3, raters=3)
    with tapped(server.url) as tap:
        links = {rater: link.replace(server.url, tap.url) for rater, link in links.items()}
        _with_correction_and_another_device(new_page, links["R1"])
        for place, rater in enumerate(("R2", "R3")):
            page = new_page()
            enter(page, links[rater])
            for item in range(1, 7):
                expect_number(page, item)
                if item < 6:
                    next_by(page, *str(20 * place + 11 * item), "Enter")
                else:
                    press(page, *str(93 - place), "Enter")
            page.wait_for_url("**/finish")
            expect(page.locator(".code")).to_have_text(re.compile(r"\S{10,}"))
        check_blind(tap, systems, links)
    scores = check_round_trip(server, "Harbour", "source_da", rows=18)
    assert {row["system"] for row in scores["systems"]} == set(systems)
    assert sum(row["n_judgements"] for row in scores["systems"]) == 18
    assert not server.complaints()


def _with_correction_and_another_device(new_page, link):
    """Rate two, go back and correct, go on elsewhere, finish."""
    page = new_page()
    enter(page, link)
    first = shown(page)
    next_by(page, *"64", "Enter")
    assert shown(page) != first and page.locator("#number").input_value() == ""
    next_by(page, *"50", "Enter")
    press(page, "Backspace")
    expect_number(page, 2)
    press(page, "Backspace")
    expect_number(page, 1)
    assert shown(page) == first and page.locator("#number").input_value() == "64"
    next_by(page, *"79", "Enter")
    expect_saved(page)
    expect(page.locator("#counts")).to_have_text("2 done, 4 left")
    page.context.close()

    page = new_page()
    resume(page, link)
    expect_number(page, 3)
    press(page, "Backspace")
    expect_number(page, 2)
    assert page.locator("#number").input_value() == "50"
    next_by(page, "Enter")  # the same answer again: on to the next
    for item in range(3, 6):
        expect_number(page, item)
        next_by(page, *str(item * 9), "ArrowUp", "Shift+ArrowUp", "Enter")
    press(page, "End", *"88", "Enter")
    page.wait_for_url("**/finish")
    expect(page.locator("main")).to_contain_text("6 of 6")
    expect(page.locator(".code")).to_have_text(re.compile(r"\S{10,}"))


def test_two_raters_finish_a_pairwise_campaign(server, new_page):
    links, systems = make(server, "Ferries", "pairwise_fluency", segments=5, judgements=2, raters=2)
    with tapped(server.url) as tap:
        links = {rater: link.replace(server.url, tap.url) for rater, link in links.items()}
        answers = {"R1": ["1", "2", "0", "ArrowLeft", "ArrowRight"], "R2": ["2", "ArrowDown", "1", "1", "0"]}
        for rater, keys in answers.items():
            page = new_page()
            enter(page, links[rater])
            press(page, "Enter")  # nothing is chosen: said, and nothing sent
            expect(page.locator("#message")).not_to_be_empty()
            assert "Ship" not in page.locator("#texts").inner_text()
            for place, key in enumerate(keys, start=1):
                expect_number(page, place)
                if place < 5:
                    next_by(page, key, "Enter")
                else:
                    press(page, key, "Enter")
            page.wait_for_url("**/finish")
        check_blind(tap, systems, links)
    scores = check_round_trip(server, "Ferries", "pairwise_fluency", rows=10)
    (pair,) = scores["pairs"]
    assert pair["a_better"] + pair["b_better"] + pair["equal"] == 10 and pair["equal"] == 3
    assert not server.complaints()
