"""Odd values in files of judgements are refused at the door, alike on every database."""

import json

import pytest
from django.db.backends.base.operations import BaseDatabaseOperations

from annotation.formats import limits
from annotation.models import Assignment, Campaign, Item, Judgement, Participation, Rater, Study
from annotation.services.participation import TEXT_LENGTH
from mtcore.corpora import languages, names, testset_base
from mtcore.models import Document, Segment, System, TestSet, TextVersion
from mtcore.services import line_labels
from tests.factories.campaigns import make_campaign
from tests.factories.commands import refused, run

pytestmark = pytest.mark.django_db
DA = ("--protocol", "source_da", "--languages", "en-de")
GOOD = {"judgement": "j1", "rater": "ann", "segment": "1", "left": ["A"], "score": 50, "choice": None}
HEAD = "rater,system,segment,score\n"


def column(model, name):
    return model._meta.get_field(name)


def write(tmp_path, text, name="odd.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8", newline="")
    return str(path)


def jsonl(tmp_path, *changes):
    lines = [json.dumps(GOOD | change, ensure_ascii=True) for change in ({}, *changes)]
    return write(tmp_path, "".join(f"{line}\n" for line in lines), "odd.jsonl")


@pytest.mark.parametrize(
    ("limit", "model", "name"),
    [
        (limits.MAX_LENGTHS["segment"], Segment, "key"),
        (testset_base.MAX_KEY, Segment, "key"),
        (limits.MAX_LENGTHS["document"], Document, "name"),
        (limits.MAX_LENGTHS["group"], Item, "group"),
        (limits.MAX_LENGTHS["excluded_by"], Participation, "excluded_by"),
        *((names.MAX_LENGTH, one, "name") for one in (Rater, System, TestSet, TextVersion, Study, Campaign)),
        (languages.MAX_TAG, TestSet, "source_language"),
        (languages.MAX_TAG, Campaign, "target_language"),
    ],
)  # fmt: skip
def test_lengths_are_those_of_the_columns(limit, model, name):
    assert limit == column(model, name).max_length
    assert column(Document, "name").max_length >= line_labels.MAX_DOCUMENT_NAME


@pytest.mark.parametrize(
    ("limit", "model", "name"),
    [
        (limits.MAX_NUMBERS["round"], Assignment, "round"),
        (limits.MAX_NUMBERS["position"], Assignment, "position"),
        (limits.MAX_ACTIVE_MS, Judgement, "active_ms"),
    ],
)
def test_numbers_are_those_the_columns_hold(limit, model, name):
    kind = column(model, name).get_internal_type()
    assert limit == BaseDatabaseOperations.integer_field_ranges[kind][1]


def test_comments_are_as_long_as_those_of_raters():
    assert limits.MAX_LENGTHS["comment"] == TEXT_LENGTH


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ({"segment": "s" * 201}, "the segment has 201 characters; 200 are allowed"),
        ({"document": "d" * 501}, "the document has 501 characters; 500 are allowed"),
        ({"group": "g" * 201}, "the group has 201 characters; 200 are allowed"),
        ({"excluded_by": "e" * 301}, "the excluded_by has 301 characters; 300 are allowed"),
        ({"comment": "c" * 5001}, "the comment has 5,001 characters; 5,000 are allowed"),
        ({"judgement": "j" * 201}, "the judgement has 201 characters"),
        ({"item": "i" * 201}, "the item has 201 characters"),
        ({"testset": "t" * 500}, "test set name"),
        ({"testset": "a|b\n"}, "test set name"),
        ({"context": "c" * 500}, "version name"),
        ({"input": "a|b"}, "version name"),
        ({"input": " "}, "version name"),
        ({"rater": "r" * 121}, "rater name"),
        ({"left": ["A", "b|c"]}, "system name"),
        ({"left": "A|" + "b" * 121}, "system name"),
        *(({name: "a\0b"}, f"“{name}” holds a NUL character") for name in (
            "comment", "input", "segment", "document", "group", "excluded_by", "judgement", "item", "kind",
            "protocol", "languages", "testset", "context", "shown_at",
        )),
        ({"position": 3_000_000_000}, "the position 3000000000 is above 2,147,483,647"),
        ({"position": 99_999_999_999_999_999_999}, "is above 2,147,483,647"),
        ({"position": "9" * 5000}, "is above 2,147,483,647"),
        ({"position": -1}, "not a whole number"),
        ({"round": 40_000}, "the round 40000 is above 32,767"),
        ({"active_ms": 10**12}, "is above 2,147,483,647"),
        ({"active_ms": -5}, "not a whole number"),
        ({"submitted_at": "9999-12-31T23:59:59-14:00"}, "cannot be kept"),
        ({"shown_at": "0001-01-01T00:00:00+14:00"}, "cannot be kept"),
        ({"score": "1e400"}, "is not a number"),
        ({"score": "inf"}, "is not a number"),
        ({"score": "nan"}, "is not a number"),
        ({"kind": "odd\nkind"}, "--unknown-kinds=skip"),
        ({"direction": "up"}, "the direction is “up”"),
    ],
)  # fmt: skip
def test_an_odd_value_is_refused_with_file_line_and_field(tmp_path, change, wanted):
    file = jsonl(tmp_path, change)
    message = refused("import_judgements", "odd", file, "--format", "jsonl", *DA)
    assert message.startswith("odd.jsonl, line 2: ")
    assert wanted in message
    assert len(message) < 500


