"""What a package says of itself fits together, and whatever breaks that is named; damage is named too."""

import json
import os
import random
import re
import subprocess
import sys
import zipfile

import pytest
from django.core.management import CommandError

from annotation.models import Assignment, Campaign, Participation
from annotation.services.package_export import study_export
from annotation.services.package_files import sha256_of
from annotation.services.package_layout import file_entry
from annotation.services.quality import rater_exclude
from annotation.services.rounds import round_assign
from annotation.services.verify import study_verify
from evalplatform.leftovers import leftovers_remove
from tests.db.test_disagreement_round import answer, judged
from tests.factories.answers import answer_all
from tests.factories.campaigns import make_campaign
from tests.factories.commands import refused, run
from tests.factories.package_files import alter, changed, fields, rows_changed
from tests.factories.pool import joined, work
from tests.factories.studies import answered, study_of

pytestmark = [pytest.mark.django_db, pytest.mark.once]  # files alone are read and compared
SOURCE = "campaigns/By-source"


def set_cell(row, **cells):
    return rows_changed(lambda rows: rows[row].update(cells))


def dropped(row):
    return rows_changed(lambda rows: rows.pop(row))


def without_numbers(text):
    """Drop the last row of a table with its line end."""
    return "".join(text.splitlines(keepends=True)[:-1])


ALTERATIONS = [
    (
        f"{SOURCE}/exclusions.csv",
        lambda text: text + "R009,invented,2026-01-01T00:00:00+00:00,0\n",
        "exclusions",
    ),
    (
        f"{SOURCE}/exclusions.csv",
        lambda text: text + "R001,invented,2026-01-01T00:00:00+00:00,99\n",
        "judgements",
    ),
    ("campaigns/By-reference/exclusions.csv", without_numbers, "excluded_by"),
    ("campaigns/By-reference/exclusions.csv", set_cell(0, judgements="1"), "judgements"),
    (f"{SOURCE}/plan.csv", dropped(0), "assignment"),
    (f"{SOURCE}/plan.csv", set_cell(0, segment="none"), "the item"),
    (f"{SOURCE}/plan.csv", set_cell(0, item="i999"), "item"),
    (f"{SOURCE}/plan.csv", set_cell(0, input="elsewhere"), "input"),
    (f"{SOURCE}/judgements.csv", set_cell(0, document="elsewhere"), "document"),
    (f"{SOURCE}/judgements.csv", set_cell(0, testset="elsewhere"), "testset"),
    (f"{SOURCE}/judgements.csv", set_cell(0, input="elsewhere"), "input"),
    (f"{SOURCE}/campaign.json", changed(lambda one: one["outputs"][0].update(system="other")), "system"),
    (f"{SOURCE}/items.csv", dropped(0), "item"),
    (f"{SOURCE}/items.csv", set_cell(0, systems="other"), "systems"),
    (f"{SOURCE}/judgements.csv", set_cell(0, item="i999"), "item"),
    (f"{SOURCE}/judgements.csv", set_cell(0, kind="repeat"), "kind"),
    (f"{SOURCE}/judgements.csv", set_cell(0, position="99"), "position"),
    (f"{SOURCE}/campaign.json", changed(lambda one: one["counts"].update(plan=1)), "plan"),
    (f"{SOURCE}/campaign.json", changed(lambda one: one.pop("raters")), "rater"),
    ("audit.jsonl", lambda text: "", "the event"),
    ("README.md", lambda text: text.replace("By source", "Elsewhere"), "the text"),
]


@pytest.mark.parametrize(("name", "change", "field"), ALTERATIONS)
def test_what_no_number_depends_on_must_fit_the_rest(package, name, change, field):
    alter(package, name, change)
    assert field in {one for _, one in fields(study_verify(package))}


@pytest.mark.parametrize(
    "name", ["README.md", "audit.jsonl", f"{SOURCE}/guidelines.md", f"{SOURCE}/items.csv"]
)
def test_files_that_every_package_has_are_missed(package, name):
    (package / name).unlink()
    manifest = json.loads((package / "manifest.json").read_text("utf-8"))
    del manifest["files"][name]
    (package / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    assert (name, "the file") in fields(study_verify(package))


def test_an_unknown_way_of_counting_what_was_judged_again_is_refused(package):
    alter(package, f"{SOURCE}/campaign.json", changed(lambda one: one.update(judged_again="all")))
    assert "judged_again is 'all'" in refused("verify_study", package)


def test_a_scale_of_one_number_is_refused(package):
    alter(package, f"{SOURCE}/campaign.json", changed(lambda one: one.update(scale=[1])))
    assert "campaign.json is not what a package holds there" in refused("verify_study", package)


def test_the_fingerprint_finds_what_nothing_depends_on(package):
    before = study_verify(package)
    assert before.fingerprint == sha256_of((package / "manifest.json").read_bytes())
    alter(package, f"{SOURCE}/guidelines.md", lambda text: text + "Be kind.\n")
    after = study_verify(package)
    assert after.differences == ()
    assert after.fingerprint != before.fingerprint


def test_the_fingerprint_is_printed(tmp_path):
    study = study_of(answered(name="one"))
    out, _ = run("export_study", study.name, "--output", tmp_path / "p")
    fingerprint = file_entry(tmp_path / "p" / "manifest.json")["sha256"]
    assert fingerprint in out
    assert fingerprint in run("verify_study", tmp_path / "p")[0]
    assert "fingerprint" in (tmp_path / "p" / "README.md").read_text("utf-8")


@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 70 + "1" + "}" * 70])
@pytest.mark.parametrize("name", ["manifest.json", "study.json", f"{SOURCE}/scores/standard.json"])
def test_json_that_nests_too_deeply_is_damage(package, name, text):
    (package / name).write_text(text, "utf-8")
    message = refused("verify_study", package)
    assert "damaged" in message and name in message


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_damaged_data_in_a_zip_is_named(tmp_path, method):
    path = tmp_path / "p.zip"
    with zipfile.ZipFile(path, "w", method) as target:
        target.writestr("manifest.json", os.urandom(500).hex())
    data = bytearray(path.read_bytes())
    data[60:200] = b"\xff" * 140
    path.write_bytes(data)
    message = refused("verify_study", path)
    assert "damaged" in message and "manifest.json" in message


