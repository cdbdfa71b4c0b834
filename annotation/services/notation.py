"""How conditions are written: X → Y*, X** → Y*, worked out from the test sets' versions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from annotation.models import Campaign
from mtcore.corpora.provenance import ProvenanceError, Version, depth, label
from mtcore.models import TextVersion

#: Natural text first, then its double translation, then what was written in the other language.
DEPTH_ORDER = {0: 0, 2: 1, 1: 2}


@dataclass(frozen=True)
class Notations:
    """The versions of a campaign's test sets, by the test set's name."""

    versions: dict[str, list[Version]]

    @classmethod
    def of_campaign(cls, campaign: Campaign) -> Notations:
        """Read the versions of a campaign's test sets; nothing is claimed of unknown texts."""
        return cls.of_campaigns([campaign])

    @classmethod
    def of_campaigns(cls, campaigns: Iterable[Campaign]) -> Notations:
        """Read the versions of the test sets of several campaigns."""
        found: dict[str, list[Version]] = defaultdict(list)
        known = TextVersion.objects.filter(testset__texts_known=True)
        rows = known.filter(testset__campaign_outputs__campaign__in=list(campaigns)).distinct()
        for testset, side, kind, name, parent_side, parent in rows.values_list(
            "testset__name", "side", "kind", "name", "derived_from__side", "derived_from__name"
        ):
            derived_from = None if parent is None else f"{parent_side}:{parent}"
            found[testset].append(Version(side, kind, name, derived_from))
        return cls(dict(found))

    def write(
        self, testset: str | None, input_: str | None, reference: str | None, direction: str | None
    ) -> str | None:
        """Write a condition: "X** → Y*" with a reference, "X**" without; None when nothing is known of it."""
        parts = (("source", input_), ("target", reference))
        written = [self._label(testset, side, name, direction) for side, name in parts if name is not None]
        return " → ".join(written) or None

    def place(
        self, testset: str | None, input_: str | None, reference: str | None, direction: str | None
    ) -> tuple[tuple[int, bool, str], tuple[int, bool, str], str, str]:
        """Return what conditions are sorted by: X, X**, X*, then alternatives of these; then the reference.

        Versions whose depth is unknown come last, by name; equal conditions go by test set.
        """
        source, target = (
            self._depth_order(testset, side, name, direction)
            for side, name in (("source", input_), ("target", reference))
        )
        return source, target, testset or "", direction or ""

    def _depth_order(
        self, testset: str | None, side: str, name: str | None, direction: str | None
    ) -> tuple[int, bool, str]:
        versions, version = self._find(testset, side, name)
        if version is None:
            return len(DEPTH_ORDER), False, name or ""
        try:
            depth_ = depth(version, versions, direction or "")
        except ProvenanceError:
            depth_ = None
        is_other = self._label(testset, side, version.name, direction).endswith(")")
        order = DEPTH_ORDER.get(depth_, len(DEPTH_ORDER)) if depth_ is not None else len(DEPTH_ORDER)
        return order, is_other, version.name

    def _find(self, testset: str | None, side: str, name: str | None) -> tuple[list[Version], Version | None]:
        versions = self.versions.get(testset or "", [])
        return versions, next((one for one in versions if (one.side, one.name) == (side, name)), None)

    def _label(self, testset: str | None, side: str, name: str, direction: str | None) -> str:
        versions, version = self._find(testset, side, name)
        if version is None:
            return name
        try:
            return label(version, versions, direction or "")
        except ProvenanceError:
            return name
