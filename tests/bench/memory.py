"""How far a process has grown at its peak, counting nothing that its parent held."""

import re
import resource
import sys
from pathlib import Path

STATUS = Path("/proc/self/status")
PEAK = re.compile(r"^VmHWM:\s*(\d+) kB$", re.MULTILINE)


def peak_bytes(status: Path = STATUS) -> int:
    """Return the most memory that this process has held, in bytes.

    On Linux VmHWM, which begins anew when a program starts. `ru_maxrss` begins with what the parent held, so
    in a child of a large process it says nothing; it is what there is elsewhere (macOS gives it in bytes).
    """
    try:
        found = PEAK.search(status.read_text(encoding="ascii", errors="replace"))
    except OSError:
        found = None
    if found:
        return int(found[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def grows_at_most(ratio: float, small: float, large: float) -> bool:
    """Tell whether the larger job grew at most so many times as much; growth of nothing was not measured."""
    return small > 0 and 0 < large <= ratio * small
