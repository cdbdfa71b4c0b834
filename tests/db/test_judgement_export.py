"""Exporting judgements, and importing them elsewhere."""

import csv
import io
import json
import os
import time

import numpy as np
import pytest

from annotation.models import Judgement
from annotation.services.judgement_export import judgement_rows
from annotation.services.judging import judgement_save
from annotation.services.records import ratings_read
from annotation.stats.standardise import standardise
from mtcore.models import TestSet
from tests.factories.answers import answer_all
from tests.factories.campaigns import make_campaign
from tests.factories.commands import refused, run
from tests.paths import ROOT

pytestmark = pytest.mark.django_db
FILES = ROOT / "tests" / "files"


def exported(name, *options):
    return run("export_judgements", name, *options)[0]


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def scores(name, *options):
    result = json.loads(run("score_campaign", name, "--format", "json", *options)[0])
    assert result.pop("campaign") == name
    return result


def elsewhere(campaign, tmp_path, format="csv", *options):
    """Import a campaign's export as if into another database: its test set is not there."""
    path = tmp_path / f"out.{format}"
    run("export_judgements", campaign.name, "--format", format, "--output", str(path), *options)
    TestSet.objects.filter(name=campaign.name).update(name="put away")
    run("import_judgements", "copy", str(path), "--format", format)


@pytest.mark.parametrize("format", ["csv", pytest.param("jsonl", marks=pytest.mark.once)])
@pytest.mark.parametrize("protocol", ["source_da", "reference_da", "pairwise_fluency"])
def test_an_export_imported_elsewhere_scores_the_same(protocol, format, tmp_path):
    campaign = make_campaign(
        protocol, n_segments=9, systems=("OP", "BT", "C"), identical=(2, 5), judgements=3, direction="reverse"
    )
    answer_all(campaign, share=0.8)
    campaign.participations.filter(rater__name="R3").update(excluded_by="careless; too fast")
    before = scores(campaign.name)
    cut = scores(campaign.name, "--by", "condition")
    elsewhere(campaign, tmp_path, format)
    after = scores("copy")
    for part in ("systems", "pairs", "raters"):
        assert after[part] == before[part]
    again = scores("copy", "--by", "condition")
    for part in ("systems", "pairs"):
        for old, new in zip(cut[part], again[part], strict=True):
            assert old | {"notation": ""} == new | {"notation": ""}
            assert not any(mark in new["notation"] for mark in "XY*")


def test_preferences_keep_identical_pairs_and_sides(tmp_path):
    campaign = make_campaign("pairwise_fluency", n_segments=12, identical=(0, 4), judgements=3)
    answer_all(campaign)
    before = scores(campaign.name)
    elsewhere(campaign, tmp_path)
    after = scores("copy")
    assert after["position"] == before["position"]
    assert after["pairs"] == before["pairs"]
    assert after["pairs"][0]["identical"] == 2


def test_the_spreadsheet_flavour_comes_back_the_same(tmp_path):
    file = tmp_path / "odd.csv"
    file.write_text(
        'rater,system,segment,score,comment\n=1+1,-A,@1,50,+x\n=1+1,B,1,70,عربي\nr2,-A,1,20,"a\n\'b"\n'
    )
    options = ("--format", "csv", "--protocol", "source_da", "--languages", "en-ar")
    run("import_judgements", "odd", str(file), *options)
    path = tmp_path / "sheet.csv"
    run("export_judgements", "odd", "--flavour", "spreadsheet", "--output", str(path))
    data = path.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf") and data.count(b"\xef\xbb\xbf") == 1
    assert b"'=1+1" in data
    TestSet.objects.update(name="put away")
    run("import_judgements", "back", str(path), "--format", "csv")
    key = ("rater", "left", "segment", "score", "z", "comment")
    old, new = (
        [tuple(row[name] for name in key) for row in rows_of(exported(name))] for name in ("odd", "back")
    )
    assert old == new
    assert old[0][:4] == ("=1+1", "-A", "@1", "50")


def test_ids_kinds_and_groups_join_one_to_one(tmp_path):
    run(
        "import_judgements", "exp02", str(FILES / "exp02_ids.csv"), "--format", "csv",
        "--protocol", "source_da", "--languages", "en-de",
    )  # fmt: skip
    rows = {(row["rater"], row["left"], row["segment"]): row["score"] for row in rows_of(exported("exp02"))}
    assert rows == {
        ("ann-07", "sys.v1", "doc1_#_0012"): "70",
        ("ann-07", "sys.v1", "doc1_#_12"): "60",
        ("ann-7", "sys.v1", "doc1_#_12"): "50",
    }


def test_zero_and_hundred_are_written():
    run(
        "import_judgements", "exp03", str(FILES / "exp03_zero.csv"), "--format", "csv",
        "--protocol", "source_da", "--languages", "en-de",
    )  # fmt: skip
    assert {row["score"] for row in rows_of(exported("exp03"))} == {"0", "100", "50"}


@pytest.fixture
def kolkata():
    before = os.environ.get("TZ")
    os.environ["TZ"] = "Asia/Kolkata"
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


def test_times_have_their_offset_whatever_the_server_s_zone(kolkata):
    campaign = make_campaign(n_segments=1, systems=("OP",), raters=1, judgements=1)
    answer_all(campaign)
    (row,) = rows_of(exported(campaign.name))
    stored = Judgement.objects.get().submitted_at
    assert row["submitted_at"] == stored.isoformat()
    assert row["submitted_at"].endswith("+00:00")


