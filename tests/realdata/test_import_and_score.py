"""Published judgements, imported and scored by the commands, give the published rankings."""

import pytest

from tests.factories.commands import run
from tests.factories.published import check_ranking, official, scores
from tests.paths import DATA, needs_data

pytestmark = [pytest.mark.django_db, needs_data]
HUMAN = DATA / "human"


def test_bnhi_equals_the_official_ranking():
    run(
        "import_judgements", "bn-hi", str(HUMAN / "wmt21-bnhi-da" / "judgments.tsv"), "--format", "csv",
        "--protocol", "reference_da", "--languages", "bn-hi",
        "--map", "rater=rater,system=system,segment=line,kind=item_type,score=raw",
    )  # fmt: skip
    result = scores("bn-hi", "--clusters", "wmt", "--resamples", "50")
    check_ranking(result, official(HUMAN / "wmt21-bnhi-da" / "official.tsv"))


def test_an_appraise_export_gives_its_ranking():
    folder = HUMAN / "wmt22-enliv-appraise"
    run("import_judgements", "enliv", str(folder / "appraise-export.csv"), "--format", "appraise")
    result = scores("enliv", "--population", "system_items", "--resamples", "50")
    check_ranking(result, official(folder / "computed-ranking.tsv"))


@pytest.mark.parametrize(
    ("pair", "swaps"),
    [
        ("tur-eng", []),
        ("deu-eng", [("newstest2016.online-A.0.de-en", "newstest2016.uedin-syntax.4271.de-en")]),
    ],
)
def test_rankings_give_expected_wins_in_the_official_order(pair, swaps):
    run(
        "import_judgements", pair, str(DATA / "pairwise" / f"wmt16.{pair}.csv"),
        "--format", "wmt16-ranking",
    )  # fmt: skip
    lines = (DATA / "pairwise" / "official" / f"wmt16.{pair}.txt").read_text("utf-8").splitlines()
    order = [line.split()[0] for line in lines if not line.startswith("+")]
    for first, second in swaps:
        place = order.index(first)
        assert order[place + 1] == second
        order[place : place + 2] = [second, first]
    result = scores(pair, "--resamples", "50", "--preference-resamples", "1000")
    assert [row["system"] for row in result["systems"]] == order


def test_one_changed_score_moves_only_what_depends_on_it(tmp_path):
    """One score moves one raw mean, and the mean and spread of one rater (hence some z)."""
    lines = (HUMAN / "wmt21-bnhi-da" / "judgments.tsv").read_text("utf-8").splitlines()
    options = (
        "--format", "csv", "--protocol", "reference_da", "--languages", "bn-hi",
        "--map", "rater=rater,system=system,segment=line,kind=item_type,score=raw",
    )  # fmt: skip
    cells = lines[1].split("\t")
    header = lines[0].split("\t")
    system, rater = cells[header.index("system")], cells[header.index("rater")]
    cells[header.index("raw")] = "0" if cells[header.index("raw")] != "0" else "100"
    changed = tmp_path / "changed.tsv"
    changed.write_text("\n".join([lines[0], "\t".join(cells), *lines[2:]]) + "\n", encoding="utf-8")
    run("import_judgements", "before", str(HUMAN / "wmt21-bnhi-da" / "judgments.tsv"), *options)
    run("import_judgements", "after", str(changed), *options)
    before, after = scores("before", "--resamples", "2"), scores("after", "--resamples", "2")
    old, new = ({row["system"]: row for row in result["systems"]} for result in (before, after))
    moved = {name for name in old if old[name]["raw_mean"] != new[name]["raw_mean"]}
    assert moved == {system}
    for name in old:
        for column in ("n_segments", "n_judgements", "n_z", "n_raters"):
            assert old[name][column] == new[name][column]
    old_raters, new_raters = ({r["rater"]: r for r in result["raters"]} for result in (before, after))
    assert {name for name in old_raters if old_raters[name] != new_raters[name]} == {rater}
