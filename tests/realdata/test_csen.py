"""WMT22 cs-en, imported once: its official ranking, its package, and the known correlations of metrics."""

import contextlib

import pytest
from django.db import transaction

from tests.factories.commands import run
from tests.factories.correlation import correlated, result_of
from tests.factories.published import check_ranking, import_set, official, published, scores
from tests.paths import DATA, needs_data

pytestmark = [pytest.mark.django_db, needs_data]
FOLDER = DATA / "human" / "wmt22-csen-da"


class _Undo(Exception):
    """Leave a transaction without a trace."""


@pytest.fixture(scope="module")
def csen(django_db_setup, django_db_blocker):
    """Import texts, outputs and judgements for all tests here; the database is left as it was."""
    with django_db_blocker.unblock(), contextlib.suppress(_Undo), transaction.atomic():
        import_set("csen", FOLDER, "cs-en", "source.cs", ("B", "reference.B.en"), ("C", "reference.C.en"))
        out, _ = run(
            "import_judgements", "cs-en", FOLDER / "judgments.tsv", "--format", "csv",
            "--protocol", "reference_da", "--languages", "cs-en", "--testset", "csen",
            "--map", "rater=rater,system=system,segment=line,kind=item_type,score=raw,group=hit_id",
        )  # fmt: skip
        assert "25,070 judgements" in out and "156 raters and 12 systems" in out
        yield
        raise _Undo


def test_it_equals_the_official_ranking_and_its_package_its_judgements(csen, tmp_path):
    result = scores("cs-en", "--clusters", "wmt", "--resamples", "50")
    check_ranking(result, official(FOLDER / "official.tsv"))
    run("create_study", "WMT")
    run("add_to_study", "WMT", "--campaign", "cs-en")
    package = tmp_path / "wmt.zip"
    out, err = run("export_study", "WMT", "--output", package)
    assert "1 campaign(s)" in out and not err
    out, err = run("verify_study", package)
    assert out.startswith("equal: ") and "from 25,070 judgements" in out
    assert not err


def test_metrics_agree_with_people_as_is_known(csen):
    arguments = ("--campaign", "cs-en", "--metrics", "bleu,chrf", "--resamples", 100)
    found = correlated(*arguments, "--segments", "all")
    chrf = result_of(found, level="system", metric="chrf")
    assert chrf["n"] == 11 and chrf["left_out"] == ["HUMAN-C"]
    estimates = chrf["estimates"]
    assert round(estimates["pearson"]["value"], 3) == 0.960
    assert round(estimates["kendall"]["value"], 3) == 0.782
    bleu = result_of(found, level="system", metric="bleu")["estimates"]
    assert bleu["pearson"]["value"] == pytest.approx(0.965, abs=0.001)
    known = published(FOLDER / "sacrebleu-2.6.0.tsv", "B", "chrf2")
    points = {row["system"]: row for row in found["points"]}
    for system, value in known.items():
        assert points[system]["metrics"]["chrf"]["value"] == pytest.approx(value, abs=5e-5)
    # the MTurk scores are noisy: r = .06 over segments
    assert round(result_of(found, level="segment", metric="chrf")["estimates"]["pearson"]["value"], 2) == 0.06
    same = result_of(correlated(*arguments), level="system", metric="chrf")
    assert same["n_segments"] < chrf["n_segments"] == 11 * 1448
    assert same["estimates"]["pearson"]["value"] == pytest.approx(0.960, abs=0.002)
