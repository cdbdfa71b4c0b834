"""The mixed model: balanced designs by hand, statsmodels, Satterthwaite, and the edges."""

import json
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from scipy import stats
from statsmodels.stats.anova import anova_lm

from annotation.stats.mixed import MixedModelError, MixedOptions, fit_mixed
from annotation.stats.mixed_algebra import CrossedModel, Family
from annotation.stats.records import Entry, Rating, RatingTable


def crossed(
    raters: int = 5,
    segments: int = 8,
    systems: int = 3,
    repeats: int = 1,
    seed: int = 1,
    sd: tuple[float, float, float, float, float] = (6.0, 3.0, 5.0, 3.0, 4.0),
) -> list[Rating]:
    """Draw a fully crossed campaign; sd of rater, rater × system, segment, output, error."""
    rng = np.random.default_rng(seed)
    rater, favour = rng.normal(0, sd[0], raters), rng.normal(0, sd[1], (raters, systems))
    segment, output = rng.normal(0, sd[2], segments), rng.normal(0, sd[3], (segments, systems))
    return [
        Rating(
            f"r{r}",
            (Entry(f"S{e}"),),
            s,
            "t",
            50 + 4 * e + rater[r] + favour[r, e] + segment[s] + output[s, e] + rng.normal(0, sd[4]),
            "system" if k == 0 else "repeat",
        )
        for r in range(raters)
        for s in range(segments)
        for e in range(systems)
        for k in range(repeats)
    ]


def fit(ratings: list[Rating], **options: object) -> dict:
    return fit_mixed(RatingTable.from_ratings(ratings), MixedOptions(**options))  # type: ignore[arg-type]


def columns(ratings: list[Rating]) -> pd.DataFrame:
    data = {
        "y": [rating.score for rating in ratings],
        "rater": [rating.rater for rating in ratings],
        "segment": [str(rating.segment) for rating in ratings],
        "system": [rating.systems[0].system for rating in ratings],
        "rs": [rating.rater + rating.systems[0].system for rating in ratings],
        "output": [f"{rating.segment}{rating.systems[0].system}" for rating in ratings],
        "one": [1] * len(ratings),
    }
    return pd.DataFrame(data)


def dense(terms: list, variances: list[float], residual: float = 1.0) -> np.ndarray:
    v = residual * np.eye(len(terms[0]))
    for codes, variance in zip(terms, variances, strict=True):
        v += variance * (codes[:, None] == codes)
    return v


def test_a_balanced_campaign_has_the_variances_of_its_analysis_of_variance():
    ratings = crossed(raters=6, segments=10, systems=3)
    found = fit(ratings, terms=("rater", "rater_system", "segment"))
    table = anova_lm(smf.ols("y ~ C(rater) * C(system) + C(segment)", columns(ratings)).fit())
    mean_square = table["sum_sq"] / table["df"]
    error = mean_square["Residual"]
    interaction = (mean_square["C(rater):C(system)"] - error) / 10
    rater = (mean_square["C(rater)"] - mean_square["C(rater):C(system)"]) / 30
    segment = (mean_square["C(segment)"] - error) / 18
    expected = {"rater": rater, "rater_system": interaction, "segment": segment, "residual": error}
    assert min(expected.values()) > 0
    assert {name: row["variance"] for name, row in found["variances"].items()} == pytest.approx(
        expected, rel=1e-4
    )
    # the balanced F test: mean squares of system against rater × system, 10 degrees of freedom
    for row in found["pairs"]:
        assert row["se"] == pytest.approx(np.sqrt(2 * mean_square["C(rater):C(system)"] / 60), rel=1e-4)
        assert row["df"] == pytest.approx(10, rel=0.02)
    means = {
        name: np.mean([r.score for r in ratings if r.systems[0].system == name]) for name in ("S0", "S2")
    }
    (pair,) = [row for row in found["pairs"] if {row["system_a"], row["system_b"]} == {"S0", "S2"}]
    assert pair["difference"] == pytest.approx(abs(means["S2"] - means["S0"]))
    p_value = 2 * stats.t.sf(pair["difference"] / pair["se"], pair["df"])
    assert pair["p_value"] == pytest.approx(p_value)


