"""The ranking with each rater, document and condition left out: by hand, against a new start, the edges."""

import json
from dataclasses import replace

import numpy as np
import pytest

from annotation.stats.aggregate import aggregate
from annotation.stats.options import OptionsError, ScoreOptions
from annotation.stats.records import Entry, Rating, RatingTable
from annotation.stats.robustness import RobustnessError, leave_one_out, rank_sum_p_values
from annotation.stats.score import score_ratings
from annotation.stats.significance import rank_sum_p, sorted_sample
from annotation.stats.standardise import standardise


def campaign(seed: int = 1, systems: str = "ABCD") -> list[Rating]:
    """Draw an unbalanced campaign with two conditions, repeats, control items and a constant rater."""
    rng = np.random.default_rng(seed)
    ratings = []
    for _ in range(240):
        rater = f"r{rng.integers(6)}"
        system = systems[rng.integers(len(systems))]
        kind = str(rng.choice(["system", "system", "system", "repeat", "bad_reference"]))
        score = 50.0 if rater == "r5" else float(rng.integers(0, 101)) / 2 + 10 * systems.index(system)
        entry = Entry(system, "t", str(rng.choice(["X", "X**"])))
        ratings.append(Rating(rater, (entry,), int(rng.integers(20)), "t", score, kind))
    ratings.append(ratings[0]._replace(systems=(Entry("A", "t", "X"), Entry("B", "t", "X"))))
    ratings.append(ratings[1]._replace(systems=(Entry("A", "t", "X"), Entry("A", "t", "X**"))))
    ratings.append(ratings[2]._replace(rater="gone", excluded_by="left"))
    return ratings


DOCUMENTS = {("t", number): f"doc{number // 4}" for number in range(18)}


def z_means(ratings: list[Rating], population: str, repeats: str) -> dict[str, float | None]:
    table = RatingTable.from_ratings(ratings).by_system().canonical()
    averages = aggregate(table, standardise(table, population).z, repeats)
    return {
        entry.system: None if np.isnan(mean) else float(mean)
        for entry, mean in zip(averages.entries, averages.z_mean, strict=True)
    }


def without(ratings: list[Rating], kind: str, name: str) -> list[Rating]:
    if kind == "rater":
        return [rating for rating in ratings if rating.rater != name]
    if kind == "document":
        return [rating for rating in ratings if DOCUMENTS.get(("t", rating.segment)) != name]
    stay = [
        rating._replace(systems=tuple(entry for entry in rating.systems if f"t · {entry.input}" != name))
        for rating in ratings
    ]
    return [rating for rating in stay if rating.systems]


@pytest.mark.parametrize("population", ["all", "system_items"])
@pytest.mark.parametrize("repeats", ["flat", "within_rater_first"])
def test_leaving_out_is_a_new_start_without(population: str, repeats: str):
    ratings = campaign()
    found = leave_one_out(RatingTable.from_ratings(ratings), DOCUMENTS, population, repeats)
    names = [row["system"] for row in found["systems"]]
    full = z_means(ratings, population, repeats)
    assert [row["z_mean"] for row in found["systems"]] == pytest.approx(
        [full[name] for name in names], abs=1e-9
    )
    kinds = {(row["kind"], row["name"]) for row in found["left_out"]}
    assert kinds == {("rater", f"r{n}") for n in range(5)} | {("document", f"doc{n}") for n in range(5)} | {
        ("condition", "t · X"), ("condition", "t · X**"),
    }  # fmt: skip
    for row in found["left_out"]:
        rest = without(ratings, row["kind"], row["name"])
        expected = z_means(rest, population, repeats)
        assert row["z_means"] == pytest.approx([expected[name] for name in names], abs=1e-9)
        assert row["order"] == sorted(names, key=lambda name: -expected[name])
        counted = [r for r in ratings if r.kind != "bad_reference" and not r.excluded_by]
        left = len(counted) - len(without(counted, row["kind"], row["name"]))
        assert row["n_judgements"] == left
    json.dumps(found, allow_nan=False)


