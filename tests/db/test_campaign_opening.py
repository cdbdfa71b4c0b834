"""Campaigns opened and closed, their links, and the test sets of a published study from text to links."""

import re
from collections import Counter

import pytest

from annotation.models import (
    AuditEvent,
    Campaign,
)
from annotation.services import campaigns, links
from annotation.services.campaigns import campaign_close, campaign_open
from annotation.services.invitations import invitation_read, invitation_renew
from evalplatform.errors import Conflict
from mtcore.models import SystemOutput, TestSet
from tests.factories.campaigns import invented_lines, make_campaign
from tests.factories.commands import refused, run
from tests.factories.counts import row_counts
from tests.factories.files import write_lines
from tests.factories.plain_text import plain_arguments, plain_texts, plan
from tests.paths import DATA, ROOT, needs_data

pytestmark = pytest.mark.django_db
FILES = ROOT / "tests" / "files"


@pytest.fixture
def texts(tmp_path):
    return plain_texts(tmp_path)


@pytest.fixture
def plain(texts):
    return plain_arguments(texts)


@pytest.fixture
def imported(tmp_path):
    """Two test sets of one pair, direct and reverse, with outputs of A and B for two inputs each."""
    lines = {name: invented_lines(20, seed=n, mark=f"{name} ") for n, name in enumerate("sabrdn")}
    files = {name: write_lines(tmp_path / name, own) for name, own in lines.items()}
    run(
        "import_testset", "direct", "--languages", "en-de", "--direction", "direct",
        "--source", files["s"], "--reference", f"r1={files['r']}", f"wmt={files['n']}",
        "--double-translation", f"source={files['d']}", "--derived-from", "r1",
    )  # fmt: skip
    run(
        "import_testset", "reverse", "--languages", "en-de", "--direction", "reverse",
        "--source", f"r1={files['d']}", f"wmt={files['s']}", "--reference", f"src={files['n']}",
    )  # fmt: skip
    for testset, versions in (("direct", ["X", "X**"]), ("reverse", ["X*", "wmt"])):
        for version in versions:
            for system in "ab":
                run("import_output", testset, system.upper(), files[system], "--input", version)
    return files


def test_several_test_sets_and_inputs(imported):
    run(
        "create_campaign", "c", "--protocol", "source_da",
        "--testset", "direct", "reverse", "--systems", "A,B",
        "--inputs", "X", "X**", "X*", "wmt", "--raters", 4, "--segments", 10,
    )  # fmt: skip
    rows = plan("c")
    conditions = Counter((row["testset"], row["input"], row["context"], row["left"]) for row in rows)
    names = [("direct", "source"), ("direct", "double"), ("reverse", "r1"), ("reverse", "wmt")]
    assert conditions == {(t, v, v, s): 30 for t, v in names for s in "AB"}
    assert Campaign.objects.get().outputs.count() == 8


def test_several_references(imported):
    run(
        "create_campaign", "c", "--protocol", "reference_da", "--testset", "direct", "--systems", "A", "B",
        "--references", "r1", "wmt", "--raters", 3,
    )  # fmt: skip
    assert Counter((row["input"], row["context"]) for row in plan("c")) == {
        ("source", "r1"): 120, ("source", "wmt"): 120,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--testset", "direct", "other", "--systems", "A,B"], "no test set “other”"),
        (["--testset", "direct", "direct", "--systems", "A,B"], "not unique: “direct”"),
        (["--testset", "direct", "--systems", "A,Z"], "no system “Z”"),
        (["--testset", "direct"], "No systems are given"),
        (
            ["--testset", "direct", "--systems", "A,C"],
            "“C” has no output for input “source” of test set “direct”",
        ),
        (
            ["--testset", "direct", "reverse", "--systems", "A,B", "--inputs", "X"],
            "“reverse” has no source version called “X”",
        ),
        (
            ["--testset", "direct", "--systems", "A,B", "--inputs", "X", "Z"],
            "No chosen test set has a version “Z”",
        ),
        (
            ["--testset", "direct", "--systems", "A,B", "--languages", "de-en"],
            "is en → de, the campaign is de → en",
        ),
        (["--testset", "direct", "foreign", "--systems", "A,B"], "is cs → de, the campaign is en → de"),
        (["--testset", "known by judgements", "--systems", "A,B"], "only judgements were imported"),
        (["--systems", "A,B"], "--systems is for imported test sets"),
    ],
)
def test_bad_choices_among_imported_texts(imported, arguments, expected):
    run("import_testset", "foreign", "--languages", "cs-de", "--source", imported["s"])
    run("import_output", "foreign", "C", imported["a"])
    TestSet.objects.create(
        name="known by judgements", source_language="en", target_language="de", texts_known=False
    )
    message = refused("create_campaign", "c", "--protocol", "source_da", *arguments, "--raters", 3)
    assert expected in message


