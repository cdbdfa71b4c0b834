"""The package of a study: whole, the same every time, without names, and every number can be checked."""

import csv
import json
import zipfile

import pytest
from django.core.management import CommandError

from annotation.models import AuditEvent, Campaign, Study
from annotation.services.package_export import study_export
from annotation.services.package_layout import slugs, write_zip
from annotation.services.pseudonyms import Pseudonyms, pseudonyms_ready
from annotation.services.scoring import campaign_score
from annotation.services.study_scores import study_score
from annotation.services.verify import study_verify
from annotation.stats.options import ScoreOptions
from tests.factories.campaigns import make_campaign
from tests.factories.commands import refused, run
from tests.factories.package_files import all_bytes
from tests.factories.studies import RATERS, answered, study_of, study_with_everything
from tests.paths import ROOT

pytestmark = pytest.mark.django_db
once = pytest.mark.once  # a package is files alone
FILES = ROOT / "tests" / "files"


@pytest.fixture
def study():
    return study_with_everything()


@once
def test_a_package_is_equal_to_its_judgements(package):
    done = study_verify(package)
    assert done.differences == ()
    assert done.notices == ()
    assert done.n_numbers > 300
    assert done.n_files == len([path for path in package.rglob("*") if path.is_file()])


def test_numbers_are_those_of_the_platform(study, tmp_path):
    package = study_export(study=study, output=tmp_path / "package").path
    called = pseudonyms_ready(study)
    for campaign in study.campaigns.all():
        for name, options in (
            ("standard", ScoreOptions()),
            ("by-condition", ScoreOptions(by_condition=True)),
        ):
            own = campaign_score(campaign=campaign, options=options).result
            folder = slugs([campaign.name])[campaign.name]
            packed = json.loads((package / f"campaigns/{folder}/scores/{name}.json").read_text("utf-8"))
            assert packed["signature"] == own["signature"]
            for part in ("systems", "pairs"):
                assert len(packed[part]) == len(own[part])
                for row, other in zip(packed[part], own[part], strict=True):
                    assert _same(row, other)
            raters = {called.name(row["rater"]): row for row in own["raters"]}
            for row in packed["raters"]:
                assert _same(
                    {**row, "rater": ""},
                    {**raters[row["rater"]], "rater": "", "excluded_by": row["excluded_by"]},
                )
    groups = study_score(study=study, options=ScoreOptions(scope="study")).result["groups"]
    packed = json.loads((package / "scores/standard.json").read_text("utf-8"))["groups"]
    assert [_same(one["systems"], two["systems"]) for one, two in zip(groups, packed, strict=True)] == [
        True
    ] * 3