@pytest.mark.parametrize("method", ["reml", "ml"])
@pytest.mark.parametrize("terms", [("rater", "segment"), ("rater", "rater_system", "segment", "output")])
def test_an_unbalanced_campaign_agrees_with_statsmodels(method: str, terms: tuple[str, ...]):
    ratings = crossed(raters=5, segments=7, systems=3, repeats=2, seed=3)
    rng = np.random.default_rng(4)
    ratings = [ratings[place] for place in np.sort(rng.permutation(len(ratings))[:130])]
    names = {"rater": "rater", "rater_system": "rs", "segment": "segment", "output": "output"}
    data = columns(ratings)
    formula = {names[term]: f"0 + C({names[term]})" for term in terms}
    model = smf.mixedlm("y ~ 0 + C(system)", data, groups=data["one"], vc_formula=formula)
    with warnings.catch_warnings(action="ignore"):
        other = model.fit(reml=method == "reml", gtol=1e-8)
    found = fit(ratings, terms=terms, method=method)
    assert found["model"]["converged"]
    assert found["model"]["log_likelihood"] == pytest.approx(other.llf, abs=1e-3)
    ours = [found["variances"][term]["variance"] for term in sorted(terms, key=lambda term: names[term])]
    assert ours == pytest.approx(list(other.vcomp), rel=2e-3, abs=2e-2)
    assert found["variances"]["residual"]["variance"] == pytest.approx(other.scale, rel=2e-3)
    beta = dict(zip(("S0", "S1", "S2"), other.fe_params, strict=True))
    assert {row["system"]: row["estimate"] for row in found["systems"]} == pytest.approx(beta, rel=1e-4)
    # its own errors come from a numerical Hessian; ours are those of its variances, by the dense matrix
    vcomp = dict(zip(sorted(formula), other.vcomp, strict=True))
    v = dense([data[name].to_numpy() for name in vcomp], list(vcomp.values()), other.scale)
    x = np.array([[system == name for name in ("S0", "S1", "S2")] for system in data["system"]], dtype=float)
    cov = np.linalg.inv(x.T @ np.linalg.solve(v, x))
    (pair,) = [row for row in found["pairs"] if {row["system_a"], row["system_b"]} == {"S0", "S1"}]
    assert pair["se"] == pytest.approx(np.sqrt(cov[0, 0] + cov[1, 1] - 2 * cov[0, 1]), rel=2e-3)


def test_the_algebra_is_that_of_the_dense_matrix():
    rng = np.random.default_rng(5)
    n = 60
    rater, segment, entry = rng.integers(0, 5, n), rng.integers(0, 9, n), rng.integers(0, 3, n)
    rater, segment = (np.unique(codes, return_inverse=True)[1] for codes in (rater, segment))
    rs, output = (np.unique(codes * 3 + entry, return_inverse=True)[1] for codes in (rater, segment))
    x, y = np.eye(3)[entry], rng.normal(size=n)
    families = Family("rater", "rater_system", rater, rs), Family("segment", "output", segment, output)
    ratios = np.array([0.7, 0.2, 1.3, 0.0])
    for kept, eliminated, theta in ((*families, ratios), (*families[::-1], ratios[[2, 3, 0, 1]])):
        factor = CrossedModel(x, y, kept, eliminated).factor(theta)
        v = dense([rater, rs, segment, output], list(ratios))
        inverse = np.linalg.inv(v)
        beta = np.linalg.solve(x.T @ inverse @ x, x.T @ inverse @ y)
        assert factor.log_det == pytest.approx(np.linalg.slogdet(v)[1])
        assert factor.beta == pytest.approx(beta)
        assert factor.xvx == pytest.approx(x.T @ inverse @ x)
        assert factor.residual == pytest.approx((y - x @ beta) @ inverse @ (y - x @ beta))
        assert factor.solve(np.column_stack([y, x])) == pytest.approx(inverse @ np.column_stack([y, x]))


def test_which_family_is_eliminated_changes_nothing():
    few_raters, few_segments = crossed(raters=4, segments=9, seed=8), crossed(raters=4, segments=9, seed=8)
    swapped = [rating._replace(rater=f"r{rating.segment}", segment=rating.rater) for rating in few_segments]
    first, second = fit(few_raters), fit(swapped)
    assert [row["estimate"] for row in first["systems"]] == pytest.approx(
        [row["estimate"] for row in second["systems"]], rel=1e-6
    )
    assert first["variances"]["rater"]["variance"] == pytest.approx(
        second["variances"]["segment"]["variance"], rel=1e-3
    )


def test_the_scale_z_is_free_of_a_raters_own_scale():
    ratings = crossed(seed=9)
    stretched = [
        rating._replace(score=3 * rating.score + 7) if rating.rater == "r1" else rating for rating in ratings
    ]
    first, second = fit(ratings, scale="z"), fit(stretched, scale="z")
    assert [row["effect"] for row in first["systems"]] == pytest.approx(
        [row["effect"] for row in second["systems"]], abs=1e-6
    )
    assert [row["p_value"] for row in first["pairs"]] == pytest.approx(
        [row["p_value"] for row in second["pairs"]], rel=1e-3
    )
    raw, other = fit(ratings), fit(stretched)
    assert raw["systems"][0]["se"] != pytest.approx(other["systems"][0]["se"], rel=0.1)


