"""Campaigns: from plain text and over imported test sets, all or nothing."""

import re
from collections import Counter
from itertools import pairwise

import pytest
from django.contrib.auth.models import User

from annotation.models import (
    Assignment,
    AuditEvent,
    Campaign,
    Item,
    ItemCandidate,
    Participation,
    Rater,
    Study,
)
from annotation.services.invitations import invitation_read
from mtcore.models import TestSet
from tests.factories.campaigns import invented_lines, make_campaign
from tests.factories.commands import refused, run
from tests.factories.counts import row_counts
from tests.factories.files import write_lines
from tests.factories.plain_text import plain_arguments, plain_texts, plan
from tests.paths import ROOT

pytestmark = pytest.mark.django_db
FILES = ROOT / "tests" / "files"


@pytest.fixture
def texts(tmp_path):
    return plain_texts(tmp_path)


@pytest.fixture
def plain(texts):
    return plain_arguments(texts)


def test_from_plain_text_to_links_in_one_command(plain, settings):
    settings.BASE_URL = "https://rate.example.org"
    out, err = run("create_campaign", "first", "--protocol", "source_da", *plain, "--raters", "3")
    links = [line.split("\t") for line in out.splitlines()]
    assert [rater for rater, _ in links] == ["R1", "R2", "R3"]
    assert all(link.startswith("https://rate.example.org/invite/") for _, link in links)
    assert err.startswith("Note: the plan was drawn with seed ")
    assert "Campaign “first”: 24 items, 72 judgements; links work until " in err
    assert f"Its page: https://rate.example.org/campaigns/{Campaign.objects.get().key}/" in err
    campaign = Campaign.objects.get()
    for rater, link in links:
        found = invitation_read(re.search(r"/invite/(.+?)/?$", link).group(1))
        assert (found.rater.name, found.campaign) == (rater, campaign)
        assert found.link_expires_at is not None
    assert (campaign.state, campaign.judgements) == ("open", 3) and str(campaign.seed) in err
    assert campaign.opened_at is not None
    assert (campaign.study.name, TestSet.objects.get().name) == ("first", "first")
    assert {s.name: s.kind for s in campaign.study.systems.all()} == {"OP": "OP", "BT": "BT"}
    assert Item.objects.count() == 24 and Assignment.objects.count() == 72
    assert set(Item.objects.values_list("wanted", "given")) == {(3, 3)}
    assert AuditEvent.objects.get().action == "campaign.created"


@pytest.mark.parametrize(
    ("protocol", "side", "candidates"),
    [("source_da", "source", 1), ("reference_da", "target", 1), ("pairwise_fluency", None, 2)],
)
def test_items_of_each_protocol(plain, protocol, side, candidates):
    run("create_campaign", "c", "--protocol", protocol, *plain, "--raters", 3, "--judgements", 2)
    items = Item.objects.select_related("context_version", "input_version")
    assert {item.context_version and item.context_version.side for item in items} == {side}
    assert {item.input_version.name for item in items} == {"source"}
    assert {item.candidates.count() for item in items} == {candidates}
    rows = plan("c")
    assert len(rows) == 2 * Item.objects.count()
    assert all(bool(row["right"]) == (candidates == 2) for row in rows)


def test_guidelines_scale_study_owner_and_draft(plain, tmp_path):
    owner = User.objects.create_user("ada")
    guide = tmp_path / "guide.md"
    guide.write_bytes(b"# Please\r\n\r\nread **all**.\n")
    consent = write_lines(tmp_path / "consent.txt", ["I agree."])
    names = write_lines(tmp_path / "raters.txt", ["Ann Müller", "李", "r|".strip("|")])
    out, _ = run(
        "create_campaign", "c", "--protocol", "reference_da", *plain, "--raters", names, "--scale", "0-10",
        "--study", "thesis", "--owner", "ada", "--guidelines", guide, "--consent", consent, "--draft",
        "--base-url", "https://x.example/",
    )  # fmt: skip
    campaign = Campaign.objects.get()
    assert (campaign.scale_low, campaign.scale_high, campaign.state) == (0, 10, "draft")
    assert campaign.guidelines == "# Please\n\nread **all**.\n" and campaign.consent == "I agree.\n"
    assert campaign.study.owner == owner and campaign.opened_at is None
    assert list(Rater.objects.values_list("name", flat=True)) == ["Ann Müller", "李", "r"]
    assert out.startswith("Ann Müller\thttps://x.example/invite/")
    assert Campaign.objects.visible_to(owner).count() == 1
    assert Campaign.objects.visible_to(User.objects.create_user("eve")).count() == 0