def test_values_at_their_limits_are_kept(tmp_path):
    most = {
        "segment": "s" * 200, "document": "d" * 500, "group": "g" * 200, "excluded_by": "e" * 300,
        "comment": "c" * 5000, "judgement": "j" * 200, "testset": "t" * 120, "context": "v" * 120,
        "rater": "r" * 120, "left": ["A" * 120, "B"], "round": 32_767, "position": 2_147_483_647,
        "active_ms": 2_147_483_647, "shown_at": "0002-01-02T00:00:00+14:00",
        "submitted_at": "9998-12-31T00:00:00-14:00", "score": 100,
    }  # fmt: skip
    run(
        "import_judgements", "most", jsonl(tmp_path, most | {"direction": "direct"}), "--format", "jsonl", *DA
    )
    kept = Judgement.objects.get(comment="c" * 5000)
    assert (kept.active_ms, kept.assignment.round, kept.assignment.position) == (
        2**31 - 1,
        2**15 - 1,
        2**31 - 1,
    )
    assert kept.assignment.participation.excluded_by == "e" * 300
    back, _ = run("export_judgements", "most", "--format", "jsonl")
    (row,) = [one for one in map(json.loads, back.splitlines()) if one["comment"]]
    assert {name: row[name] for name in most if name not in ("judgement", "shown_at", "submitted_at")} == {
        name: value for name, value in most.items() if name not in ("judgement", "shown_at", "submitted_at")
    }


