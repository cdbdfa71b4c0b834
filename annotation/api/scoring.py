"""The options of scoring in addresses of the API: declared once, read everywhere."""

from __future__ import annotations

from collections.abc import Iterable

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from annotation.stats.options import CHOICES, PREFERENCE_RESAMPLES, RESAMPLES, SEEDS


def _number(name: str, bounds: tuple[int, int], words: str) -> OpenApiParameter:
    low, high = bounds
    schema = {"type": "integer", "minimum": low, "maximum": high}
    return OpenApiParameter(name, schema, description=words)


SCORING = [
    *(OpenApiParameter(name, str, enum=choices) for name, choices in CHOICES.items()),
    OpenApiParameter("by", str, enum=("system", "condition"), description="what a row is"),
    _number("resamples", RESAMPLES, "of segments or documents"),
    _number("preference_resamples", PREFERENCE_RESAMPLES, "of preferences, which are cheap"),
    _number("seed", SEEDS, "of every draw"),
    OpenApiParameter("hypothesis", str, description="better>worse, declared beforehand"),
]
"""Every option of `score_campaign`."""


def scoring_of(request: Request, *, besides: Iterable[str] = ()) -> dict[str, str]:
    """Return the options of scoring that an address names; `besides` are its other parameters."""
    return {name: text for name, text in request.query_params.dict().items() if name not in besides}
