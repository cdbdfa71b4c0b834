"""What verification of a package finds: whatever is altered, missing, broken or dangerous."""

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

from annotation.services.package_export import study_export
from annotation.services.verify import study_verify
from tests.factories.commands import refused, run
from tests.factories.package_files import alter, changed, fields, rows_changed
from tests.factories.studies import study_with_everything
from tests.paths import ROOT

pytestmark = pytest.mark.django_db
once = pytest.mark.once  # a package is files alone
FILES = ROOT / "tests" / "files"


@pytest.fixture
def study():
    return study_with_everything()


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
