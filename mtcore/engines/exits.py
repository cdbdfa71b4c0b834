"""Say in words how a command ended: what its exit code and its last lines mean, and what to do about it."""

from __future__ import annotations

import re
import signal
from collections.abc import Sequence

_PATTERNS: tuple[tuple[str, str, str], ...] = (
    (
        r"CUDA (error: )?out of memory|OutOfMemoryError|CUBLAS_STATUS_ALLOC_FAILED|HIP out of memory",
        "The accelerator ran out of memory.",
        "Try smaller batches (fewer tokens a batch, gradients summed over more of them), half precision, "
        "or a smaller model.",
    ),
    (
        r"No space left on device|Errno 28|Disk quota exceeded|Errno 122|PytorchStreamWriter failed writing",
        "The disk is full.",
        "Free space where DATA_DIR lies, or keep fewer checkpoints, then resume.",
    ),
    (
        r"\[Errno 27\] File too large",
        "A file grew larger than is allowed here.",
        "Raise the limit on the size of files (ulimit -f, or the worker's service), then resume.",
    ),
    (
        r"\bMemoryError\b|std::bad_alloc|Cannot allocate memory|Errno 12\b|can't allocate memory"
        r"|Unable to allocate",
        "The machine ran out of memory.",
        "Try smaller batches, fewer workers for loading data, or a machine with more memory.",
    ),
    (
        r"No module named '?([\w.]+)",
        "A Python package is missing in the interpreter that ran the command.",
        "Build the training environment again.",
    ),
    (
        r"No CUDA GPUs are available|CUDA driver version is insufficient|no NVIDIA driver",
        "No accelerator can be used on this machine.",
        "Run it on the CPU, or on a machine whose driver works.",
    ),
)
_SIGNALS = {
    signal.SIGKILL: (
        "was killed (signal 9), which usually means that the machine ran out of memory",
        "Look into the kernel's log; try smaller batches, then resume.",
    ),
    signal.SIGTERM: ("was asked to stop from outside (signal 15)", "Resume it when nothing else ends it."),
    signal.SIGINT: ("was interrupted (signal 2)", "Resume it."),
    signal.SIGSEGV: (
        "crashed in native code (signal 11)",
        "Look at the log; check that the versions in the training environment fit each other.",
    ),
    signal.SIGABRT: ("gave up in native code (signal 6)", "Look at the log."),
    signal.SIGBUS: (
        "could not reach memory or a file it had mapped (signal 7)",
        "Check the disk's free space.",
    ),
    signal.SIGXFSZ: ("wrote a file larger than is allowed (signal 25)", "Raise the limit, then resume."),
    signal.SIGXCPU: ("used more processor time than is allowed (signal 24)", "Raise the limit, then resume."),
}
_LAST_WORDS = re.compile(
    r"^(?:[\w.]*(?:Error|Exception|Interrupt)\b.*|(?:error|fatal|E):? .*)$", re.IGNORECASE
)


def explain_exit(code: int, said: Sequence[str] = ()) -> tuple[str, str]:
    """Return what an exit code and the last lines of a log mean, and what to do.

    Args:
        code: as a shell gives it (128 + n for signal n) or as Python does (−n).
        said: the last lines of the log, oldest first.
    """
    found = recognised(said)
    number = -code if code < 0 else code - 128 if code > 128 else 0
    if found:
        return f"{found[0]}{_last(said)}", found[1]
    if code == 0:
        return "The command ended well.", ""
    if code == 127:
        return f"The program was not found.{_last(said)}", "Check its path, or build the environment again."
    if code == 126:
        return f"The program could not be started.{_last(said)}", "Check that it may be executed."
    known = next((words for name, words in _SIGNALS.items() if name == number), None)
    if known:
        return f"The command {known[0]}.", known[1]
    if number and number in {int(name) for name in signal.Signals}:
        return f"The command was ended by signal {number}.", "Look at the log, then resume."
    return f"The command ended with exit code {code}.{_last(said)}", "Look at the end of the log."


def recognised(said: Sequence[str]) -> tuple[str, str] | None:
    """Find the cause of a failure that the last lines name: (what happened, what to do)."""
    text = "\n".join(said)
    for pattern, message, remedy in _PATTERNS:
        if re.search(pattern, text):
            return message, remedy
    return None


def _last(said: Sequence[str]) -> str:
    """Quote the last line that names an error, or else the very last one."""
    lines = [line.strip() for line in said if line.strip() and not line.startswith("$ ")]
    named = [line for line in lines if _LAST_WORDS.match(line)]
    line = (named or lines)[-1] if lines else ""
    return f" It said: {line[:300]}" if line else ""