def test_order_and_ids_are_stable_and_z_states_its_options():
    campaign = make_campaign(n_segments=4)
    answer_all(campaign)
    rows = rows_of(exported(campaign.name))
    assert rows_of(exported(campaign.name)) == rows
    order = [(row["rater"], int(row["round"]), int(row["position"])) for row in rows]
    assert order == sorted(order)
    keys = set(campaign.items.values_list("assignments__key", flat=True))
    assert {row["judgement"] for row in rows} == keys
    assert {row["z_options"] for row in rows} == {"population:all"}
    by_rater = [float(row["z"]) for row in rows if row["rater"] == "R1"]
    assert sum(by_rater) == pytest.approx(0, abs=1e-8)


def test_a_correction_is_written_once_and_its_history_on_request():
    campaign = make_campaign(n_segments=2, systems=("OP",), raters=1, judgements=1)
    answer_all(campaign)
    participation = campaign.participations.select_related("campaign", "rater").get()
    assignment = participation.assignments.order_by("position").first()
    judgement_save(
        participation=participation, assignment_key=assignment.key, client_key="second-answer-0001",
        answers={"score": 11},
    )  # fmt: skip
    current = rows_of(exported(campaign.name))
    assert [row["score"] for row in current if row["judgement"] == assignment.key] == ["11"]
    history = rows_of(exported(campaign.name, "--history"))
    own = [(row["current"], row["score"]) for row in history if row["judgement"] == assignment.key]
    assert [flag for flag, _ in own] == ["no", "yes"] and own[1][1] == "11"
    assert len(history) == len(current) + 1


def test_counts_exclusions_and_raters_without_z_are_told():
    campaign = make_campaign(n_segments=3, systems=("OP",), raters=("ann", "bob", "eve"), judgements=1)
    answer_all(campaign)
    campaign.participations.filter(rater__name="bob").update(excluded_by="careless")
    _, told = run("export_judgements", campaign.name)
    assert told.strip() == (
        "3 judgements, 3 raters without z (ann, bob, eve), 1 rater excluded (bob: careless)."
    )


def test_json_lines_are_strict(tmp_path):
    campaign = make_campaign(n_segments=3, identical=(1,))
    answer_all(campaign)
    lines = exported(campaign.name, "--format", "jsonl").splitlines()
    records = [json.loads(line) for line in lines]
    assert any(record["left"] == ["BT", "OP"] for record in records)
    assert all(record["right"] is None and record["score"] is not None for record in records)


def test_a_mistake_leaves_no_file(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("precious")
    assert "no campaign “none”" in refused("export_judgements", "none", "--output", str(path))
    assert path.read_text() == "precious"
    assert list(tmp_path.glob("*.part")) == []


@pytest.mark.parametrize("protocol", ["source_da", "pairwise_fluency"])
def test_rows_are_the_same_however_few_are_read_at_a_time(protocol, monkeypatch):
    campaign = make_campaign(
        protocol, n_segments=7, systems=("OP", "BT", "C"), identical=(2, 5), judgements=3
    )
    answer_all(campaign)
    whole = exported(campaign.name)
    for name, size in (("item_facts.CHUNK", 2), ("item_facts.KEPT", 1), ("spreads.BATCH", 5)):
        monkeypatch.setattr(f"annotation.services.{name}", size)
    assert exported(campaign.name) == whole
    assert len({row["segment"] for row in rows_of(whole)}) == 7


@pytest.mark.parametrize("population", ["all", "system_items"])
def test_z_of_an_export_is_that_of_the_scores(population):
    campaign = make_campaign(n_segments=6, judgements=3)
    answer_all(campaign)
    campaign.items.filter(pk__in=campaign.items.values("pk")[:3]).update(kind="reference")
    campaign.items.filter(pk__in=campaign.items.values("pk")[3:5]).update(kind="practice")
    ratings = ratings_read(campaign)
    z = standardise(ratings.table, population).z
    keys = dict(Judgement.objects.values_list("pk", "assignment__key"))
    wanted = {
        keys[pk]: None if np.isnan(value) else np.round(value, 10)
        for pk, value in zip(ratings.judgements.tolist(), z, strict=True)
    }
    rows = rows_of(exported(campaign.name, "--population", population))
    assert {row["judgement"]: float(row["z"]) if row["z"] else None for row in rows} == wanted
    assert None in wanted.values()


def test_items_are_numbered_in_order_of_their_making_whatever_their_ids():
    campaign = make_campaign(n_segments=5, judgements=3)
    answer_all(campaign)
    first, second, third, *others = campaign.items.order_by("pk").values_list("pk", flat=True)
    campaign.items.filter(pk=second).delete()
    campaign.items.filter(pk=third).update(kind="repeat", repeat_of=first)
    foreign = make_campaign(name="other").items.first()
    campaign.items.filter(pk=others[0]).update(repeat_of=foreign)
    keys = dict(campaign.items.values_list("assignments__key", "pk"))
    rows = rows_of(exported(campaign.name))
    numbers = {keys[row["judgement"]]: row["item"] for row in rows}
    assert numbers == {pk: f"i{n}" for n, pk in enumerate((first, third, *others), start=1)}
    assert {row["item"]: row["repeat_of"] for row in rows if row["repeat_of"]} == {"i2": "i1"}


def test_reading_an_export_asks_a_fixed_number_of_questions(django_assert_max_num_queries):
    campaign = make_campaign(n_segments=20, judgements=3)
    answer_all(campaign)
    with django_assert_max_num_queries(12):
        assert len(list(judgement_rows(campaign))) == 120