def test_raters_of_a_study_are_the_same_persons_in_its_campaigns(plain):
    run("create_campaign", "a", "--protocol", "source_da", *plain, "--raters", 3, "--study", "s")
    run("create_campaign", "b", "--protocol", "source_da", *plain, "--raters", 4, "--study", "s")
    assert Rater.objects.count() == 4 and Participation.objects.count() == 7
    assert Study.objects.get().testsets.count() == 2


def test_a_dry_run_counts_and_writes_nothing(plain):
    before = row_counts()
    arguments = ["create_campaign", "c", "--protocol", "source_da", *plain, "--raters", 4]
    out, _ = run(*arguments, "--dry-run")
    assert row_counts() == before
    lines = out.splitlines()
    assert lines[:2] == ["items\t24", "judgements\t72"]
    loads = {rater: int(load.split()[0]) for rater, load, _ in (line.split("\t") for line in lines[2:])}
    run(*arguments)
    assert loads == Counter(row["rater"] for row in plan("c"))
    assert all(re.search(r"about \d+ minutes?$", line) for line in lines[2:])


def test_the_same_seed_gives_the_same_plan(plain):
    def without_keys(name):
        return [{k: v for k, v in row.items() if k not in ("assignment", "testset")} for row in plan(name)]

    for name, seed in (("a", 7), ("b", 7), ("c", 8)):
        run("create_campaign", name, "--protocol", "pairwise_fluency", *plain, "--raters", 4, "--seed", seed)
    assert without_keys("a") == without_keys("b") != without_keys("c")
    keys = Assignment.objects.values_list("key", flat=True)
    assert len(set(keys)) == len(keys) and min(map(len, keys)) >= 22


def test_database_ids_do_not_tell_systems_apart():
    campaign = make_campaign(n_segments=60, raters=3, judgements=1)
    rows = ItemCandidate.objects.filter(item__campaign=campaign).order_by("item_id")
    names = list(rows.values_list("outputs__system__name", flat=True))
    first_half = Counter(names[:60])
    assert 19 <= first_half["OP"] <= 41  # bounds at 1e-4 of 60 drawn from 60 + 60
    assert 38 <= sum(one == other for one, other in pairwise(names)) <= 80  # likewise, of 119 neighbours


def test_identical_outputs_are_one_showing_and_identical_pairs_none(tmp_path):
    rows = [line.split("\t") for line in (FILES / "asg06_identical.tsv").read_text("utf-8").splitlines()][1:]
    arguments = ["--languages", "en-de", "--source", write_lines(tmp_path / "src", [row[1] for row in rows])]
    for column, system in enumerate(["sysA", "sysB", "sysC"], start=2):
        arguments += ["--output", f"{system}={write_lines(tmp_path / system, [row[column] for row in rows])}"]
    common = [*arguments, "--raters", 2, "--judgements", 2]
    run("create_campaign", "da", "--protocol", "source_da", *common)
    shown = {(row["segment"], row["left"]) for row in plan("da")}
    assert shown == {
        ("1", "sysA|sysB|sysC"), ("2", "sysA|sysB"), ("2", "sysC"),
        ("3", "sysA"), ("3", "sysB"), ("3", "sysC"),
    }  # fmt: skip
    run("create_campaign", "pairs", "--protocol", "pairwise_fluency", *common)
    shown = {(row["segment"], *sorted([row["left"], row["right"]])) for row in plan("pairs")}
    assert shown == {
        ("2", "sysA|sysB", "sysC"), ("3", "sysA", "sysB"), ("3", "sysA", "sysC"), ("3", "sysB", "sysC"),
    }  # fmt: skip
    unseen = Item.objects.filter(campaign__name="pairs", wanted=0)
    credited = [
        (
            item.segment.key,
            *item.candidates.get().outputs.order_by("pk").values_list("system__name", flat=True),
        )
        for item in unseen
    ]
    assert sorted(credited) == [
        ("1", "sysA", "sysB"), ("1", "sysA", "sysC"), ("1", "sysB", "sysC"), ("2", "sysA", "sysB"),
    ]  # fmt: skip
    out, _ = run("create_campaign", "p2", "--protocol", "pairwise_fluency", *common, "--dry-run")
    assert out.startswith("items\t4 (4 identical pairs are counted, not shown)")