def test_nothing_is_left_when_writing_fails_half_way(plain, monkeypatch):
    def fails(**_):
        raise Conflict("The disk is full.")

    before = row_counts()
    monkeypatch.setattr(campaigns, "assignments_write", fails)
    assert "disk is full" in refused("create_campaign", "c", "--protocol", "source_da", *plain, "--raters", 3)
    assert row_counts() == before and SystemOutput.objects.count() == 0


def test_open_close_and_open_again():
    campaign = make_campaign()
    run("close_campaign", "demo")
    campaign.refresh_from_db()
    assert campaign.state == "closed" and campaign.closed_at is not None
    with pytest.raises(Conflict):
        campaign_close(campaign=campaign)
    opened = campaign.opened_at
    campaign_open(campaign=campaign)
    assert (campaign.state, campaign.closed_at, campaign.opened_at) == ("open", None, opened)
    assert list(AuditEvent.objects.order_by("pk").values_list("action", flat=True)) == [
        "campaign.created", "campaign.closed", "campaign.opened",
    ]  # fmt: skip
    assert "open already" in refused("open_campaign", "demo")
    assert "no campaign “demi”" in refused("close_campaign", "demi")
    Campaign.objects.update(mode="imported", state="closed")
    assert "were imported" in refused("open_campaign", "demo")


def test_links_again_and_renewed():
    make_campaign(raters=2)
    out, _ = run("campaign_links", "demo")
    old = dict(line.split("\t") for line in out.splitlines())
    assert list(old) == ["R1", "R2"] and run("campaign_links", "demo")[0] == out
    new, _ = run("campaign_links", "demo", "--rater", "R2", "--renew")
    assert new.startswith("R2\t") and new.strip() != f"R2\t{old['R2']}"
    token = re.search(r"/invite/(.+?)/?$", old["R2"]).group(1)
    with pytest.raises(Conflict):
        invitation_read(token)
    assert "no rater “R9”" in refused("campaign_links", "demo", "--rater", "R9")


def test_links_are_renewed_all_or_none(monkeypatch):
    make_campaign(raters=2)
    old, _ = run("campaign_links", "demo")

    def second_fails(*, participation):
        if participation.rater.name == "R2":
            raise OSError(28, "No space left on device")
        invitation_renew(participation=participation)

    monkeypatch.setattr(links, "invitation_renew", second_fails)
    assert "No space left" in refused("campaign_links", "demo", "--renew")
    assert run("campaign_links", "demo")[0] == old


@needs_data
def test_the_papers_test_sets_from_text_to_links():
    folder = DATA / "nmt-bt"
    one, other = "newstest2014-ende", "newstest2014-deen"
    run(
        "import_testset", one, "--languages", "en-de", "--direction", "direct",
        "--source", f"src={folder}/{one}.src.en", "--reference", f"r1={folder}/{one}.r1.de",
        "--double-translation", f"source={folder}/{one}.r1.r1.en",
    )  # fmt: skip
    run(
        "import_testset", other, "--languages", "en-de", "--direction", "reverse",
        "--source", f"r1={folder}/{other}.r1.en", f"wmt={folder}/{other}.tgt.en",
        "--reference", f"src={folder}/{other}.src.de",
    )  # fmt: skip
    for version in ("X", "X**"):
        run("import_output", one, "A", folder / f"{one}.r1.de", "--input", version, "--kind", "human")
        run("import_output", one, "B", folder / f"{one}.tgt.de", "--input", version)
    for version in ("X*", "wmt"):
        run("import_output", other, "A", folder / f"{other}.src.de", "--input", version)
        run("import_output", other, "B", folder / f"{other}.r1.r1.de", "--input", version)
    out, _ = run(
        "create_campaign", "c", "--protocol", "source_da", "--testset", one, other, "--systems", "A,B",
        "--inputs", "X", "X**", "X*", "wmt", "--segments", "50", "--raters", 6,
    )  # fmt: skip
    assert out.count("/invite/") == 6
    cells = {(row["testset"], row["input"], system) for row in plan("c") for system in row["left"].split("|")}
    assert len(cells) == 8
