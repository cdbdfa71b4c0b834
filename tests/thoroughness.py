"""How much a property is tried: less in `make test`, all of it in `make test-long`."""

is_long = False
"""Whether long tests are among those that run; set before tests are read."""


def examples(few: int, many: int) -> int:
    """Return how many examples to try."""
    return many if is_long else few