def test_pairs_with_a_baseline_credit_only_chosen_pairs():
    lines = {"A": ["a1", "same", "a3"], "B": ["b1", "same", "bc"], "C": ["c1", "c2", "bc"]}
    source = ["one", "two", "three"]
    make_campaign(
        "pairwise_fluency",
        systems=("A", "B", "C"),
        pairs="A",
        texts={"source": source, **lines, "reference": source},
    )
    shown = {(row["segment"], *sorted([row["left"], row["right"]])) for row in plan("demo")}
    assert shown == {("1", "A", "B"), ("1", "A", "C"), ("2", "A", "C"), ("3", "A", "B|C")}
    assert Item.objects.filter(wanted=0).count() == 1


def test_sampled_pairs(plain):
    make_campaign(
        "pairwise_fluency", n_segments=30, systems=("A", "B", "C", "D"), pairs="sample:2", judgements=1
    )
    assert Counter(row["segment"] for row in plan("demo")) == {str(n): 2 for n in range(1, 31)}


def test_empty_lines_are_not_offered(tmp_path):
    _, err = run(
        "create_campaign", "c", "--protocol", "source_da", "--languages", "en-de",
        "--source", FILES / "imp08_src.txt", "--output", f"A={FILES / 'imp08_hyp.txt'}",
        "--raters", 1, "--judgements", 1,
    )  # fmt: skip
    assert {row["segment"] for row in plan("c")} == {"1", "2", "4", "5"}
    assert "1 of 5 segments have a blank text" in err and "line 3" in err


def test_a_system_without_a_line_takes_the_segment_out_for_all(texts, plain, tmp_path):
    lines = invented_lines(12, seed=9)
    lines[4] = ""
    holes = write_lines(tmp_path / "holes.txt", lines)
    _, err = run(
        "create_campaign", "c", "--protocol", "source_da", *plain, "--output", f"X={holes}", "--raters", 3
    )
    rows = plan("c")
    assert {row["segment"] for row in rows} == {str(n) for n in range(1, 13)} - {"5"}
    assert set(Counter(row["left"] for row in rows).values()) == {33}
    assert "holes.txt: line 5 blank" in err and "not offered, for any system (line 5)" in err


@pytest.mark.parametrize(
    ("wish", "expected"),
    [("4", {"1", "2", "3", "4"}), ("5-7", {"5", "6", "7"}), ("12-12", {"12"})],
)
def test_segments(plain, wish, expected):
    run("create_campaign", "c", "--protocol", "source_da", *plain, "--raters", 3, "--segments", wish)
    assert {row["segment"] for row in plan("c")} == expected


