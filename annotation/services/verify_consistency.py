"""Check that the parts of a package fit together: plan, items, judgements, exclusions, counts, audit trail.

Hashes say nothing against somebody who alters the manifest too; these checks find what then contradicts the
rest of the package. What nothing else depends on (guidelines, comments, times) only the fingerprint protects.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from annotation.services.package_layout import AUDIT, STUDY
from annotation.services.package_read import Files, Package, PackagedCampaign, read_json, read_table
from annotation.services.verify_compare import ABSENT, Comparison
from mtcore.corpora.names import JOINER

CAMPAIGN_FILES = (
    "campaign.json",
    "guidelines.md",
    "plan.csv",
    "items.csv",
    "judgements.csv",
    "exclusions.csv",
)
TESTSET_FILES = ("testset.json", "segments.csv", "texts.csv")
PLANNED = ("rater", "round", "position", "testset", "segment", "context", "kind", "left", "right")
"""What the plan and a judgement both say of an assignment."""
ALSO_PLANNED = ("item", "input")
"""What both say in packages of this version."""
SIDES = ("left", "right", "input")
BEGINNINGS = ("campaign.created", "judgements.imported")
"""Events with one of which the audit trail of every campaign begins."""

Row = Mapping[str, str]
Segments = Mapping[str, Sequence[tuple[str, str]]]
"""Key and document of every segment, by test set."""


class _Item(NamedTuple):
    kind: str
    testset: str
    segment: str
    systems: frozenset[str]


def files_expect(files: Files, found: Comparison) -> bool:
    """Note files that every package has and this one lacks; tell whether all are there."""
    study = read_json(files, STUDY)
    wanted = ["README.md", AUDIT]
    if isinstance(study, dict):
        for folder in study.get("campaigns") or ():
            wanted += [f"{folder}/{name}" for name in CAMPAIGN_FILES]
        for folder in (study.get("testsets") or {}).values():
            wanted += [f"{folder}/{name}" for name in TESTSET_FILES]
    missing = sorted(set(wanted) - set(files.names))
    for name in missing:
        found.add(name, "", "the file", ABSENT, "expected")
    return not missing


def consistency_check(files: Files, package: Package, found: Comparison) -> None:
    """Note everything in which the parts of a package contradict each other."""
    for campaign in package.campaigns:
        _Campaign(files, campaign, found, package.segments).check()
    _audit(files, package, found)


class _Campaign:
    """The tables of one campaign, compared with each other."""

    def __init__(
        self, files: Files, campaign: PackagedCampaign, found: Comparison, segments: Segments
    ) -> None:
        self.files = files
        self.folder = campaign.folder
        self.found = found
        self.documents = {testset: dict(rows) for testset, rows in segments.items()}
        self.counts: Counter[str] = Counter()
        self.raters: set[str] = set()
        self.done: Counter[str] = Counter()

    def check(self) -> None:
        """Compare them all; the counts last, when everything was counted."""
        told = read_json(self.files, f"{self.folder}/campaign.json")
        items = self._items()
        self._outputs(told, items)
        plan = self._plan(items)
        self._judgements(items, plan)
        self._exclusions()
        self._counts(told)

    def _rows(self, name: str, *columns: str) -> Iterator[tuple[str, Row]]:
        """Yield the place and the cells of each row, and count them."""
        for number, row in enumerate(read_table(self.files, f"{self.folder}/{name}.csv", columns), start=1):
            self.counts[name] += 1
            yield f"row {number:,}", row

    def _items(self) -> dict[str, _Item]:
        heads: dict[str, tuple[str, str, str]] = {}
        systems: dict[str, set[str]] = defaultdict(set)
        for _, row in self._rows("items", "item", "kind", "testset", "segment", "systems"):
            heads[row["item"]] = (row["kind"], row["testset"], row["segment"])
            systems[row["item"]] |= _names(row["systems"])
        return {item: _Item(*head, frozenset(systems[item])) for item, head in heads.items()}

    def _outputs(self, told: Any, items: Mapping[str, _Item]) -> None:
        """Systems of items are among the outputs that the campaign's own file names."""
        outputs = {(str(one["testset"]), str(one.get("system"))) for one in told["outputs"]}
        rated = {
            (one.testset, name) for one in items.values() if one.kind == "system" for name in one.systems
        }
        for testset, name in sorted(rated - outputs):
            self.found.add(f"{self.folder}/campaign.json", "outputs", "system", ABSENT, f"{testset}: {name}")

    def _plan(self, items: Mapping[str, _Item]) -> dict[str, Row]:
        known = set(items.values())
        plan: dict[str, Row] = {}
        for place, row in self._rows("plan", "assignment", *PLANNED):
            if row["assignment"] in plan:
                self._add("plan", place, "assignment", row["assignment"], "one row only")
            plan[row["assignment"]] = row
            self.raters.add(row["rater"])
            systems = frozenset(_names(row["left"]) | _names(row["right"]))
            if _Item(row["kind"], row["testset"], row["segment"], systems) not in known:
                self._add("plan", place, "the item", "in the plan", "not among the items")
        return plan

    def _judgements(self, items: Mapping[str, _Item], plan: Mapping[str, Row]) -> None:
        for place, row in self._rows("judgements", "judgement", "item", "current", *PLANNED):
            if row["judgement"]:
                self._planned(place, row, plan)
            if row["judgement"] and row["current"] != "no":
                self.counts["current"] += 1
                self.done[row["rater"]] += 1
            known = self.documents.get(row["testset"], {})
            if row["segment"] in known and row.get("document", "") != known[row["segment"]]:
                self._add("judgements", place, "document", row.get("document", ""), known[row["segment"]])
            item = items.get(row["item"])
            if item is None:
                self._add("judgements", place, "item", row["item"], "not among the items")
                continue
            own = _Item(row["kind"], row["testset"], row["segment"], frozenset(_both(row)))
            for field, stored, expected in zip(_Item._fields, own, item, strict=True):
                if stored != expected:
                    self._add("judgements", place, field, _plain(stored), _plain(expected))

    def _planned(self, place: str, row: Row, plan: Mapping[str, Row]) -> None:
        planned = plan.get(row["judgement"])
        if planned is None:
            self._add("judgements", place, "assignment", row["judgement"], "not in the plan")
            return
        for field in (*PLANNED, *(name for name in ALSO_PLANNED if name in planned)):
            same = (
                _names(row[field]) == _names(planned[field])
                if field in SIDES
                else row[field] == planned[field]
            )
            if not same:
                self._add("judgements", place, field, row[field], planned[field])

    def _exclusions(self) -> None:
        listed: set[str] = set()
        for place, row in self._rows("exclusions", "rater", "judgements"):
            rater = row["rater"]
            if rater in listed:
                self._add("exclusions", place, "rater", rater, "one row only")
            listed.add(rater)
            if row["judgements"] != str(self.done[rater]):
                self._add("exclusions", place, "judgements", row["judgements"], str(self.done[rater]))
        self.raters |= listed | set(self.done)

    def _counts(self, told: Any) -> None:
        """Compare with what the campaign's own file says there is; raters are those who were invited."""
        counts = told.get("counts") if isinstance(told, dict) else None
        raters = told.get("raters") if isinstance(told, dict) else None
        if counts is None and raters is None and self.found.other_version:
            return
        file = f"{self.folder}/campaign.json"
        for name in ("plan", "items", "judgements", "current", "exclusions"):
            stored = counts.get(name) if isinstance(counts, dict) else None
            if stored != self.counts[name]:
                self.found.add(file, "counts", name, stored, self.counts[name])
        unknown = self.raters - set(map(str, raters if isinstance(raters, list) else ()))
        for rater in sorted(unknown):
            self.found.add(file, "raters", "rater", ABSENT, rater)

    def _add(self, table: str, place: str, field: str, stored: str, expected: str) -> None:
        self.found.add(f"{self.folder}/{table}.csv", place, field, stored, expected)


def _audit(files: Files, package: Package, found: Comparison) -> None:
    """Every campaign was once made, and the audit trail says so."""
    begun: set[str] = set()
    for number, line in enumerate(files.read(AUDIT).decode("utf-8", "replace").splitlines(), start=1):
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            event = None
        if not isinstance(event, dict):
            found.add(AUDIT, f"line {number:,}", "the event", line[:40], "a JSON object")
        elif event.get("action") in BEGINNINGS:
            begun.add(str(event.get("campaign")))
    for campaign in package.campaigns:
        if campaign.facts.name not in begun:
            found.add(AUDIT, campaign.facts.name, "the event", ABSENT, " or ".join(BEGINNINGS))


def _names(cell: str) -> set[str]:
    return {name for name in cell.split(JOINER) if name}


def _both(row: Row) -> set[str]:
    return _names(row["left"]) | _names(row["right"])


def _plain(value: Collection[str]) -> str:
    return value if isinstance(value, str) else JOINER.join(sorted(value))