def test_what_only_quality_control_is_credited_to_is_no_system():
    ratings = campaign()
    ratings += [one._replace(systems=(Entry("attention"),), kind="attention") for one in ratings[:20]]
    ratings += [
        one._replace(systems=(Entry("reference", "t"),), kind="reference", score=99.0)
        for one in ratings[20:40]
    ]
    found = leave_one_out(RatingTable.from_ratings(ratings), DOCUMENTS)
    assert [row["system"] for row in found["systems"]] == ["D", "C", "B", "A"]
    assert all(None not in row["ranks"] for row in found["left_out"])
    for summary in found["summary"]:
        assert summary["n_same_order"] == sum(
            not row["flips"] for row in found["left_out"] if row["kind"] == summary["kind"]
        )
    with pytest.raises(OptionsError, match="has no ratings"):
        score_ratings(RatingTable.from_ratings(ratings), ScoreOptions(hypothesis=("attention", "A")))


def test_wins_are_those_of_the_scores():
    ratings = campaign(seed=2)
    found = leave_one_out(RatingTable.from_ratings(ratings), DOCUMENTS)
    by_system = RatingTable.from_ratings(ratings)
    wins = {row["system"]: row["wins"] for row in score_ratings(by_system)["systems"]}
    assert {row["system"]: row["wins"] for row in found["systems"]} == wins
    for row in found["left_out"]:
        rest = RatingTable.from_ratings(without(ratings, row["kind"], row["name"]))
        now = {one["system"]: one["wins"] for one in score_ratings(rest)["systems"]}
        change = dict.fromkeys(wins, 0)
        for winner, _ in row["wins_gained"]:
            change[winner] += 1
        for winner, _ in row["wins_lost"]:
            change[winner] -= 1
        assert now == {name: wins[name] + change[name] for name in wins}


def test_all_rank_sums_at_once_are_those_of_each_pair():
    rng = np.random.default_rng(3)
    z = rng.integers(0, 6, (5, 30)) / 3.0 + rng.normal(0, 0.2, (5, 30)).round(1)
    z[rng.random((5, 30)) < 0.3] = np.nan
    z[3, 1:] = np.nan
    found = rank_sum_p_values(z)
    for a in range(5):
        for b in range(5):
            if 3 in (a, b):
                assert np.isnan(found[a, b])
            elif a != b:
                expected = rank_sum_p(sorted_sample(z[a]), sorted_sample(z[b]))
                assert found[a, b] == pytest.approx(expected, rel=1e-9)
    assert (rank_sum_p_values(np.ones((2, 4))) == 1.0).all()


def test_a_rater_who_makes_the_ranking_is_named():
    """Two raters prefer A a little on their own segments, one prefers B a lot on his."""
    scores = {"r1": (60, 55), "r2": (60, 55), "r3": (20, 90)}
    ratings = [
        Rating(rater, (Entry(system),), f"{rater}{segment}", "t", score + segment % 3)
        for rater, pair in scores.items()
        for segment in range(10 if rater == "r3" else 4)
        for system, score in zip("AB", pair, strict=True)
    ]
    found = leave_one_out(RatingTable.from_ratings(ratings))
    assert [row["system"] for row in found["systems"]] == ["B", "A"]
    by_name = {row["name"]: row for row in found["left_out"]}
    assert by_name["r3"]["order"] == ["A", "B"]
    assert by_name["r3"]["flips"] == [["B", "A"]]
    assert by_name["r3"]["kendall_tau"] == -1
    assert by_name["r3"]["ranks"] == [2, 1]
    assert by_name["r1"]["flips"] == []
    (summary,) = found["summary"]
    assert (summary["n"], summary["n_same_order"], summary["n_same_first"]) == (3, 2, 2)
    assert summary["lowest_tau"] == {"name": "r3", "kendall_tau": -1.0}
    assert summary["words"].startswith(
        "3 raters left out in turn: the order holds 2 times, the first place 2"
    )
    assert found["systems"][0]["least"]["name"] == "r3"
    assert found["caveats"] == [
        "there are no two documents, so none can be left out",
        "there are no two conditions, so none can be left out",
    ]