def test_raters_are_fixed_on_the_scale_z():
    ratings = crossed(raters=5, segments=9, systems=3, seed=18)
    rng = np.random.default_rng(19)
    ratings = [ratings[place] for place in np.sort(rng.permutation(len(ratings))[:100])]
    found = fit(ratings, scale="z", terms=("rater", "segment", "output"))
    assert found["model"]["fixed"] == ["rater"]
    assert (
        list(found["variances"])
        == found["model"]["terms"] + ["residual"]
        == ["segment", "output", "residual"]
    )
    # REML with a column a rater, by statsmodels
    data = columns(ratings)
    data["y"] = data.groupby("rater")["y"].transform(lambda y: (y - y.mean()) / y.std(ddof=1))
    formula = {name: f"0 + C({name})" for name in ("segment", "output")}
    model = smf.mixedlm("y ~ 0 + C(system) + C(rater)", data, groups=data["one"], vc_formula=formula)
    with warnings.catch_warnings(action="ignore"):
        other = model.fit(reml=True, gtol=1e-8)
    variances = [found["variances"][name]["variance"] for name in ("output", "segment", "residual")]
    assert variances == pytest.approx([*other.vcomp, other.scale], rel=2e-3, abs=1e-4)
    v = dense([data["output"].to_numpy(), data["segment"].to_numpy()], list(other.vcomp), other.scale)
    x = np.asarray(model.exog)
    cov = np.linalg.inv(x.T @ np.linalg.solve(v, x))
    (pair,) = [row for row in found["pairs"] if {row["system_a"], row["system_b"]} == {"S0", "S1"}]
    sign = 1 if pair["system_a"] == "S1" else -1
    assert sign * pair["difference"] == pytest.approx(
        other.fe_params.iloc[1] - other.fe_params.iloc[0], rel=1e-3
    )
    assert pair["se"] == pytest.approx(np.sqrt(cov[0, 0] + cov[1, 1] - 2 * cov[0, 1]), rel=2e-3)


def test_estimates_on_the_scale_z_lie_around_the_mean_z():
    ratings = crossed(raters=4, segments=6, systems=2, seed=20)
    found = fit(ratings, scale="z")
    assert np.mean([row["estimate"] for row in found["systems"]]) == pytest.approx(0, abs=1e-9)


def test_systems_without_common_raters_are_a_number_with_its_caveat_on_z():
    ratings = [
        rating
        for rating in crossed(raters=6, segments=8, systems=4, seed=21)
        if (rating.rater < "r3") == (rating.systems[0].system < "S2")
    ]
    found = fit(ratings, scale="z")
    assert found["model"]["fixed"] == []
    assert any("share no raters" in caveat for caveat in found["caveats"])
    assert not any("share no raters" in caveat for caveat in fit(ratings)["caveats"])
    # what raters do connect is compared beside fixed raters
    apart = [
        rating._replace(systems=(Entry(rating.systems[0].system, "t", "a" if rating.rater < "r3" else "b"),))
        for rating in ratings
    ]
    conditions = fit(apart, scale="z", by_condition=True)
    assert conditions["model"]["fixed"] == ["rater"]
    for version in ("a", "b"):
        own = [row["estimate"] for row in conditions["systems"] if row["input"] == version]
        assert np.mean(own) == pytest.approx(0, abs=1e-9)
    json.dumps([found, conditions], allow_nan=False)


def test_too_few_ratings_beside_the_means_of_raters_are_refused():
    scores = {"AB": (10, 35), "BC": (60, 20), "CD": (70, 30), "DE": (40, 55)}
    ratings = [
        Rating(f"r{names}", (Entry(name),), place, "t", float(score))
        for place, (names, pair) in enumerate(scores.items())
        for name, score in zip(names, pair, strict=True)
    ]
    assert fit(ratings, terms=("rater",))["pairs"]
    with pytest.raises(MixedModelError, match="8 ratings of 5 systems by 4 raters are too few"):
        fit(ratings, terms=("rater",), scale="z")


def test_no_matrix_of_ratings_by_ratings_is_built():
    ratings = crossed(raters=6, segments=250, systems=2, seed=17)
    table = RatingTable.from_ratings(ratings)
    tracemalloc.start()
    fit_mixed(table)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * len(ratings) ** 2 / 8


