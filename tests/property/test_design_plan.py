"""Plans of all small sizes keep every rule, and losing a rater breaks none without saying so."""

from collections import Counter

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from annotation.design.blinding import blind
from annotation.design.items import PlanItem, Rater
from annotation.design.plan import QualityWish, plan_campaign
from annotation.design.reassign import reassign
from tests.factories.plans import apply, count_done, make_items, part_way, plan_rows, raters_named
from tests.plan_checker import check_plan
from tests.thoroughness import examples

#: Words of the message that owns up to each rule a reassignment may have to break.
OWNED_UP = {
    "judgements": "judgements: no rater is left",
    "together": "go to several raters",
    "loads": "loads now lie",
    "systems": "the systems are not even",
    "sides": "left more often",
    "pairs": "no rule of pairs is ever broken",
}


@st.composite
def campaigns(draw: st.DrawFn) -> tuple[list[PlanItem], list[Rater], int, bool, int]:
    """Draw items, raters, judgements an item, whether items are spread, and a seed."""
    pairwise, spread = draw(st.booleans()), draw(st.booleans())
    seed = draw(st.integers(0, 2**32 - 1))
    items = make_items(
        draw(st.integers(2 if pairwise else 1, 5)),
        draw(st.integers(1, 9)),
        n_testsets=draw(st.integers(1, 2)),
        n_inputs=draw(st.integers(1, 2)),
        merged=draw(st.sampled_from([0.0, 0.15, 0.5])),
        pairwise=pairwise,
        seed=seed,
        reference=draw(st.booleans()),
    )
    assume(items)
    n_raters = draw(st.integers(1, 8))
    return items, raters_named(n_raters), draw(st.integers(1, n_raters)), spread, seed


@settings(
    max_examples=examples(400, 1500), deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(campaigns())
def test_every_plan_keeps_every_rule(campaign: tuple[list[PlanItem], list[Rater], int, bool, int]) -> None:
    items, raters, judgements, spread, seed = campaign
    plan = plan_campaign(items, raters, judgements, np.random.default_rng(seed), spread)
    assert check_plan(plan_rows(items, plan), judgements, spread=spread) == []


@settings(
    max_examples=examples(130, 400), deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(campaigns(), st.data())
def test_leaving_breaks_no_rule_in_silence(
    campaign: tuple[list[PlanItem], list[Rater], int, bool, int], data: st.DataObject
) -> None:
    items, raters, judgements, spread, seed = campaign
    assume(len(raters) > 1)
    rng = np.random.default_rng(seed)
    parts = {rater: data.draw(st.floats(0, 1)) for rater in raters}
    before = part_way(plan_campaign(items, raters, judgements, rng, spread), parts)
    change = reassign(items, before, "r0", raters, judgements, rng, spread)
    after = apply(before, change)
    found = check_plan(
        plan_rows(items, after),
        judgements,
        spread=spread,
        leavers=["r0"],
        done=count_done(before, change.order),
    )
    for violation in found:
        words = OWNED_UP[violation.split(":")[0]]
        assert any(words in text for text in change.short), (violation, change.short)
    assert [one for one in after if one.done] == [one for one in before if one.done]


@st.composite
def wishes(draw: st.DrawFn) -> QualityWish:
    """Draw how much quality control there is; of some texts no bad reference can be made."""
    shares = st.sampled_from([0.0, 0.1, 0.3, 0.5, 1.0])
    damageable = draw(st.sampled_from([0.0, 0.5, 1.0]))
    return QualityWish(
        draw(shares), draw(shares), draw(st.integers(0, 3)),
        lambda item, side: (hash((item.key, side)) % 100) < 100 * damageable,
    )  # fmt: skip


@settings(
    max_examples=examples(60, 150), deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(campaigns(), wishes())
def test_quality_control_keeps_every_rule(
    campaign: tuple[list[PlanItem], list[Rater], int, bool, int], wish: QualityWish
) -> None:
    items, raters, judgements, spread, seed = campaign
    plan = plan_campaign(items, raters, judgements, np.random.default_rng(seed), spread, wish)
    everything = [*items, *plan.followers]
    assert check_plan(plan_rows(everything, plan), judgements, spread=spread) == []
    kinds = Counter(one.kind for one in plan.followers)
    systems = [item for item in items if item.kind == "system"]
    strata = len({(item.candidates, item.testset) for item in systems})
    assert abs(kinds["repeat"] - wish.repeats * len(systems)) <= strata
    assert kinds["bad_reference"] <= wish.bad_references * len(systems) + strata
    able = [item for item in systems if any(wish.may_damage(item, s) for s in range(len(item.candidates)))]
    if len(able) == len(systems):
        assert abs(kinds["bad_reference"] - wish.bad_references * len(systems)) <= strata


@settings(
    max_examples=examples(40, 100), deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(campaigns(), wishes(), st.data())
def test_pairs_stay_together_when_a_rater_leaves(
    campaign: tuple[list[PlanItem], list[Rater], int, bool, int], wish: QualityWish, data: st.DataObject
) -> None:
    items, raters, judgements, spread, seed = campaign
    assume(len(raters) > 1)
    rng = np.random.default_rng(seed)
    plan = plan_campaign(items, raters, judgements, rng, spread, wish)
    everything = [*items, *plan.followers]
    before = part_way(plan, {rater: data.draw(st.floats(0, 1)) for rater in raters})
    change = reassign(everything, before, "r0", raters, judgements, rng, spread)
    after = apply(before, change)
    found = check_plan(
        plan_rows(everything, after), judgements, spread=spread, leavers=["r0"],
        done=count_done(before, change.order),
    )  # fmt: skip
    for violation in found:
        words = OWNED_UP[violation.split(":")[0]]
        assert any(words in text for text in change.short), (violation, change.short)
    assert [one for one in after if one.done] == [one for one in before if one.done]
    wanted = Counter(one.item for one in plan)
    lacking = sum((wanted - Counter(one.item for one in after)).values())
    assert not lacking or change.short


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.text(), unique=True), st.integers(0, 2**32 - 1))
def test_blinding_is_a_bijection(names: list[str], seed: int) -> None:
    keys = blind(names, np.random.default_rng(seed).bytes)
    assert list(keys) == names
    assert len(set(keys.values())) == len(names)
