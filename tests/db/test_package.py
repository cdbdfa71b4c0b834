"""The package of a study: whole, the same every time, without names, and every number can be checked."""

import csv
import io
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from django.core.management import CommandError

from annotation.models import AuditEvent, Campaign, Study
from annotation.services.package_export import study_export
from annotation.services.package_layout import file_entry, slugs, write_zip
from annotation.services.pseudonyms import Pseudonyms, pseudonyms_ready
from annotation.services.scoring import campaign_score
from annotation.services.study_scores import study_score
from annotation.services.verify import study_verify
from annotation.stats.options import ScoreOptions
from tests.factories.campaigns import make_campaign
from tests.factories.commands import refused, run
from tests.factories.studies import RATERS, answered, study_of, study_with_everything
from tests.paths import ROOT

pytestmark = pytest.mark.django_db
once = pytest.mark.once  # a package is files alone
FILES = ROOT / "tests" / "files"


@pytest.fixture
def study():
    return study_with_everything()


def alter(folder, name, change):
    """Change a file of a package and its hash in the manifest, as someone who cheats would."""
    path = folder / name
    before = path.read_text("utf-8")
    after = change(before)
    assert after != before
    path.write_text(after, "utf-8", newline="\n")
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    manifest["files"][name] = file_entry(path)
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")


def changed(change):
    """Return a change of a JSON text, made on its value."""

    def apply(text):
        value = json.loads(text)
        change(value)
        return json.dumps(value, ensure_ascii=False)

    return apply


def rows_changed(change):
    """Return a change of a CSV text, made on its rows."""

    def apply(text):
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
        change(rows)
        out = io.StringIO()
        writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return out.getvalue()

    return apply


def all_bytes(folder):
    return b"\n".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def fields(verified):
    return {(one.file, one.field) for one in verified.differences}


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


@once
def test_one_altered_score_is_found_though_its_hash_was_altered_too(package):
    name = "campaigns/By-source/scores/standard.json"

    def raise_z(result):
        result["systems"][1]["z_mean"] += 0.01

    alter(package, name, changed(raise_z))
    (one,) = study_verify(package).differences
    assert (one.file, one.field) == (name, "z_mean")
    assert "OP" in one.where and "By source" in one.where
    assert one.stored == pytest.approx(one.recomputed + 0.01)
    with pytest.raises(CommandError, match=r"not equal: 1 difference\(s\) in 1 file"):
        run("verify_study", package)


@once
def test_one_altered_judgement_is_found_though_its_hash_was_altered_too(package):
    def nudge(rows):
        own = next(
            row
            for row in rows
            if not row["excluded_by"] and row["current"] == "yes" and float(row["score"]) < 100
        )
        own["score"] = str(int(own["score"]) + 1)

    alter(package, "campaigns/By-reference/judgements.csv", rows_changed(nudge))
    found = fields(study_verify(package))
    assert ("campaigns/By-reference/judgements.csv", "z") in found
    assert ("campaigns/By-reference/scores/standard.json", "z_mean") in found
    assert ("scores/standard.json", "z_mean") in found
    assert not any(
        file.startswith("campaigns/By-source") for file, _ in found if file.endswith("judgements.csv")
    )


@once
def test_an_altered_choice_is_found(package):
    def turn(rows):
        own = next(row for row in rows if row["choice"] == "left")
        own["choice"] = "right"

    alter(package, "campaigns/Fluency/judgements.csv", rows_changed(turn))
    found = fields(study_verify(package))
    assert ("campaigns/Fluency/scores/standard.json", "a_better") in found


def _raised(text):
    """Make the first score that is not absent another one."""
    place = re.search(r"\t-?\d", text).end()
    return text[: place - 1] + str((int(text[place - 1]) + 1) % 10) + text[place:]


ALTERATIONS = [
    ("campaigns/By-reference/exclusions.csv", lambda text: text.replace("asleep", "away"), "excluded_by"),
    ("mt-metrics-eval/By-source/human-scores/en-de.By-source-z.seg.score", _raised, "score[1]"),
    ("scores/standard.json", changed(lambda one: one["groups"][1]["raters"].pop()), "the row"),
    ("scores/by-condition.json", changed(lambda one: one["options"].update(seed=2)), "options"),
    (
        "campaigns/Fluency/scores/standard.json",
        changed(lambda one: one["pairs"][0].update(identical=9)),
        "identical",
    ),
    ("campaigns/By-source/scores/standard.json", changed(lambda one: one.update(signature="x")), "signature"),
]


@once
@pytest.mark.parametrize(("name", "change", "field"), ALTERATIONS)
def test_whatever_is_altered_is_named(package, name, change, field):
    alter(package, name, change)
    assert (name, field) in fields(study_verify(package))


@once
def test_a_judgement_that_the_plan_misses_makes_a_note(package):
    alter(package, "campaigns/By-source/plan.csv", lambda text: text + re.sub(r"^[^,]+", "x", _last(text)))
    found = fields(study_verify(package))
    assert ("campaigns/By-source/scores/standard.json", "notes") in found


