"""Read the scale that a command was given."""

from evalplatform.errors import BadInput


def scale_read(text: str) -> tuple[int, int]:
    """Return lowest and highest score of a scale written as 1-100.

    Raises:
        BadInput: it is no such thing.
    """
    low, dash, high = text.partition("-")
    if not dash or not (low.isascii() and low.isdigit() and high.isascii() and high.isdigit()):
        raise BadInput(f"“{text}” is not a scale.", "Give two whole numbers, as 1-100.")
    return int(low), int(high)