def test_what_a_killed_export_left_is_removed(tmp_path):
    study = study_of(answered(name="one"))
    code = (
        "import sys, time; from pathlib import Path; from evalplatform.leftovers import part_folder\n"
        "with part_folder(Path(sys.argv[1])) as work: print(work.name, flush=True); time.sleep(600)"
    )
    output = tmp_path / "p.zip"
    living = subprocess.Popen([sys.executable, "-c", code, output], stdout=subprocess.PIPE, text=True)
    name = living.stdout.readline().strip()
    try:
        assert re.fullmatch(rf"\.p\.zip\.[0-9a-f]{{8}}-{living.pid}\..+\.part", name)
        assert leftovers_remove(output) == []
        assert (tmp_path / name).is_dir()
    finally:
        living.kill()
        living.wait()
        living.stdout.close()
    assert (tmp_path / name).is_dir()
    _, err = run("export_study", study.name, "--output", output)
    assert name in err and "killed" in err
    assert [path.name for path in tmp_path.iterdir()] == ["p.zip"]


def test_a_full_disk_is_told_with_the_file_that_was_written(tmp_path, monkeypatch):
    study = study_of(answered(name="one"))

    def broken(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("annotation.services.package_export.write_zip", broken)
    monkeypatch.setattr("annotation.management.commands.export_plan.plan_export", broken)
    monkeypatch.setattr("annotation.management.commands.export_judgements.judgements_export", broken)
    for command, name in (("export_study", study.name), ("export_plan", "one"), ("export_judgements", "one")):
        output = tmp_path / f"{command}.zip"
        with pytest.raises(CommandError, match=rf"{output}: No space left"):
            run(command, name, "--output", output)


def test_raters_who_left_and_raters_excluded_before_they_began_are_no_contradiction(tmp_path):
    campaign = make_campaign(name="left", raters=("Anneliese", "Bartholomew", "Cosima", "Dora"), judgements=2)
    answer_all(campaign, share=0.5)
    run("withdraw_rater", "left", "Cosima")
    Participation.objects.filter(campaign=campaign, rater__name="Dora").update(excluded_by="never came")
    Participation.objects.filter(campaign=campaign, rater__name="Cosima").update(excluded_by="left")
    done = study_export(study=study_of(campaign), output=tmp_path / "p")
    assert study_verify(done.path).differences == ()


def test_a_study_in_the_middle_of_its_work_is_equal_and_one_altered_score_is_found(tmp_path):
    triples = [((10, 50, 90), True, False), ((20, 60, 95), True, False), ((50, 50, 50), False, False)]
    again = judged(name="again", triples=triples)
    round_assign(campaign=again)
    answer(Assignment.objects.filter(item__campaign=again, round=2, state="open").first(), 33)
    paused = answered(name="paused", n_segments=4)
    Campaign.objects.filter(pk=paused.pk).update(state=Campaign.State.PAUSED)
    without = answered("reference_da", name="without", n_segments=4, seed=2)
    rater_exclude(campaign=without, rater="Cosima", why="asleep")
    pool = make_campaign(name="pool", n_segments=4, raters=("Dora", "Emil", "Frida"), pool=True)
    rng = random.Random(1)
    for name in ("Dora", "Emil"):
        work(joined(pool, name), 5, rng)
    waiting = Assignment.objects.filter(item__campaign=again, round=2)
    assert waiting.filter(state="done").count() == 1 and waiting.filter(state="open").exists()
    folder = study_export(study=study_of(again, paused, without, pool), output=tmp_path / "p").path
    verified = study_verify(folder)
    assert verified.differences == ()
    assert {path.parent.name for path in folder.glob("campaigns/*/judgements.csv")} == {
        "again", "paused", "without", "pool",
    }  # fmt: skip
    alter(folder, "campaigns/pool/judgements.csv", rows_changed(lambda rows: rows[0].update(score="37.5")))
    found = study_verify(folder)
    assert ("campaigns/pool/judgements.csv", "z") in fields(found)
    others = [one.file for one in found.differences if one.file.startswith("campaigns/")]
    assert all(file.startswith("campaigns/pool/") for file in others)