def test_a_change_of_units_changes_the_units_only():
    ratings = crossed(seed=10)
    first, second = fit(ratings), fit([rating._replace(score=rating.score / 10 - 3) for rating in ratings])
    for one, ten in zip(first["systems"], second["systems"], strict=True):
        assert ten["estimate"] == pytest.approx(one["estimate"] / 10 - 3)
        assert ten["se"] == pytest.approx(one["se"] / 10, rel=1e-4)
    assert [row["p_value"] for row in first["pairs"]] == pytest.approx(
        [row["p_value"] for row in second["pairs"]], rel=1e-3
    )


def test_systems_are_compared_within_their_condition():
    ratings = [
        rating._replace(systems=(Entry(rating.systems[0].system, "t", version),), score=rating.score + shift)
        for version, shift in (("a", 0.0), ("b", 20.0))
        for rating in crossed(seed=11, systems=2)
    ]
    found = fit(ratings, by_condition=True)
    assert [(row["input"], row["system"]) for row in found["systems"]] == [
        ("a", "S1"), ("a", "S0"), ("b", "S1"), ("b", "S0"),
    ]  # fmt: skip
    assert [row["input"] for row in found["pairs"]] == ["a", "b"]
    for version in ("a", "b"):
        effects = [row["effect"] for row in found["systems"] if row["input"] == version]
        assert sum(effects) == pytest.approx(0, abs=1e-9)


def test_ratings_that_do_not_count_stay_out():
    ratings = crossed(seed=12)
    noise = [
        ratings[0]._replace(kind="bad_reference", score=0.0),
        ratings[1]._replace(kind="practice", score=0.0),
        ratings[2]._replace(rater="gone", excluded_by="left", score=0.0),
        ratings[3]._replace(in_averages=False, score=0.0),
    ]
    assert fit(ratings) == fit(ratings + noise)


def test_one_rater_or_one_segment_is_a_number_with_its_caveat():
    ratings = crossed(seed=13)
    one_rater = fit([rating for rating in ratings if rating.rater == "r0"])
    assert set(one_rater["model"]["dropped"]) == {"rater", "rater_system", "output"}
    assert "one rater: the errors say nothing about other raters" in one_rater["caveats"]
    assert len(one_rater["pairs"]) == 3
    one_segment = fit([rating for rating in ratings if rating.segment == 0])
    assert one_segment["model"]["terms"] == ["rater"]
    assert "one segment: the errors say nothing about other segments" in one_segment["caveats"]
    json.dumps([one_rater, one_segment], allow_nan=False)


def test_one_system_is_a_number_without_comparison():
    found = fit([rating for rating in crossed(seed=14) if rating.systems[0].system == "S0"])
    assert found["pairs"] == []
    assert found["systems"][0]["se"] is None
    assert found["systems"][0]["effect"] == 0
    assert "there is one system only, so nothing is compared" in found["caveats"]
    json.dumps(found, allow_nan=False)


def test_a_rating_of_identical_outputs_enters_for_each_system():
    ratings = crossed(seed=15)
    merged = ratings[0]._replace(systems=(Entry("S0"), Entry("S1")))
    found = fit([merged, *ratings[2:]])
    assert found["model"]["n_ratings"] == len(ratings) - 1
    assert {row["system"]: row["n_judgements"] for row in found["systems"]} == dict.fromkeys(
        ("S0", "S1", "S2"), 40
    )
    assert any("identical outputs" in caveat for caveat in found["caveats"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda ratings: [], "no ratings that count"),
        (lambda ratings: ratings[:4], "4 ratings of 3 systems are too few"),
        (lambda ratings: [r._replace(score=71.3) for r in ratings], "all scores are equal"),
        (
            lambda ratings: [r._replace(score=10.0 * r.segment + int(r.rater[1])) for r in ratings],
            "explain every score",
        ),
    ],
)
def test_what_cannot_be_modelled_is_refused(change, message: str):
    with pytest.raises(MixedModelError, match=message):
        fit(change(crossed(seed=16)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scale": "rank"}, "scale must be one of raw, z"),
        ({"method": "em"}, "method must be one of reml, ml"),
        ({"terms": ("day",)}, "random term must be one of"),
        ({"population": "some"}, "population must be one of"),
    ],
)
def test_unknown_options_are_refused(options: dict, message: str):
    with pytest.raises(MixedModelError, match=message):
        MixedOptions(**options)


def test_systems_that_explain_every_score_are_refused_without_a_warning():
    scores = {"A": 90.0, "B": 50.0, "C": 10.0}
    ratings = [
        Rating(f"r{rater}", (Entry(name),), segment, "t", score)
        for rater in range(3)
        for segment in range(6)
        for name, score in scores.items()
    ]
    with warnings.catch_warnings(), pytest.raises(MixedModelError, match="explain every score"):
        warnings.simplefilter("error")
        fit(ratings)
