"""Fields that texts come in."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers


@extend_schema_field({"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]})
class TextField(serializers.Field):
    """A text: one string with a segment a line, or a list with a segment an element."""

    def to_internal_value(self, data: Any) -> Any:
        """Take either."""
        if isinstance(data, str) or (isinstance(data, list) and all(isinstance(one, str) for one in data)):
            return data
        raise serializers.ValidationError("Give a text, or a list of texts.")

    def to_representation(self, value: Any) -> Any:
        """Give it as it is."""
        return value
