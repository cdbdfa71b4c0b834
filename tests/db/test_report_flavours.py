"""Tables of reports for spreadsheets: names that look like formulas stay text; the exact flavour is exact."""

import csv
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotation.models import Study
from annotation.services.report.tables import Column, Table, to_csv, to_spreadsheet
from mtcore.models import System
from tests.factories.commands import refused, run
from tests.factories.reports import rated

pytestmark = [pytest.mark.django_db, pytest.mark.once]  # words and files made of the same numbers
FORMULA = "=HYPERLINK(1)"


@pytest.fixture
def campaign():
    made = rated()
    System.objects.filter(pk=made.outputs.order_by("pk")[0].system_id).update(name=FORMULA)
    return made


@pytest.fixture
def client():
    made = Client()
    made.force_login(User.objects.create_superuser("ann"))
    return made


def names(text):
    return {row["system"] for row in csv.DictReader(StringIO(text.removeprefix("\ufeff"), newline=""))}


def test_a_table_comes_exact_or_for_spreadsheets(campaign, client):
    address = reverse("report_table", args=[campaign.key, "ranking", "csv"])
    assert FORMULA in names(client.get(address).content.decode())
    safe = client.get(address, {"flavour": "spreadsheet"}).content.decode()
    assert safe.startswith("\ufeff") and f"'{FORMULA}" in names(safe) and FORMULA not in names(safe)
    assert client.get(address, {"flavour": "odd"}).status_code == 400
    page = client.get(reverse("campaign_report", args=[campaign.key])).content.decode()
    assert f"{address}?flavour=spreadsheet" in page


def test_a_trace_and_a_study_too(campaign, client):
    trace = reverse("campaign_trace", args=[campaign.key])
    safe = client.get(trace, {"system": FORMULA, "format": "csv", "flavour": "spreadsheet"}).content.decode()
    assert safe.startswith("\ufeff")
    study = reverse("study_report", args=[Study.objects.get().pk])
    page = client.get(study).content.decode()
    assert "flavour=spreadsheet" in page


def test_the_command_writes_either(campaign, tmp_path):
    run("report_campaign", campaign.name, "--output", tmp_path / "exact")
    run("report_campaign", campaign.name, "--output", tmp_path / "safe", "--flavour", "spreadsheet")
    read = {
        name: (tmp_path / name / "tables" / "ranking.csv").read_bytes().decode() for name in ("exact", "safe")
    }
    assert FORMULA in names(read["exact"]) and FORMULA not in names(read["safe"])
    assert "flavour" in refused("report_campaign", campaign.name, "--flavour", "odd")


def test_numbers_are_the_same_in_both():
    columns = [Column("name", "Name"), Column("of", "Of", "interval", 2), Column("n", "N", "count")]
    table = Table("t", "T", columns, [{"name": "-x", "of": (-0.25, 1.5), "n": 3}, {"name": "b"}])
    exact = list(csv.reader(StringIO(to_csv(table, "s"))))
    safe = list(csv.reader(StringIO(to_spreadsheet(table, "s").removeprefix("\ufeff"), newline="")))
    assert exact[1] == ["-x", "-0.25", "1.5", "3", "s"]
    assert safe == [exact[0], ["'-x", *exact[1][1:]], exact[2]]
