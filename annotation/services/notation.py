"""How conditions are written: X → Y*, X** → Y*, worked out from the test sets' versions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from annotation.models import Campaign
from mtcore.corpora.provenance import ProvenanceError, Version, label
from mtcore.models import TextVersion


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

    def _label(self, testset: str | None, side: str, name: str, direction: str | None) -> str:
        versions = self.versions.get(testset or "", [])
        version = next((one for one in versions if (one.side, one.name) == (side, name)), None)
        if version is None:
            return name
        try:
            return label(version, versions, direction or "")
        except ProvenanceError:
            return name
