"""A report prints the κ that WMT16 published for its rankings."""

import pytest

from tests.factories.commands import run
from tests.paths import DATA, needs_data

pytestmark = [pytest.mark.django_db, needs_data]


@pytest.mark.parametrize(
    ("pair", "kappa", "agreeing"),
    [
        ("deu-eng", ".475", "749 of 1,076"),
        pytest.param("tur-eng", ".319", "349 of 630", marks=pytest.mark.long),
    ],
)
def test_the_report_has_the_published_kappa(pair, kappa, agreeing):
    path = DATA / "pairwise" / f"wmt16.collapsed.{pair}.csv.gz"
    run("import_judgements", pair, path, "--format", "wmt16-ranking")
    text, _ = run("report_campaign", pair, "--resamples", "20", "--preference-resamples", "200")
    row = next(line for line in text.splitlines() if "as published" in line)
    assert kappa in row and f"{agreeing} pairs agree" in row
    assert "sides turned round" in text