def _same(one, two):
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(_same(one[key], two[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(two) and all(map(_same, one, two))
    return one == pytest.approx(two, abs=1e-9) if isinstance(one, float) else one == two


@once
def test_the_same_study_gives_the_same_bytes(study, tmp_path):
    for name in ("one.zip", "two.zip"):
        study_export(study=study, output=tmp_path / name)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    folder = study_export(study=study, output=tmp_path / "folder").path
    write_zip(folder, tmp_path / "three.zip")
    assert (tmp_path / "three.zip").read_bytes() == (tmp_path / "one.zip").read_bytes()
    assert AuditEvent.objects.filter(action="study.exported", study=study).count() == 3
    assert study_verify(tmp_path / "one.zip").differences == ()


@once
def test_raters_are_numbers_and_texts_are_hashes(package):
    everything = all_bytes(package).decode("utf-8")
    for name in RATERS:
        assert name not in everything
    assert (
        "R003 sat beside me" in everything or "R002 sat beside me" in everything or "R001 sat" in everything
    )
    assert "was asleep" in everything
    assert "Satz " not in everything and "Source 1" not in everything and "Referenz" not in everything
    with (package / "testsets/By-source/texts.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 4 * 8
    assert all(len(row["sha256"]) == 64 for row in rows)


@once
def test_what_raters_wrote_to_the_researchers_is_not_published(study, tmp_path):
    campaign = Campaign.objects.filter(study=study).first()
    rater = campaign.participations.first()
    written = {
        "assignment.skipped": {"reason": "My doctor Canary-Reason says no"},
        "problem.reported": {"text": "Canary-Text, call me"},
        "answer.late": {"comment": "Canary-Comment", "answers": {"score": 7}},
        "place.taken": {"place": "Canary-Place", "rater": rater.rater.name},
    }
    for action, data in written.items():
        AuditEvent.note(action, participation=rater, campaign=campaign, study=study, **data)
    for options in ((), ("--identities",)):
        at = tmp_path / f"package{len(options)}"
        run("export_study", study.name, "--output", at, *options)
        lines = [json.loads(line) for line in (at / "audit.jsonl").read_text("utf-8").splitlines()]
        data = {line["action"]: line["data"] for line in lines if line["action"] in written}
        if options:
            assert data == written
        else:
            assert b"Canary" not in all_bytes(at)
            assert data["assignment.skipped"] == {"reason": {"left_out": 31}}
            assert data["answer.late"] == {"comment": {"left_out": 14}, "answers": {"score": 7}}
        assert study_verify(at).differences == ()


@once
def test_the_order_of_rows_says_nothing_about_names(package):
    for path in package.rglob("*.csv"):
        with path.open(encoding="utf-8", newline="") as stream:
            raters = [row["rater"] for row in csv.DictReader(stream) if row.get("rater")]
        assert raters == sorted(raters), path


def test_names_and_texts_are_kept_when_asked(study, tmp_path):
    run("export_study", study.name, "--output", tmp_path / "all.zip", "--identities", "--with-texts")
    done = study_verify(tmp_path / "all.zip")
    assert done.differences == ()
    with zipfile.ZipFile(tmp_path / "all.zip") as packed:
        judgements = packed.read("campaigns/By-source/judgements.csv").decode()
        source = packed.read("mt-metrics-eval/By-source/sources/en-de.txt").decode()
        assert "mt-metrics-eval/By-source/system-outputs/en-de/BT.txt" in packed.namelist()
    assert all(name in judgements for name in RATERS)
    assert source.startswith("Source 1") and source.count("\n") == 8


@once
def test_the_layout_of_mt_metrics_eval(package):
    folder = package / "mt-metrics-eval" / "By-source"
    assert (folder / "documents/en-de.docs").read_text("utf-8").count("\n") == 8
    lines = (folder / "human-scores/en-de.By-source-z.seg.score").read_text("utf-8").splitlines()
    assert len(lines) == 2 * 8
    result = json.loads((package / "campaigns/By-source/scores/standard.json").read_text("utf-8"))
    means = {row["system"]: row for row in result["systems"]}
    for name, field in (("z", "z_mean"), ("raw", "raw_mean")):
        scores = (folder / f"human-scores/en-de.By-source-{name}.sys.score").read_text("utf-8").splitlines()
        for system, score in (line.split("\t") for line in scores):
            assert float(score) == pytest.approx(means[system][field], abs=1e-9)
    assert not list(package.rglob("sources"))


def test_scores_asked_for_before_are_in_the_package(study, tmp_path):
    campaign = study.campaigns.get(name="By source")
    asked = (
        ScoreOptions(seed=5, resamples=50),
        ScoreOptions(scope="study", correction="holm"),
        ScoreOptions(raters="random", resamples=50),
        ScoreOptions(hypothesis=("BT", "OP"), population="system_items", interval="bca"),
    )
    for options in asked:
        campaign_score(campaign=campaign, options=options)
    study_score(study=study, options=ScoreOptions(scope="study", seed=9))
    package = study_export(study=study, output=tmp_path / "p").path
    files = list((package / "campaigns/By-source/scores").iterdir())
    assert len(files) == 2 + len(asked)
    assert len(list((package / "scores").iterdir())) == 3
    assert study_verify(package).differences == ()


def test_imported_judgements_and_unknown_texts(tmp_path):
    run("import_judgements", "names", FILES / "exp09_names.csv", "--format", "csv", "--languages", "en-de",
        "--protocol", "source_da")  # fmt: skip
    study = Study.objects.get(name="names")
    package = study_export(study=study, output=tmp_path / "p.zip").path
    assert study_verify(package).differences == ()


def test_conditions_with_several_inputs_and_references(tmp_path):
    lines = [
        "judgement,protocol,languages,scale,rater,testset,document,segment,direction,input,context,left,choice,"
        "score"
    ]
    for number in range(96):
        rater, segment = "uvw"[number % 3], number // 3 % 8 + 1
        input_, reference = ("X", "X2")[number // 24 % 2], ("r1", "r2")[number // 48]
        left = "A|B" if segment == 3 else ("A", "B")[number * 7 % 5 % 2]
        lines.append(
            f"j{number},reference_da,en-de,0-100,{rater},news,d{segment // 4},{segment},reverse,{input_},"
            f"{reference},{left},,{(number * 37) % 101}"
        )
    (tmp_path / "file.csv").write_text("\n".join(lines) + "\n", "utf-8")
    run("import_judgements", "many", tmp_path / "file.csv", "--format", "csv")
    study = Study.objects.get(name="many")
    campaign = study.campaigns.get()
    options = ScoreOptions(by_condition=True, unit="document")
    own = campaign_score(campaign=campaign, options=options).result
    package = study_export(study=study, output=tmp_path / "p").path
    assert study_verify(package).differences == ()
    (path,) = package.glob("campaigns/many/scores/options-*.json")
    packed = json.loads(path.read_text("utf-8"))
    assert len({(row["input"], row["reference"]) for row in own["systems"]}) == 4
    assert _same(packed["systems"], own["systems"]) and _same(packed["pairs"], own["pairs"])
    assert len(list((package / "mt-metrics-eval").iterdir())) == 2
    assert len(list(package.glob("mt-metrics-eval/news-X/human-scores/*-z.seg.score"))) == 2


def test_judgements_of_a_package_can_be_imported_again(study, tmp_path):
    package = study_export(study=study, output=tmp_path / "package").path
    own = campaign_score(campaign=study.campaigns.get(name="By source"), options=ScoreOptions()).result
    path = package / "campaigns/By-source/judgements.csv"
    run(
        "import_judgements",
        "again",
        path,
        "--format",
        "csv",
        "--study",
        "elsewhere",
        "--testset",
        "By source",
    )
    again = campaign_score(
        campaign=Study.objects.get(name="elsewhere").campaigns.get(), options=ScoreOptions()
    )
    assert _same(again.result["systems"], own["systems"])


def test_nothing_is_overwritten_and_nothing_half_written(study, tmp_path, monkeypatch):
    taken = tmp_path / "taken.zip"
    taken.write_text("mine", "utf-8")
    assert "exists already" in refused("export_study", study.name, "--output", taken)
    assert taken.read_text("utf-8") == "mine"
    assert "does not exist" in refused("export_study", study.name, "--output", tmp_path / "no" / "x.zip")
    assert "no study" in refused("export_study", "Nobody's")
    Study.objects.create(name="void")
    assert "no campaign" in refused("export_study", "void", "--output", tmp_path / "void.zip")

    def broken(*arguments, **options):
        raise OSError(28, "No space left on device", "x")

    monkeypatch.setattr("annotation.services.package_export.write_zip", broken)
    with pytest.raises(CommandError, match="No space left"):
        run("export_study", study.name, "--output", tmp_path / "new.zip")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["taken.zip"]


def test_campaigns_without_judgements_are_packed_without_scores(tmp_path):
    study = study_of(answered(name="one"), make_campaign(name="empty", raters=("zoe", "yan")))
    done = study_export(study=study, output=tmp_path / "p")
    assert done.notices == ("“empty” has no judgements yet.",)
    assert not (done.path / "campaigns/empty/scores").exists()
    assert study_verify(done.path).differences == ()


def test_pseudonyms_are_drawn_once_and_replace_whole_words(study):
    first = pseudonyms_ready(study)
    assert sorted(Study.objects.get(pk=study.pk).settings["pseudonyms"].values()) == [1, 2, 3]
    assert pseudonyms_ready(study).names == first.names
    study.raters.create(name="Doro")
    later = pseudonyms_ready(study)
    assert later.name("Doro") == "R004"
    assert {name: later.names[name] for name in RATERS} == dict(first.names)
    called = Pseudonyms({"ann": "R001", "ann lee": "R002", "7": "R003"})
    assert called.text("ann lee met ann, 7 times; annex") == "R002 met R001, 7 times; annex"
    assert called.plain({"raters": ["ann", "7"], "n": 7}) == {"raters": ["R001", "R003"], "n": 7}


@once
def test_file_names_are_plain_and_differ():
    assert slugs(["a/b", "a b", "A-B", "Ärger", "日本"]) == {
        "a/b": "a-b", "a b": "a-b-2", "A-B": "A-B-3", "Ärger": "Arger", "日本": "x",
    }  # fmt: skip