def _last(text):
    return text.splitlines(keepends=True)[-1]


@once
def test_what_another_version_did_not_say_is_no_difference_but_what_it_said_is(package):
    name = "campaigns/By-source/scores/standard.json"
    alter(package, name, changed(lambda one: one["systems"][0].pop("rank_range")))
    assert fields(study_verify(package)) == {(name, "rank_range")}
    manifest = json.loads((package / "manifest.json").read_text("utf-8"))
    manifest["versions"]["version"] = "0.0.9"
    (package / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    done = study_verify(package)
    assert any(notice.startswith("made with version 0.0.9") for notice in done.notices)
    assert {field for _, field in fields(done)} == {"signature"}
    alter(package, name, changed(lambda one: one["systems"][0].update(n_segments=1)))
    assert (name, "n_segments") in fields(study_verify(package))


@once
def test_files_that_are_altered_missing_or_added_are_named(package):
    guidelines = package / "campaigns/By-source/guidelines.md"
    guidelines.write_text(guidelines.read_text("utf-8") + "Be kind to BT.\n", "utf-8")
    (package / "campaigns/Fluency/scores/standard.json").unlink()
    (package / "extra.txt").write_text("x", "utf-8")
    found = fields(study_verify(package))
    assert ("campaigns/By-source/guidelines.md", "sha256") in found
    assert ("campaigns/Fluency/scores/standard.json", "the file") in found
    assert ("extra.txt", "the file") in found


def test_an_altered_text_is_found(study, tmp_path):
    package = study_export(study=study, output=tmp_path / "p", with_texts=True).path
    alter(package, "testsets/By-source/texts.csv", lambda text: text.replace("Source 1 ", "Sauce 1 "))
    assert fields(study_verify(package)) == {("testsets/By-source/texts.csv", "sha256")}


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


@pytest.mark.process
def test_verification_needs_no_database(package, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    environment = {key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "DATA_DIR")}
    environment |= {"DATA_DIR": str(home)}

    def verify(*arguments):
        return subprocess.run(
            [sys.executable, "manage.py", "verify_study", *map(str, arguments)],
            cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip

    done = verify(package)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("equal: ")
    assert not list(home.glob("*.sqlite3"))

    def lower(result):
        result["systems"][0]["raw_mean"] -= 1

    alter(package, "campaigns/By-source/scores/standard.json", changed(lower))
    done = verify(package)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "raw_mean" in done.stdout


def packed(path: Path, entries, **more):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name, data in entries:
            info = name if isinstance(name, zipfile.ZipInfo) else zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(info, data)
    return path


@once
def test_dangerous_packages_are_refused(tmp_path):
    for name in ("sec03_traversal.zip", "sec03_traversal.tar"):
        assert name == "sec03_traversal.tar" or "leads out" in refused("verify_study", FILES / name)
    assert "neither a folder nor a zip" in refused("verify_study", FILES / "sec03_traversal.tar")
    link = zipfile.ZipInfo("manifest.json")
    link.create_system = 3
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    assert "is a link" in refused("verify_study", packed(tmp_path / "link.zip", [(link, "/etc/passwd")]))
    bomb = packed(tmp_path / "bomb.zip", [("manifest.json", b"\0" * (20 * 1024 * 1024))])
    assert "times its size" in refused("verify_study", bomb)
    for name in ("../x", "/etc/x", "a/../../x", "..\\x", "C:x"):
        assert "leads out" in refused("verify_study", packed(tmp_path / "out.zip", [(name, "x")]))
    with pytest.warns(UserWarning, match="Duplicate"):
        twice = packed(tmp_path / "twice.zip", [("a", "1"), ("a", "2")])
    assert "there twice" in refused("verify_study", twice)
    assert not list(tmp_path.rglob("escape_*"))


@once
def test_links_in_a_folder_are_refused(package):
    (package / "link").symlink_to("/etc/passwd")
    assert "is a link" in refused("verify_study", package)


@once
@pytest.mark.parametrize(
    "name", ["study.json", "campaigns/By-source/campaign.json", "testsets/By-source/testset.json"]
)
@pytest.mark.parametrize("text", ["", "[]", "{}", '{"name": NaN}', "\udcff"])
def test_broken_files_are_named(package, name, text):
    (package / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    assert name in refused("verify_study", package)


def test_what_is_no_package_is_refused(tmp_path, package):
    assert "There is no" in refused("verify_study", tmp_path / "none")
    (tmp_path / "empty").mkdir()
    assert "manifest.json is not in the package" in refused("verify_study", tmp_path / "empty")
    (tmp_path / "bad.zip").write_bytes(b"PK\x03\x04nothing")
    assert "no usable zip" in refused("verify_study", tmp_path / "bad.zip")
    (package / "manifest.json").write_text('{"format": "other"}', "utf-8")
    assert "no package of a study" in refused("verify_study", package)
    shutil.rmtree(package)


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