def test_sampled_segments_follow_the_seed(plain):
    chosen = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        run(
            "create_campaign", name, "--protocol", "source_da", *plain, "--raters", 3,
            "--segments", "sample:5", "--seed", seed,
        )  # fmt: skip
        chosen.append({row["segment"] for row in plan(name)})
    assert chosen[0] == chosen[1] != chosen[2] and {len(one) for one in chosen} == {5}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--raters", 2], "3 judgements an item need 3 raters, there are 2: add 1 rater"),
        (["--raters", 0], "0 raters cannot be"),
        (["--raters", "{twice}"], "not unique: “Ann”"),
        (["--raters", "{pipes}"], "holds “|”"),
        (["--raters", "nowhere.txt"], "nowhere.txt: cannot be read"),
        (["--raters", 3, "--judgements", 0], "at least 1 judgement"),
        (["--raters", 3, "--scale", "100-1"], "scale 100-1"),
        (["--raters", 3, "--scale", "1..100"], "not a scale"),
        (["--raters", 3, "--seed", -1], "seed -1"),
        (["--raters", 3, "--segments", "13"], "has 12"),
        (["--raters", 3, "--segments", "sample:0"], "asks for no segment"),
        (["--raters", 3, "--segments", "1-2-3"], "does not name segments"),
        (["--raters", 3, "--pairs", "OP"], "has no pairs"),
        (["--raters", 3, "--protocol", "pairwise_fluency", "--pairs", "XX"], "system's name (OP, BT)"),
        (["--raters", 3, "--protocol", "pairwise_fluency", "--pairs", "sample:9"], "between 1 and 1"),
        (["--raters", 3, "--protocol", "pairwise_fluency", "--scale", "1-5"], "has no scale"),
        (["--raters", 3, "--references", "reference"], "shows no reference"),
        (
            ["--raters", 3, "--protocol", "reference_da", "--references", "r9"],
            "no reference version called “r9”",
        ),
        (["--raters", 3, "--output", "OP={ref}"], "not unique: “OP”"),
        (["--raters", 3, "--output", "a|b={ref}"], "holds “|”"),
        (["--raters", 3, "--output", "{ref}"], "Write --output SYSTEM=FILE"),
        (["--raters", 3, "--output", "X={short}"], "short.txt has 11 lines"),
        (["--raters", 3, "--inputs", "X"], "--inputs is for imported test sets"),
        (["--raters", 3, "--testset", "t"], "exclude each other"),
        (["--raters", 3, "--owner", "nobody"], "no user “nobody”"),
        (["--raters", 3, "--base-url", "rate.example.org"], "not the address of a site"),
        (["--raters", 3, "--guidelines", "nowhere.md"], "nowhere.md: cannot be read"),
        (["--raters", 3, "--languages", "en-qq"], "Unknown language “qq”"),
    ],
)
def test_bad_input_is_named_and_nothing_is_stored(texts, plain, tmp_path, arguments, expected):
    texts["short"] = write_lines(tmp_path / "short.txt", invented_lines(11, seed=9))
    texts["twice"] = write_lines(tmp_path / "twice.txt", ["Ann", "Bo", "Ann"])
    texts["pipes"] = write_lines(tmp_path / "pipes.txt", ["Ann|Bo", "C", "D"])
    filled = [str(argument).format(**texts) for argument in arguments]
    assert expected in refused("create_campaign", "c", "--protocol", "source_da", *plain, *filled)


def test_names_that_are_taken(plain, texts):
    run("create_campaign", "c", "--protocol", "source_da", *plain, "--raters", 3)
    again = ["--protocol", "source_da", *plain, "--raters", 3]
    assert "campaign “c” exists" in refused("create_campaign", "c", *again)
    Study.objects.create(name="d")
    assert "Give --study “d”" in refused("create_campaign", "d", *again)
    run("import_testset", "e", "--languages", "en-de", "--source", texts["op"])
    assert "test set “e” exists already" in refused("create_campaign", "e", *again)
    Study.objects.create(name="theirs", owner=User.objects.create_user("bo"))
    User.objects.create_user("ada")
    assert "belongs to bo" in refused("create_campaign", "f", *again, "--study", "theirs", "--owner", "ada")


def test_one_system_is_enough_for_direct_assessment_only(texts):
    arguments = [
        "--languages",
        "en-de",
        "--source",
        texts["src"],
        "--output",
        f"OP={texts['op']}",
        "--raters",
        3,
    ]
    assert "needs two systems" in refused(
        "create_campaign", "c", "--protocol", "pairwise_fluency", *arguments
    )
    run("create_campaign", "c", "--protocol", "source_da", *arguments)


def test_nothing_but_identical_outputs_is_no_comparison(texts):
    same = ["--output", f"A={texts['op']}", "--output", f"B={texts['op']}", "--raters", 3]
    message = refused(
        "create_campaign", "c", "--protocol", "pairwise_fluency", "--languages", "en-de",
        "--source", texts["src"], *same,
    )  # fmt: skip
    assert "all outputs are identical" in message


def test_a_reference_is_needed_for_reference_da(texts):
    message = refused(
        "create_campaign", "c", "--protocol", "reference_da", "--languages", "en-de",
        "--source", texts["src"], "--output", f"A={texts['op']}", "--raters", 3,
    )  # fmt: skip
    assert "no reference version" in message