@pytest.mark.parametrize(
    ("format", "text", "wanted"),
    [
        ("csv", f"{HEAD}ann,A,{'s' * 500},5\n", "line 2: the segment has 500 characters"),
        ("csv", f"{HEAD}ann,A,1,1e400\n", "line 2: the score “1e400” is not a number"),
        ("csv", "rater,system,segment,score,direction\nann,A,1,5,up\n", "line 2: the direction is “up”"),
        ("csv", "rater,system,segment,score,testset\nann,A,1,5,a|b\n", "line 2: The test set name"),
        ("csv", 'rater,system,segment,score,kind\nann,A,1,5,"o\nd"\n', "line 2: unknown item kind"),
        ("appraise", f"u,A,{'i' * 201},TGT,eng,deu,5,,\n", "line 1: the segment has 201 characters"),
        ("appraise", f"u,A,1,TGT,eng,deu,5,{'d' * 501},False,,\n", "line 1: the document has 501"),
        ("mqm", f"system\tdoc\tseg_id\trater\tcategory\tseverity\nA\t{'d' * 501}\t1\tann\tx\tMinor\n",
         "line 2: the document has 501"),
        ("mqm", "system\tdoc\tseg_id\trater\tcategory\tseverity\nA\td\t1\tann\tx\tWild\n",
         "--unknown-kinds=skip"),
        ("pearmut", '{"user_id":"ann","item_i":1,"annotation":[{"A":{"score":5}}],"comment":"a\\u0000b"}\n',
         "line 1: the comment holds a NUL character"),
        ("pearmut", '{"user_id":"ann","item_i":1,"annotation":[{"A":{"score":1e400}}]}\n',
         "line 1: holds the number 1e400, which is too large"),
        ("wmt-mturk", "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time\n"
         f"{'h' * 201} ann en de a h A 1 SYSTEM 1 5 5\n", "line 2: the group has 201"),
        ("wmt-mturk", "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time\n"
         "h ann en de a h A 1 SYSTEM 1 5 -5\n", "line 2: the time spent"),
        ("wmt-mturk", "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time\n"
         "h ann en de a h A 1 SYSTEM 1 5 9e9\n", "line 2: the time spent"),
        ("mt-metrics-eval", f"A\t5\t{'s' * 201}\n", "line 1: the segment has 201"),
        ("wmt16-ranking", "srclang,trglang,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,"
         f"rankingID\ndeu,eng,1,j,A,1,B,2,{'r' * 201}\n", "line 2: the group has 201"),
    ],
)  # fmt: skip
def test_every_format_refuses_what_cannot_be_kept(tmp_path, format, text, wanted):
    message = refused("import_judgements", "odd", write(tmp_path, text), "--format", format, *DA)
    assert message.startswith("odd.csv, line ")
    assert wanted in message


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("csv", "rater,left,right,segment,choice\nann,A,B,1,left\nann,A,A,1,left\n"),
        ("csv", "rater,left,right,segment,choice\nann,A,B,1,left\nann,A|B,B,1,equal\n"),
        ("csv", "judgement,rater,left,right,segment,choice,score\n1,ann,A,B,1,left,\n2,ann,A,A,1,left,\n"),
        ("csv", "judgement,rater,left,right,segment,choice,score\n1,ann,A,B,1,left,\n2,,A,A,1,identical,\n"),
        ("wmt16-ranking", "srclang,trglang,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank\n"
         "deu,eng,1,j,A,1,B,2\ndeu,eng,2,j,A,1,A,1\n"),
    ],
)  # fmt: skip
def test_a_system_against_itself_is_refused(tmp_path, format, text):
    file = write(tmp_path, text)
    pairs = ("--protocol", "pairwise_fluency", "--languages", "en-de")
    message = refused("import_judgements", "self", file, "--format", format, *pairs)
    assert "odd.csv, line 3" in message and "itself" in message


@pytest.mark.parametrize("scale", ["100-1", "5-5", "0-" + "9" * 400])
def test_an_impossible_scale_is_blamed_itself(tmp_path, scale):
    file = write(tmp_path, f"{HEAD}ann,A,1,50\n")
    message = refused("import_judgements", "scale", file, "--format", "csv", *DA, f"--scale={scale}")
    assert "scale" in message and "low-high" in message
    assert "odd.csv" not in message and "50" not in message.replace(scale, "")


@pytest.mark.parametrize("scale", ["0-0.0000000001", "0-1" + "0" * 200, "-1" + "0" * 10 + "-5"])
def test_a_scale_on_which_nothing_can_be_reckoned_is_refused(tmp_path, scale):
    file = write(tmp_path, f"{HEAD}ann,A,1,0\n")
    message = refused("import_judgements", "scale", file, "--format", "csv", *DA, f"--scale={scale}")
    assert "cannot be used" in message and "Multiply" in message


def test_a_scale_below_zero_is_written_as_the_help_says(tmp_path):
    run(
        "import_judgements",
        "mqm",
        write(tmp_path, f"{HEAD}ann,A,1,-7\n"),
        "--format",
        "csv",
        *DA,
        "--scale",
        "-25-0",
    )
    assert Campaign.objects.values_list("scale_low", "scale_high").get() == (-25, 0)


@pytest.mark.parametrize("header", ["x" * 100_000, ",".join(f"c{n}" for n in range(20_000))])
@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_a_message_names_what_was_found_and_stays_short(tmp_path, format, header):
    text = f"{header}\n1\n" if format == "csv" else json.dumps(dict.fromkeys(header.split(","), 1)) + "\n"
    message = refused("import_judgements", "wide", write(tmp_path, text), "--format", format, *DA)
    assert header.split(",")[0][:30] in message and "…" in message and len(message) < 1000
    assert ("20,000" in message) == ("c19999" in header)


