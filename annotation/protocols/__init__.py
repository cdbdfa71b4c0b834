"""Ways of asking people: one file a protocol, one line here."""

from annotation.protocols.base import Protocol
from annotation.protocols.direct_assessment import ReferenceDA, SourceDA
from annotation.protocols.pairwise_fluency import PairwiseFluency

PROTOCOLS: dict[str, type[Protocol]] = {
    protocol.name: protocol for protocol in (SourceDA, ReferenceDA, PairwiseFluency)
}

__all__ = ["PROTOCOLS", "Protocol"]
