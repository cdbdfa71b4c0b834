"""Queries compiled once: on the way of every answer, making SQL takes ten times as long as running it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from django.db import connections
from django.db.models import QuerySet

R = TypeVar("R")
_FIRST_MARK = 32_500
"""Numbers from here on stand for values while SQL is made; every whole-number column can hold them."""


class Prepared(Generic[R]):
    """A query whose SQL is made once for each connection and then run with other values.

    Args:
        make: takes a mark for each value and returns the query set that compares columns with the marks, each
            used at least once: `lambda key: Rater.objects.filter(name=key)`. Nothing else may depend on
            values, slices and the number of members of a list included.
        n: how many values there are; by default as many as `make` has parameters.

    Values are texts and whole numbers, as the database takes them.
    """

    def __init__(self, make: Callable[..., QuerySet[Any, R]], n: int | None = None) -> None:
        self._make = make
        self._n = make.__code__.co_argcount if n is None else n

    def all(self, *values: Any) -> list[R]:
        """Run the query with these values and return every row."""
        return list(self._ready().run(values))

    def first(self, *values: Any) -> R | None:
        """Run the query with these values and return the first row, or None."""
        return next(iter(self._ready().run(values)), None)

    def _ready(self) -> _Compiled:
        connection = connections["default"]
        known: dict[Prepared[Any], _Compiled] = connection.__dict__.setdefault("prepared_queries", {})
        if self not in known:
            known[self] = _Compiled(self._make, self._n)
        return known[self]


class _Compiled:
    """The SQL of one query for one connection, which belongs to one thread."""

    def __init__(self, make: Callable[..., QuerySet[Any, Any]], n: int) -> None:
        marks = range(_FIRST_MARK, _FIRST_MARK + n)
        self._queryset = make(*marks)
        self._compiler: Any = self._queryset.query.get_compiler(using="default")
        self._sql, params = self._compiler.as_sql()
        self._slots = [
            int(value) - _FIRST_MARK if str(value).isdigit() and int(value) in marks else None
            for value in params
        ]
        if set(self._slots) - {None} != set(range(n)):
            raise ValueError("a value of a prepared query is not used in it")
        self._params = params
        self._compiler.as_sql = self._filled
        self._queryset.query.get_compiler = lambda *_, **__: self._compiler  # type: ignore[method-assign]
        self._values: tuple[Any, ...] = ()

    def run(self, values: tuple[Any, ...]) -> Any:
        self._values = values
        return self._queryset._iterable_class(self._queryset)

    def _filled(self, *_: Any, **__: Any) -> tuple[str, tuple[Any, ...]]:
        pairs = zip(self._params, self._slots, strict=True)
        return self._sql, tuple(value if slot is None else self._values[slot] for value, slot in pairs)