def test_a_map_for_a_format_that_takes_none_is_refused(tmp_path):
    file = write(tmp_path, "u,A,1,TGT,eng,deu,5,1600000000,1600000001\n")
    message = refused("import_judgements", "map", file, "--format", "appraise", *DA, "--map", "rater=x")
    assert "appraise" in message and "--map" in message and "csv, tsv, parquet" in message


@pytest.mark.parametrize("text", ["rater=rater,system=rater", "segment=seg,document=seg", "score=t,time=t"])
def test_one_column_cannot_be_two_fields(tmp_path, text):
    file = write(tmp_path, f"{HEAD}ann,A,1,50\n")
    message = refused("import_judgements", "map", file, "--format", "csv", *DA, "--map", text)
    assert "column map" in message and "two fields" in message


def test_repeated_rows_are_kept_and_said_once(tmp_path):
    text = f"{HEAD}ann,A,1,50\nann,A,1,50\nann,A,1,60\nbob,A,1,50\nann,B,1,50\n"
    out, notes = run("import_judgements", "again", write(tmp_path, text), "--format", "csv", *DA)
    assert "5 judgements" in out
    wanted = "2 rows repeat an earlier row of the same rater, system and segment; first: line 3"
    assert notes.count("repeat an earlier row") == 1 and wanted in notes
    assert any(wanted in note for note in Campaign.objects.get().notes)
    occurrences = Item.objects.filter(candidates__outputs__system__name="A").values_list(
        "occurrence", flat=True
    )
    assert sorted(occurrences) == [1, 2, 3]


def test_one_repeated_row_and_none(tmp_path):
    head = "rater,system,segment,score,group\n"
    none = f"{head}ann,A,1,50,g1\nann,A,1,50,g2\nann,A,2,50,g1\n"
    _, notes = run("import_judgements", "none", write(tmp_path, none), "--format", "csv", *DA)
    assert "repeat" not in notes
    one = f"{none}ann,A,1,50,g2\n"
    _, notes = run("import_judgements", "one", write(tmp_path, one), "--format", "csv", *DA)
    assert "1 row repeats an earlier row" in notes and "line 5" in notes


def test_one_of_each_is_said_in_the_singular(tmp_path):
    out, _ = run("import_judgements", "one", write(tmp_path, f"{HEAD}ann,A,1,5\n"), "--format", "csv", *DA)
    assert out.strip() == "1 judgement (1 system) of 1 rater and 1 system imported into “one”."


def test_a_live_campaign_says_what_to_do_instead(tmp_path):
    make_campaign(name="live", n_segments=2)
    file = write(tmp_path, f"{HEAD}ann,A,1,50\n")
    message = refused("import_judgements", "live", file, "--format", "csv", *DA)
    assert "its own raters" in message
    assert "“live imported”" in message and "--study" in message


def test_a_name_no_campaign_can_have_is_refused_before_the_file_is_read(tmp_path):
    file = write(tmp_path, "")
    for name in ("a|b", "a\0b", "n" * 121):
        assert "campaign name" in refused("import_judgements", name, file, "--format", "csv", *DA)


def test_languages_fit_their_column(tmp_path):
    file = write(tmp_path, f"{HEAD}ann,A,1,50\n")
    long = "en-x-aaaaaaaa-bbbbbbbb-cccccccc-dddddddd:de"
    message = refused("import_judgements", "l", file, "--format", "csv", *DA[:2], "--languages", long)
    assert "35" in message


@pytest.mark.parametrize("where", ["source", "reference", "document", "segment_id"])
def test_a_test_set_holds_no_nul(tmp_path, where):
    record = {"segment_id": "1", "source": "Good day.", "reference": "Guten Tag.", "document": "d"}
    file = write(tmp_path, json.dumps(record | {where: "a\0b"}) + "\n", "odd.jsonl")
    message = refused("import_testset", "nul", "--languages", "en-de", "--format", "jsonl", "--file", file)
    assert message.startswith("odd.jsonl, line 1: ") and "NUL" in message and where in message
