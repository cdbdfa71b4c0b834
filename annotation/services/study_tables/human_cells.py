"""Cells of human scores and preferences: from the campaigns of the study, as their own reports show them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from annotation.models import Campaign
from annotation.protocols import PROTOCOLS
from annotation.services.score_table import condition_heading, direction, number, p_value
from annotation.services.scoring import campaign_score, options_read
from annotation.services.study_tables.cells import Cell, Link, Need, Shared, missing, printed
from annotation.services.study_tables.material import Material, Pair, Place, SystemRow, pair_tag
from annotation.services.study_tables.metric_cells import fitting, lacking, output_need
from annotation.services.study_tables.spec import Condition, Quantity
from evalplatform.errors import BadInput, Conflict
from mtcore.models import TextVersion

Row = dict[str, Any]
RATED = ("source_da", "reference_da")


class HumanCells:
    """Finds what people said."""

    def __init__(self, material: Material) -> None:
        self.material = material
        self._results: dict[tuple[int, bool], Row | None] = {}
        self.tests: dict[str, None] = {}

    def cell(self, pair: Pair, condition: Condition, row: SystemRow, quantity: Quantity) -> Cell:
        """Return the mean z of the row's system in a condition.

        Over several test sets it is the mean over their segments. Of several campaigns that judged the same,
        the one with most judgements counts, then the oldest.
        """
        system = row.of(pair)
        if system is None:
            return missing(f"no system “{row.label}” for {pair.tag}")
        protocol = self.protocol_of(pair)
        needs_reference = protocol == "reference_da"
        places, need = fitting(self.material, pair, condition)
        if not places:
            return missing(lacking(pair, condition), need)
        parts: list[tuple[Campaign, Row]] = []
        for place, inputs, references in places:
            versions = (inputs, references if needs_reference else [])
            found = self._judged(pair, protocol, place, versions, condition, system.name)
            if found is None:
                output = self.material.output(system, place.testset, inputs[0])
                need = output_need(place, system.name, inputs[0])
                if output is not None:
                    study = self.material.study.name
                    need = _campaign_need(study, protocol, place, system.name, versions)
                where = f"for {place.testset.name} from {inputs[0].name} ({PROTOCOLS[protocol].title})"
                return missing(
                    f"nobody has judged “{system.name}” {where}", need,
                    shared=Shared(f"nobody has judged {{whose}} {where}", whose=system.name),
                )  # fmt: skip
            parts.append(found)
        return self._cell(condition, parts, quantity, protocol)

    def protocol_of(self, pair: Pair) -> str:
        """Return what counts for a pair: the protocol that is wished, else source-based, else the other."""
        if self.material.wish.protocol:
            return self.material.wish.protocol
        known = {one.protocol for one in self._campaigns(pair, RATED) if self._result(one, True)}
        return next((name for name in RATED if name in known), RATED[0])

    def preference(self, pair: Pair, versus: tuple[SystemRow, SystemRow], quantity: Quantity) -> Cell:
        """Return how often the first, the second or neither of two systems was preferred."""
        first, second = (row.of(pair) for row in versus)
        if first is None or second is None:
            return missing(f"no system “{versus[first is not None].label}” for {pair.tag}")
        best: tuple[int, Campaign, Row] | None = None
        for campaign in self._campaigns(pair, _comparing()):
            for row in (self._result(campaign, False) or {"pairs": ()})["pairs"]:
                n = row["a_better"] + row["b_better"] + row["equal"]
                if {row["system_a"], row["system_b"]} == {first.name, second.name} and n:
                    best = (n, campaign, row) if best is None or n > best[0] else best
        if best is None:
            names = tuple(place.testset.name for place in pair.places.get("", ()))
            options = {
                "--testset": names, "--systems": (first.name, second.name),
                "--protocol": ("pairwise_fluency",), "--study": (self.material.study.name,),
                "--raters": ("N",),
            }  # fmt: skip
            return missing(
                f"nobody has compared “{first.name}” with “{second.name}”",
                Need(("create_campaign", "NAME"), options, pair.tag),
            )
        return self._preferred(best, first.name, quantity)

    def compared(self) -> set[frozenset[str]]:
        """Return the pairs of systems, by name, that somebody has compared."""
        return {
            frozenset((row["system_a"], row["system_b"]))
            for pair in self.material.pairs
            for campaign in self._campaigns(pair, _comparing())
            for row in (self._result(campaign, False) or {"pairs": ()})["pairs"]
        }

    def _preferred(self, best: tuple[int, Campaign, Row], first: str, quantity: Quantity) -> Cell:
        n, campaign, row = best
        ours, theirs = ("a", "b") if row["system_a"] == first else ("b", "a")
        names = {"first": f"{ours}_better", "second": f"{theirs}_better", "draw": "equal"}
        count = row[names[quantity.name]]
        identical = f"; {row['identical']} identical, shown to nobody" if row["identical"] else ""
        tag = pair_tag(campaign.source_language, campaign.target_language)
        test = (
            f"{tag}: {row['system_a']} over {row['system_b']}, two-sided p by segments "
            f"{p_value(row['p_sign_majority_two_sided'])} ({n:,} judgements of {row['n_units']:,} segments)"
        )
        self.tests[test] = None
        result = self._result(campaign, False) or {}
        return Cell(
            count / n, printed(count / n, quantity.digits, quantity.scale),
            (f"{count:,} of {n:,} judgements in the campaign “{campaign.name}”{identical}",),
            result.get("signature", ""), n,
            Link("campaign", campaign.key, {"a": row["system_a"], "b": row["system_b"]}),
        )  # fmt: skip

    def _cell(
        self, condition: Condition, parts: Sequence[tuple[Campaign, Row]], quantity: Quantity, protocol: str
    ) -> Cell:
        rows = [row for _, row in parts]
        if any(row["z_mean"] is None for row in rows):
            return missing("its raters give the same score to everything, so that there is no z")
        weights = [row["n_segments"] for row in rows]
        value = sum(n * row["z_mean"] for n, row in zip(weights, rows, strict=True)) / sum(weights)
        campaign, row = parts[0]
        query = {f"in_{key}": row[key] or "" for key in ("testset", "input", "reference", "direction")}
        query |= {"system": row["system"], "of": "z_mean"}
        if self.material.wish.scope != "campaign":
            query["scope"] = self.material.wish.scope
        behind = tuple(
            f"mean z of {one['system']} ({condition_heading(one)}) in the campaign “{whose.name}”, "
            f"{one['n_judgements']:,} judgements of {one['n_segments']:,} segments"
            for whose, one in parts
        )
        result = self._result(campaign, True) or {}
        for whose, one in parts:
            self._note_tests(whose, one)
        note = ""
        if protocol == "reference_da":
            note = "Human scores of {pair} are reference-based: outputs were held against the reference."
        elif condition.reference == "Y**" or condition.alternatives:
            note = "A source-based score does not depend on the reference: it stands beside each reference."
        return Cell(
            value, printed(value, quantity.digits, quantity.scale), behind, result.get("signature", ""),
            sum(weights), Link("campaign", campaign.key, query), note=note,
        )  # fmt: skip

    def _note_tests(self, campaign: Campaign, row: Row) -> None:
        """Remember the tests of the pairs of a condition."""
        keys = ("testset", "input", "reference", "direction")
        rows = [
            one
            for one in (self._result(campaign, True) or {})["pairs"]
            if all(one[key] == row[key] for key in keys)
        ]
        if len(rows) > 3:
            return
        tag = pair_tag(campaign.source_language, campaign.target_language)
        for one in rows:
            where = one.get("notation") or one["testset"]
            self.tests[
                f"{tag}, {where}: {one['system_a']} − {one['system_b']} = {number(one['z_difference'], 2)}, "
                f"one-sided p {p_value(one['p_bootstrap_one_sided'])} ({direction(one)}), two-sided "
                f"{p_value(one['p_bootstrap_two_sided'])}"
            ] = None

    def _judged(
        self,
        pair: Pair,
        protocol: str,
        place: Place,
        versions: tuple[Sequence[TextVersion], Sequence[TextVersion]],
        condition: Condition,
        system: str,
    ) -> tuple[Campaign, Row] | None:
        """Return the campaign that judged most of a system in a condition, and its row."""
        best: tuple[Campaign, Row] | None = None
        for campaign in self._campaigns(pair, (protocol,)):
            for row in (self._result(campaign, True) or {"systems": ()})["systems"]:
                if row["system"] != system or row["testset"] != place.testset.name:
                    continue
                if row["direction"] not in (condition.direction, None, ""):
                    continue
                if not _is_of(row["input"], versions[0]) or not _is_of(row["reference"], versions[1]):
                    continue
                if best is None or row["n_judgements"] > best[1]["n_judgements"]:
                    best = campaign, row
        return best

    def _campaigns(self, pair: Pair, protocols: Sequence[str]) -> Iterator[Campaign]:
        for campaign in self.material.campaigns:
            languages = (campaign.source_language, campaign.target_language)
            if campaign.protocol in protocols and languages == (pair.source, pair.target):
                yield campaign

    def _result(self, campaign: Campaign, by_condition: bool) -> Row | None:
        """Return the scores of a campaign, None while nobody has judged anything."""
        key = campaign.pk, by_condition
        if key not in self._results:
            given = {"by": "condition" if by_condition else "system"}
            if PROTOCOLS[campaign.protocol].record == "rating":
                given["scope"] = self.material.wish.scope
            try:
                found = campaign_score(campaign=campaign, options=options_read(campaign, given))
                self._results[key] = found.result
            except (Conflict, BadInput):
                self._results[key] = None
        return self._results[key]


def _comparing() -> tuple[str, ...]:
    return tuple(name for name, one in PROTOCOLS.items() if one.record == "comparison")


def _is_of(name: str | None, versions: Sequence[TextVersion]) -> bool:
    """Tell whether a version by its name is one of those meant; one that nobody knows is the original."""
    if not versions:
        return True
    if name is None:
        return any(version.kind == "original" for version in versions)
    return any(version.name == name for version in versions)


def _campaign_need(
    study: str,
    protocol: str,
    place: Place,
    system: str,
    versions: tuple[Sequence[TextVersion], Sequence[TextVersion]],
) -> Need:
    inputs, references = versions
    options: dict[str, tuple[str, ...]] = {
        "--testset": (place.testset.name,),
        "--systems": (system,),
        "--inputs": (inputs[0].name,),
    }
    if references:
        options["--references"] = (references[0].name,)
    options |= {"--protocol": (protocol,), "--study": (study,), "--raters": ("N",)}
    return Need(
        ("create_campaign", "NAME"),
        options,
        group=pair_tag(place.testset.source_language, place.testset.target_language),
    )
