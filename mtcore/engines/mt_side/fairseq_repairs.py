"""Make fairseq 0.12.2 work on a current Python and torch; call `repair()` before fairseq is imported.

Each repair was seen to be needed:
1. import: mutable defaults of dataclasses → they are given a hash while fairseq is imported;
2. decoding: "Mask Type should be defined" → the encoder layer's fast path is switched off;
3. torch ≥ 2.6 loads nothing but weights → what else is in checkpoints is allowed by name;
4. numpy: names that are gone since 1.24 (`np.float`, `np.int`, `np.bool`) and `np.compat.long` come back.
(The other two, a sane longest translation and a tolerant reading of its log, are in what calls it.)
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import importlib
import types
import warnings
from collections.abc import Callable
from typing import Any


def repair() -> Any:
    """Import fairseq with all repairs; returns the package."""
    warnings.filterwarnings("ignore", category=FutureWarning)
    warnings.filterwarnings("ignore", category=UserWarning, module="torch|fairseq|hydra")
    _repair_numpy()
    allow_checkpoints()
    with_hash = dataclasses.dataclass
    dataclasses.dataclass = functools.wraps(with_hash)(_hashing(with_hash))
    try:
        import fairseq
        import fairseq.checkpoint_utils
        import fairseq.options
        import fairseq.tasks
        import fairseq.utils
    finally:
        dataclasses.dataclass = with_hash
    _switch_fast_path_off()
    return fairseq


def allow_checkpoints() -> None:
    """Let torch load what fairseq writes beside weights: options, and numbers of numpy (counts of BLEU)."""
    import numpy
    import torch

    numbers = [type(numpy.dtype(kind)) for kind in ("float64", "float32", "int64")]
    made = importlib.import_module("numpy.core.multiarray")
    arrays = [made.scalar, made._reconstruct, numpy.ndarray]
    torch.serialization.add_safe_globals([argparse.Namespace, numpy.dtype, *arrays, *numbers])


def _hashing(original: Callable[..., Any]) -> Callable[..., Any]:
    def dataclass(cls: Any = None, /, **options: Any) -> Any:
        options.setdefault("unsafe_hash", True)
        return original(cls, **options)

    return dataclass


def _repair_numpy() -> None:
    import numpy

    for name, value in {"float": float, "int": int, "bool": bool, "object": object}.items():
        if name not in numpy.__dict__:
            setattr(numpy, name, value)
    if not hasattr(numpy, "compat"):
        setattr(numpy, "compat", types.SimpleNamespace(long=int))  # noqa: B010


def _switch_fast_path_off() -> None:
    from fairseq.modules import transformer_layer

    original = transformer_layer.TransformerEncoderLayerBase.__init__

    @functools.wraps(original)
    def slow_path(self: Any, *arguments: Any, **options: Any) -> None:
        original(self, *arguments, **options)
        self.can_use_fastpath = False

    transformer_layer.TransformerEncoderLayerBase.__init__ = slow_path
