"""Talk to a Java program line by line, whatever the locale of the host."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import tempfile
import weakref
import zipfile
from collections.abc import Iterator, Sequence
from typing import IO

from mtcore.metrics.base import MetricError, MetricUnavailable

CHUNK_LINES = 50
"""Lines sent before answers are read; both fit the buffers of pipes, so that nobody waits for the other."""

INSTALL_JAVA = "install a Java runtime (on Debian: apt install default-jre-headless)"
_DAMAGED = ("corrupt jarfile", "no main manifest attribute", "ClassNotFoundException", "NoClassDefFoundError")
_LINE_ENDS = re.compile("[\r\n\x0b\x0c\x85\u2028\u2029]")
_ENVIRONMENT = {"LC_ALL": "C", "LANG": "C"}
_OPTIONS = ("-Dfile.encoding=UTF-8", "-Duser.language=en", "-Duser.country=US")


def find_java() -> str | None:
    """Return where the Java runtime is, if there is one."""
    return shutil.which("java")


class JavaLines:
    """A jar that answers each line it is sent with one line.

    It is started when it is first asked, and ends with the object, or with the process.
    """

    def __init__(self, jar: str, arguments: Sequence[str], what: str, memory: str = "2G") -> None:
        """Prepare the program.

        Args:
            jar: path of the program.
            arguments: what it is started with.
            what: how messages call it.
            memory: the most that it may take for its objects, as Java writes it.

        Raises:
            MetricUnavailable: there is no Java.
        """
        java = find_java()
        if java is None:
            raise MetricUnavailable(f"there is no Java here: {INSTALL_JAVA}")
        self.what, self.jar = what, jar
        self.command = [java, f"-Xmx{memory}", *_OPTIONS, "-jar", jar, *arguments]
        self._process: subprocess.Popen[bytes] | None = None
        self._said: IO[bytes] | None = None

    def ask(self, lines: Sequence[str]) -> Iterator[str]:
        """Send lines and give their answers in order.

        Raises:
            MetricError: the program ended; the message has the last line that it said.
        """
        for start in range(0, len(lines), CHUNK_LINES):
            chunk = [_LINE_ENDS.sub(" ", line) for line in lines[start : start + CHUNK_LINES]]
            process = self._started()
            if process.stdin is None or process.stdout is None:
                raise MetricError("the program has no pipes")
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write("".join(f"{line}\n" for line in chunk).encode("utf-8", "replace"))
                process.stdin.flush()
            answers = [process.stdout.readline() for _ in chunk]
            if not answers[-1].endswith(b"\n"):
                raise MetricError(self._why())
            yield from (answer.decode("utf-8", "replace").strip() for answer in answers)

    def end(self) -> None:
        """End the program, so that none of its answers is taken for one to a later line."""
        process, self._process, self._said = self._process, None, None
        if process is not None:
            _end(process)

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._said = tempfile.TemporaryFile()  # noqa: SIM115 (it lives as long as the program)
            try:
                self._process = subprocess.Popen(
                    self.command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self._said,
                    env=_ENVIRONMENT,
                )
            except OSError as error:
                raise MetricUnavailable(
                    f"{self.what}: {self.command[0]} cannot be started ({error.strerror}): {INSTALL_JAVA}"
                ) from error
            weakref.finalize(self, _end, self._process)
        return self._process

    def _why(self) -> str:
        """Return the first line of the program's complaint, once it has ended."""
        process, said = self._process, self._said
        self._process = self._said = None
        if process is None or said is None:
            return "the program was not started"
        _end(process)
        said.seek(0)
        lines = [line for line in said.read().decode("utf-8", "replace").split("\n") if line.strip()]
        what = lines[0].strip() if lines else f"exit code {process.returncode}"
        if any(mark in what for mark in _DAMAGED) or not zipfile.is_zipfile(self.jar):
            return f"{self.what}: {self.jar} is damaged or no such program ({what}); name a whole one"
        if "OutOfMemoryError" in what:
            return f"{self.what}: the memory of its program ({self.jar}) did not suffice for a line ({what})"
        return f"{self.what}: its program {self.jar} ended early: {what}"


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