def test_one_rater_and_one_system_are_numbers_with_their_caveats():
    ratings = [Rating("r", (Entry("A"),), number, "t", float(number)) for number in range(5)]
    found = leave_one_out(RatingTable.from_ratings(ratings), {("t", n): f"d{n % 2}" for n in range(5)})
    assert [row["kind"] for row in found["left_out"]] == ["document", "document"]
    assert all(row["kendall_tau"] is None for row in found["left_out"])
    assert "there are no two raters, so none can be left out" in found["caveats"]
    json.dumps(found, allow_nan=False)


def test_a_system_that_only_one_rater_judged_has_no_rank_without_him():
    ratings = [
        Rating("r1", (Entry("A"),), 1, "t", 10.0),
        Rating("r1", (Entry("A"),), 2, "t", 20.0),
        Rating("r2", (Entry("B"),), 1, "t", 10.0),
        Rating("r2", (Entry("B"),), 2, "t", 30.0),
    ]
    found = leave_one_out(RatingTable.from_ratings(ratings))
    (first, second) = found["left_out"]
    assert (first["name"], first["ranks"], first["z_means"]) == ("r1", [None, 1], [None, 0.0])
    assert second["order"] == ["A"]
    assert found["summary"][0]["n_same_order"] == 0
    json.dumps(found, allow_nan=False)


def test_equal_scores_and_no_ratings_are_refused():
    ratings = [Rating("r", (Entry("A"),), number, "t", 3.0) for number in range(5)]
    for given in (ratings, []):
        with pytest.raises(RobustnessError, match="no rating has a z"):
            leave_one_out(RatingTable.from_ratings(given))
    with pytest.raises(ValueError, match="population must be one of"):
        leave_one_out(RatingTable.from_ratings(ratings), population="none")
    with pytest.raises(ValueError, match="repeats must be one of"):
        leave_one_out(RatingTable.from_ratings(ratings), repeats="none")


def test_a_rater_constant_outside_a_document_has_no_z_without_it():
    ratings = [
        *(Rating("r1", (Entry("AB"[n % 2]),), n, "t", 33.3) for n in range(2, 40)),
        *(Rating("r1", (Entry("AB"[n]),), n, "t", 7.1 + 80 * n) for n in range(2)),
        *(Rating("r2", (Entry("AB"[n % 2]),), n, "t", 10.0 * (n % 5)) for n in range(10)),
    ]
    documents = {("t", n): "varied" if n < 2 else "same" for n in range(40)}
    found = leave_one_out(RatingTable.from_ratings(ratings), documents)
    (row,) = [row for row in found["left_out"] if row["name"] == "varied"]
    expected = z_means([rating for rating in ratings if rating.segment >= 2], "all", "flat")
    names = [one["system"] for one in found["systems"]]
    assert row["z_means"] == pytest.approx([expected[name] for name in names], abs=1e-9)
    assert max(abs(z) for z in row["z_means"]) < 1


def test_too_many_to_leave_out_is_said(monkeypatch):
    table = RatingTable.from_ratings(campaign(seed=4))
    monkeypatch.setattr("annotation.stats.robustness.MOST_CELLS", 10)
    found = leave_one_out(table, DOCUMENTS)
    assert found["systems"][0]["wins"] is None
    assert found["left_out"][0]["wins_lost"] is None
    assert "no wins are given" in found["caveats"][0]
    monkeypatch.setattr("annotation.stats.robustness.MOST_GROUPS", 4)
    found = leave_one_out(replace(table), DOCUMENTS)
    assert {row["kind"] for row in found["left_out"]} == {"condition"}
    assert any("documents are too many" in caveat for caveat in found["caveats"])
