"""Importing judgements made elsewhere."""

import json

import pytest
from django.core.management import CommandError

from annotation.models import AuditEvent, Campaign, Item, Judgement, Participation, Rater
from mtcore.models import Segment, System, TestSet
from mtcore.services.outputs import output_import
from mtcore.services.testsets import testset_create as create_testset
from mtcore.services.testsets import testset_draft as draft_testset
from tests.factories.campaigns import invented_lines, make_campaign, named
from tests.factories.commands import refused, run
from tests.paths import ROOT

pytestmark = pytest.mark.django_db
FILES = ROOT / "tests" / "files"
WITH_KINDS = (("A", "SYSTEM"), ("B", "SYSTEM"), ("A", "BAD_REF"))
DA = ("--format", "csv", "--protocol", "source_da", "--languages", "en-de")


def scores(name, *options):
    result = json.loads(run("score_campaign", name, "--format", "json", *options)[0])
    return {row["system"]: row for row in result["systems"]}


def write(tmp_path, text, name="judgements.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def known_testset(name, systems=(), n=6):
    source = named("source", invented_lines(n, seed=1, mark="Source "))
    create_testset(draft_testset(name=name, languages="en-de", sources=[source]))
    for number, system in enumerate(systems):
        text = named(system, invented_lines(n, seed=10 + number, mark="Satz "))
        output_import(testset=name, system=system, text=text)


def test_decimal_commas_after_semicolons():
    run("import_judgements", "imp13", str(FILES / "imp13_semicolon.csv"), *DA)
    assert scores("imp13")["A"]["raw_mean"] == 72.5


def test_names_that_look_like_nothing_are_names():
    run("import_judgements", "imp14", str(FILES / "imp14_na.csv"), *DA)
    assert Judgement.objects.count() == 4
    assert set(System.objects.values_list("name", flat=True)) == {"NA", "null"}
    assert set(Rater.objects.values_list("name", flat=True)) == {"None", "r2"}
    assert set(Judgement.objects.values_list("comment", flat=True)) == {"n/a", "nan", "", "None"}
    assert set(scores("imp14")) == {"NA", "null"}


def test_appraise_quality_control_and_documents_stay_out_of_the_mean():
    file = str(FILES / "imp23_appraise.csv")
    message = refused("import_judgements", "imp23", file, "--format", "appraise")
    assert "line 6" in message and "XYZ" in message
    _, notes = run("import_judgements", "imp23", file, "--format", "appraise", "--unknown-kinds", "skip")
    assert "XYZ" in notes and "1 score of documents apart" in notes
    row = scores("imp23")["sysA"]
    assert (row["raw_mean"], row["n_judgements"]) == (70.0, 2)
    kinds = sorted(Item.objects.values_list("kind", flat=True))
    assert kinds == ["bad_reference", "reference", "system", "system"]


def test_a_plus_joins_known_systems_only():
    known_testset("known", ["sysA", "sysB", "Transformer+R2L"])
    run(
        "import_judgements", "imp24", str(FILES / "imp24_plus.csv"), "--format", "appraise",
        "--languages", "en-de", "--testset", "known",
    )  # fmt: skip
    found = scores("imp24")
    assert {name: row["raw_mean"] for name, row in found.items()} == {
        "sysA": 80.0,
        "sysB": 90.0,
        "Transformer+R2L": 50.0,
    }
    assert Judgement.objects.count() == 3


def test_rankings_become_pairs():
    run("import_judgements", "imp28", str(FILES / "imp28_ranking.csv"), "--format", "wmt16-ranking")
    choices = list(Judgement.objects.values_list("choice", flat=True))
    assert len(choices) == 16
    assert choices.count("equal") == 11
    assert "E" not in {
        output.system.name
        for judgement in Judgement.objects.filter(assignment__item__segment__key="1")
        for candidate in judgement.assignment.item.candidates.all()
        for output in candidate.outputs.all()
    }


def test_an_unclosed_quote_is_pointed_at(tmp_path):
    text = (FILES / "imp33_unbalanced.csv").read_text(encoding="utf-8")
    header, *rows = text.split("\n")
    text = "\n".join([f"{header},rater,system,score", *(f"{row},r,A,5" if row else "" for row in rows)])
    columns = "segment=segment_id,comment=source"
    message = refused(
        "import_judgements", "imp33", write(tmp_path, text), *DA, "--map", columns,
    )  # fmt: skip
    assert "line 3" in message and "quote" in message


def test_ids_of_researchers_are_kept():
    run("import_judgements", "exp02", str(FILES / "exp02_ids.csv"), *DA)
    assert set(Segment.objects.values_list("key", flat=True)) == {"doc1_#_0012", "doc1_#_12"}
    assert set(Rater.objects.values_list("name", flat=True)) == {"ann-07", "ann-7"}


def test_zero_is_a_score():
    run("import_judgements", "exp03", str(FILES / "exp03_zero.csv"), *DA)
    assert scores("exp03")["A"]["raw_mean"] == 50.0


def test_an_import_makes_a_closed_campaign_with_everything_in_it(tmp_path):
    file = write(tmp_path, "rater,system,segment,score\nann,A,7,50\nbob,A,7,60\nann,B,9,70\nann,B,9,75\n")
    out, _ = run("import_judgements", "study one", file, *DA)
    assert "4 judgements (4 system) of 2 raters and 2 systems" in out
    campaign = Campaign.objects.get()
    assert (campaign.state, campaign.mode, campaign.study.name) == ("closed", "imported", "study one")
    assert (campaign.scale_low, campaign.scale_high) == (0, 100)
    testset = TestSet.objects.get()
    assert (testset.name, testset.texts_known) == ("study one", False)
    assert list(testset.segments.values_list("key", "position")) == [("7", 1), ("9", 2)]
    items = list(Item.objects.values_list("segment__key", "occurrence", "wanted", "given"))
    assert items == [("7", 1, 2, 2), ("9", 1, 1, 1), ("9", 2, 1, 1)]
    assert set(Participation.objects.values_list("state", flat=True)) == {"finished"}
    event = AuditEvent.objects.get()
    assert (event.action, event.data["judgements"]) == ("judgements.imported", 4)


def test_quality_control_items_find_what_they_pair_with(tmp_path):
    rows = [
        "rater,group,kind,system,segment,score",
        "ann,h1,BAD_REF,A,1,10",
        "ann,h1,SYSTEM,A,1,80",
        "ann,h1,REPEAT,A,1,82",
        "bob,h2,SYSTEM,A,1,60",
        "bob,h2,REF,A,1,99",
    ]
    run("import_judgements", "qc", write(tmp_path, "\n".join(rows) + "\n"), *DA)
    item = {(row.group, row.kind): row for row in Item.objects.all()}
    assert item["h1", "bad_reference"].paired_with == item["h1", "system"]
    assert item["h1", "repeat"].repeat_of == item["h1", "system"]
    assert item["h2", "reference"].paired_with == item["h2", "system"]
    assert item["h1", "system"] != item["h2", "system"]


def test_the_same_judgements_again_are_refused_and_new_ones_added(tmp_path):
    file = write(tmp_path, "rater,system,segment,score\nann,A,1,50\nann,B,1,60\n")
    run("import_judgements", "twice", file, *DA)
    message = refused("import_judgements", "twice", file, *DA)
    assert "2 of 2 judgements are in “twice” already" in message and "line 2" in message
    more = write(tmp_path, "rater,system,segment,score\nann,A,1,70\nbob,A,2,80\n", "more.csv")
    run("import_judgements", "twice", more, "--format", "csv")
    assert Judgement.objects.count() == 4
    assert list(Item.objects.filter(segment__key="1").values_list("occurrence", flat=True)) == [1, 1, 2]
    assert scores("twice")["A"]["n_judgements"] == 3


def test_a_column_of_kinds_that_the_map_leaves_out_is_pointed_at(tmp_path):
    rows = [f"ann,{system},{n},{50 + n},{kind}" for n in (1, 2) for system, kind in WITH_KINDS]
    path = write(tmp_path, "\n".join(["who,what,where,points,item_type", *rows]) + "\n")
    columns = "rater=who,system=what,segment=where,score=points"
    _, err = run("import_judgements", "plain", path, *DA, "--map", columns)
    assert "the column item_type seems to tell kinds of items" in err and "add kind=item_type" in err
    _, err = run("import_judgements", "mapped", path, *DA, "--map", f"{columns},kind=item_type")
    assert "item_type" not in err


def test_a_live_campaign_takes_no_imports(tmp_path):
    make_campaign(name="live", n_segments=2)
    file = write(tmp_path, "rater,system,segment,score\nann,A,1,50\n")
    assert "its own raters" in refused("import_judgements", "live", file, *DA)


def test_more_judgements_must_fit_the_campaign(tmp_path):
    file = write(tmp_path, "rater,system,segment,score\nann,A,1,50\n")
    run("import_judgements", "fit", file, *DA)
    more = write(tmp_path, "rater,system,segment,score\nann,A,2,50\n")
    other = ("--format", "csv", "--protocol", "reference_da", "--languages", "en-de")
    assert "is source_da" in refused("import_judgements", "fit", more, *other)
    assert "en-fr" in refused("import_judgements", "fit", more, *DA[:-1], "en-fr")
    assert "has the scale" in refused("import_judgements", "fit", more, *DA, "--scale", "0-10000")


def test_segments_of_a_known_test_set(tmp_path):
    known_testset("known")
    good = write(tmp_path, "rater,system,segment,score\nann,A,1,50\nann,A,6,60\n")
    run("import_judgements", "fine", good, *DA, "--testset", "known")
    assert Segment.objects.count() == 6
    bad = write(tmp_path, "rater,system,segment,score\nann,A,1,50\nann,A,7,60\n", "bad.csv")
    message = refused("import_judgements", "wrong", bad, *DA, "--testset", "known")
    assert "bad.csv, line 3" in message and "“7”" in message
    assert "no test set “unknown”" in refused("import_judgements", "w", bad, *DA, "--testset", "unknown")


@pytest.mark.parametrize(
    ("text", "options", "wanted"),
    [
        ("rater,system,segment,score\nann,A,1,101\n", DA, "line 2"),
        ("rater,system,segment,score\nann,A,1,101\n", DA, "0–100"),
        ("rater,system,segment,score\nann,A,1,high\n", DA, "not a number"),
        ("rater,system,segment\nann,A,1\n", DA, "no column score"),
        ("rater,system,segment,score\n", DA, "no judgement"),
        ("", DA, "empty"),
        ("rater,system,segment,score\na\x07b,A,1,5\n", DA, "U+0007"),
        ("rater,system,segment,score,kind\nann,A,1,5,ODD\n", DA, "ODD"),
        ("rater,system,segment,score\nann,A,1,5\n", (*DA[:2], *DA[4:]), "--protocol"),
        ("rater,system,segment,score\nann,A,1,5\n", DA[:4], "--languages"),
        ("rater,system,segment,score\nann,A,1,5\n", (*DA[:-1], "en-qq"), "qq"),
        ("rater,system,segment,score\nann,A,1,5\n", (*DA[:2], "--protocol", "odd", *DA[4:]), "no protocol"),
        (
            "rater,system,segment,score\nann,A,1,5\n",
            (*DA[:2], "--protocol", "pairwise_fluency", *DA[4:]),
            "holds ratings",
        ),
        ("rater,system,segment,score\nann,A,1,5\n", (*DA, "--map", "rater=rater,what=x"), "unknown field"),
        ("rater,system,segment,score\nann,A,1,5\n", (*DA, "--scale", "9-1"), "scale"),
        ("judgement,rater,segment,item,left,choice,score\n,a,1,i,A,,5\n,a,1,i,A,,6\n", DA, "twice"),
        ("judgement,rater,segment,item,left,choice,score\n,a,1,i,A,,5\n,b,2,i,A,,6\n", DA, "another"),
        (
            "judgement,rater,segment,item,paired_with,left,choice,score\n,a,1,i,j,A,,5\n",
            DA,
            "refers to item “j”",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused_whole(tmp_path, text, options, wanted):
    assert wanted in refused("import_judgements", "bad", write(tmp_path, text), *options)


def test_a_name_with_a_bar_is_refused(tmp_path):
    with pytest.raises(CommandError, match="holds"):
        run("import_judgements", "a|b", write(tmp_path, "rater,system,segment,score\nann,A,1,5\n"), *DA)


def test_a_missing_file_is_named():
    assert "nowhere.csv" in refused("import_judgements", "x", "nowhere.csv", *DA)
