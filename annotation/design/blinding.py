"""Public keys that say nothing about what they stand for."""

import base64
from collections.abc import Callable, Collection, Hashable, Sequence
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)

#: 128 random bits: 22 characters of the URL-safe base 64 alphabet.
KEY_BYTES = 16


def public_keys(
    number: int, draw: Callable[[int], bytes], taken: Collection[str] = (), n_bytes: int = KEY_BYTES
) -> list[str]:
    """Draw distinct public keys.

    Args:
        number: keys wanted.
        draw: gives that many random bytes: `secrets.token_bytes` where a key must not be guessed, the `bytes`
            method of a seeded generator where it must be repeatable.
        taken: keys in use already.
        n_bytes: random bytes in a key; 16 make 22 characters.

    Returns:
        Keys of letters, digits, `-` and `_`, none of them twice and none taken.

    Raises:
        ValueError: the bytes are too few for so many keys.
    """
    used = set(taken)
    if len(used) + number > 256**n_bytes:
        raise ValueError(f"keys of {n_bytes} bytes are too short for {len(used) + number} of them")
    keys: list[str] = []
    while len(keys) < number:
        key = base64.urlsafe_b64encode(draw(n_bytes)).rstrip(b"=").decode("ascii")
        if key not in used:
            used.add(key)
            keys.append(key)
    return keys


def blind(names: Sequence[Key], draw: Callable[[int], bytes], taken: Collection[str] = ()) -> dict[Key, str]:
    """Give every name its own public key (a one-to-one mapping).

    Raises:
        ValueError: a name occurs twice.
    """
    if len(set(names)) != len(names):
        raise ValueError("a name occurs twice")
    return dict(zip(names, public_keys(len(names), draw, taken), strict=True))
