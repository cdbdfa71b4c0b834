"""Public keys are distinct and made of harmless characters."""

import re
import secrets

import numpy as np
import pytest

from annotation.design.blinding import blind, public_keys


def test_keys_are_distinct_url_safe_and_repeatable() -> None:
    keys = public_keys(5000, np.random.default_rng(1).bytes)
    assert len(set(keys)) == 5000
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{22}", key) for key in keys)
    assert keys == public_keys(5000, np.random.default_rng(1).bytes)
    assert not set(keys) & set(public_keys(5000, secrets.token_bytes))


def test_taken_keys_are_not_given_again() -> None:
    taken = public_keys(200, np.random.default_rng(2).bytes, n_bytes=1)
    rest = public_keys(56, np.random.default_rng(2).bytes, taken, n_bytes=1)
    assert len({*taken, *rest}) == 256
    with pytest.raises(ValueError, match="too short"):
        public_keys(57, np.random.default_rng(2).bytes, taken, n_bytes=1)


def test_blinding_is_one_to_one() -> None:
    names = [f"system {number}" for number in range(300)]
    keys = blind(names, np.random.default_rng(3).bytes)
    assert list(keys) == names
    assert len(set(keys.values())) == 300
    with pytest.raises(ValueError, match="twice"):
        blind(["a", "a"], np.random.default_rng(3).bytes)
