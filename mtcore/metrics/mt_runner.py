"""Talk to a script in an environment of its own: JSON lines in and out, its model loaded once."""

from __future__ import annotations

import contextlib
import functools
import json
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from mtcore.metrics.base import MetricError, MetricUnavailable

LOOK_SECONDS = 60.0
"""How long an interpreter may take to say what is installed in it."""
LOOK = "--versions"
OFFLINE = ("HF_HUB_OFFLINE=1", "TRANSFORMERS_OFFLINE=1", "TOKENIZERS_PARALLELISM=false")
"""Models come from paths here; nothing is looked for elsewhere."""
_LONGEST = 300


class JsonLines:
    """A script that answers each line of JSON with one line of JSON.

    It is started when it is first asked, and ends with the object, with the process, or when its input does.
    An answer with "error" is a mistake in words; everything else that it says goes aside and is read only
    when it ends early.
    """

    def __init__(self, command: Sequence[str], what: str) -> None:
        """Prepare the script.

        Args:
            command: interpreter, script and arguments.
            what: how messages call it.
        """
        self.command = list(command)
        self.what = what
        self._process: subprocess.Popen[bytes] | None = None
        self._said: IO[bytes] | None = None
        self._asking = threading.Lock()

    def ask(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """Send a question and return its answer; whoever asks meanwhile waits.

        Raises:
            MetricError: the script says that it cannot, or ended; the message has what it said last.
        """
        with self._asking:
            return self._answer(question)

    def _answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        process = self._started()
        if process.stdin is None or process.stdout is None:
            raise MetricError(f"{self.what} has no pipes")
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps(question).encode("ascii") + b"\n")
            process.stdin.flush()
        line = process.stdout.readline()
        if not line.endswith(b"\n"):
            raise MetricError(self._why())
        try:
            answer: dict[str, Any] = json.loads(line)
        except ValueError as error:
            raise MetricError(f"{self.what} answered {line[:80]!r}, which is no JSON") from error
        if "error" in answer:
            raise MetricError(f"{self.what}: {answer['error']}")
        return answer

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._said = tempfile.TemporaryFile()  # noqa: SIM115 (it lives as long as the script)
            try:
                self._process = subprocess.Popen(  # nosec B607 # `env` of the system, no shell
                    ["env", *OFFLINE, *self.command],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self._said,
                )
            except OSError as error:
                raise MetricUnavailable(
                    f"{self.what} cannot be started: {self.command[0]}: {error.strerror}"
                ) from error
            weakref.finalize(self, _end, self._process)
        return self._process

    def _why(self) -> str:
        process, said = self._process, self._said
        self._process = self._said = None
        if process is None or said is None:
            return f"{self.what} was not started"
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(5)
        code = process.returncode
        _end(process)
        said.seek(0)
        lines = [line.strip() for line in said.read().decode("utf-8", "replace").split("\n") if line.strip()]
        if code == -9:
            return (
                f"{self.what} was killed, which usually means that the memory did not suffice: take a "
                "smaller model, or a machine with more memory"
            )
        return f"{self.what} ended early: {lines[-1][:_LONGEST] if lines else f'exit code {code}'}"


_LIVE: weakref.WeakValueDictionary[tuple[str, ...], JsonLines] = weakref.WeakValueDictionary()


def json_lines(command: Sequence[str], what: str) -> JsonLines:
    """Return the script of a command; all that use it at one time share it, and the model it has loaded."""
    found = _LIVE.get(tuple(command))
    if found is None:
        found = _LIVE[tuple(command)] = JsonLines(command, what)
    return found


def look_into(command: Sequence[str], install: str) -> dict[str, Any]:
    """Ask a script what is installed beside it: {"versions": {package: version or ""}, …}; loads no model.

    Args:
        command: interpreter and script.
        install: what makes it available.

    Raises:
        MetricUnavailable: there is no interpreter, it does not run, or it does not answer.
    """
    python = Path(command[0]) if command and command[0] else None
    if python is None or not python.is_file():
        told = f"there is no interpreter {python}" if python else "no interpreter is named"
        raise MetricUnavailable(f"{told}: {install}")
    return dict(_look(tuple(command), install, python.stat().st_mtime_ns))


@functools.lru_cache(maxsize=8)
def _look(command: tuple[str, ...], install: str, _changed: int) -> Mapping[str, Any]:
    python = command[0]
    try:
        done = subprocess.run(
            [*command, LOOK], capture_output=True, timeout=LOOK_SECONDS, stdin=subprocess.DEVNULL, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise MetricUnavailable(
            f"{python} did not answer within {LOOK_SECONDS:.0f} seconds: {install}"
        ) from error
    except OSError as error:
        raise MetricUnavailable(f"{python} cannot be run ({error.strerror}): {install}") from error
    try:
        answer: dict[str, Any] = json.loads(done.stdout.decode("utf-8").strip().rpartition("\n")[2])
        answer["versions"] = dict(answer["versions"])
    except (ValueError, KeyError, TypeError) as error:
        said = [line for line in done.stderr.decode("utf-8", "replace").split("\n") if line.strip()]
        told = f" ({said[-1].strip()[:_LONGEST]})" if said else ""
        raise MetricUnavailable(f"{python} is not the interpreter that is needed{told}: {install}") from error
    return answer


def require(found: Mapping[str, Any], packages: Sequence[str], python: str, install: str) -> None:
    """Make sure that packages are installed.

    Raises:
        MetricUnavailable: one is not; the message says what to do.
    """
    missing = [name for name in packages if not found["versions"].get(name)]
    if missing:
        raise MetricUnavailable(f"{' and '.join(missing)} not installed for {python}: {install}")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
