"""Every command that prints CSV prints it exactly, or so that a spreadsheet takes no name for a formula."""

import csv
from io import StringIO

import pytest
from django.core.management import get_commands, load_command_class

from mtcore.corpora.spreadsheets import csv_flavoured
from mtcore.models import System
from tests.factories.commands import run
from tests.factories.files import write_lines
from tests.factories.metrics import import_scored_set
from tests.factories.reports import rated

FORMULA = '=HYPERLINK("x")'


def test_texts_are_guarded_and_numbers_stay_numbers():
    text = 'name,value\n=1+1,-0.5\n-x,-1e-05\n"＝ a,b",12\n\'=y,-\n"a\n-b",\n'
    made = csv_flavoured(text, "spreadsheet")
    assert made.startswith("\ufeffname,value\r\n") and made.endswith("\r\n")
    assert list(csv.reader(StringIO(made.removeprefix("\ufeff"), newline="")))[1:] == [
        ["'=1+1", "-0.5"], ["'-x", "-1e-05"], ["'＝ a,b", "12"], ["''=y", "'-"], ["a\n-b", ""],
    ]  # fmt: skip
    assert csv_flavoured(text, "exact") == text


def _choices(name, app):
    parser = load_command_class(app, name).create_parser("manage.py", name)
    return {flag: action.choices or () for action in parser._actions for flag in action.option_strings}


def test_every_command_that_prints_csv_has_both_flavours():
    apps = {name: app for name, app in get_commands().items() if app in ("annotation", "mtcore")}
    offered = {name: _choices(name, app) for name, app in apps.items() if not name.startswith("import_")}
    printing = {name for name, choices in offered.items() if "csv" in choices.get("--format", ())}
    assert {"score_outputs", "correlate", "score_campaign", "export_judgements"} <= printing
    without = [name for name in printing if "spreadsheet" not in offered[name].get("--flavour", ())]
    assert without == [], "add add_flavour_argument to these commands"


def _cells(text):
    return {cell for row in csv.reader(StringIO(text, newline="")) for cell in row}


def _check(*arguments):
    """Compare the flavours of what a command prints, in which the name occurs."""
    exact = run(*arguments, "--format", "csv")[0]
    assert FORMULA in _cells(exact) and "\r" not in exact
    safe = run(*arguments, "--format", "csv", "--flavour", "spreadsheet")[0]
    assert safe == csv_flavoured(exact, "spreadsheet") and safe.startswith("\ufeff")
    assert FORMULA not in _cells(safe) and f"'{FORMULA}" in _cells(safe)


@pytest.mark.django_db
@pytest.mark.once  # words made of the same numbers
def test_metrics_and_diversity_in_both_flavours(tmp_path):
    import_scored_set(tmp_path)
    System.objects.filter(name="A").update(name=FORMULA)
    _check("score_outputs", "demo", "--metrics", "bleu", "--resamples", 20, "--compare", FORMULA, "B")
    _check("direction_table", "demo")
    _check("measure_diversity", "--testset", "demo", "--measures", "ttr", "--resamples", 20)


@pytest.mark.django_db
@pytest.mark.once
def test_scores_of_people_in_both_flavours():
    campaign = rated()
    System.objects.filter(pk=campaign.outputs.order_by("pk")[0].system_id).update(name=FORMULA)
    _check("score_campaign", campaign.name)
    _check("score_campaign", campaign.name, "--table", "pairs")
    _check(
        "correlate", "--campaign", campaign.name, "--metrics", "bleu", "--resamples", 20, "--table", "points"
    )


def test_files_in_both_flavours(tmp_path):
    for name in ("-cmd", "ref"):
        write_lines(tmp_path / name, ["a b c d e", "f g h i j"])
    arguments = ["score_files", "--hypothesis", tmp_path / "-cmd", "--reference", tmp_path / "ref"]
    safe = run(*arguments, "--metrics", "bleu", "--format", "csv", "--flavour", "spreadsheet")[0]
    assert "'-cmd" in _cells(safe) and "-cmd" not in _cells(safe)
