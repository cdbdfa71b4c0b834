"""Statistics of segments as bytes, to be kept."""

from __future__ import annotations

import io
import zlib

import numpy as np

from mtcore.metrics.base import FloatArray


def stats_pack(stats: FloatArray) -> bytes:
    """Write statistics of segments [n, k] so that they come back the same on every machine."""
    buffer = io.BytesIO()
    np.save(buffer, np.asarray(stats, dtype="<f8"), allow_pickle=False)
    return zlib.compress(buffer.getvalue(), 1)


def stats_unpack(data: bytes | memoryview) -> FloatArray:
    """Read what `stats_pack` wrote."""
    array: FloatArray = np.load(io.BytesIO(zlib.decompress(bytes(data))), allow_pickle=False)
    return array.astype(np.float64, copy=False)
