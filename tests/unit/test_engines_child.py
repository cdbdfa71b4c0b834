"""Commands of runs: their log, their whole process group, their end in words."""

import json
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from mtcore.engines.child import Child, ChildFailed, command_line, start, stop_left_over
from mtcore.engines.exits import explain_exit
from mtcore.engines.rundir import RunDir

TREE = """
import subprocess, sys, time
inner = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
stubborn = subprocess.Popen([sys.executable, "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True); "
    "time.sleep(600)"])
print("pids", inner.pid, stubborn.pid, flush=True)
time.sleep(600)
"""


def python(code: str) -> list[str]:
    return [sys.executable, "-c", textwrap.dedent(code)]


def alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def exists(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def wait_until(said, seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not said():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def tree(rundir: RunDir) -> tuple[Child, list[int]]:
    """Start a command with two children of its own, one of which ignores SIGTERM."""
    child = start(python(TREE), rundir, grace=0.5)
    wait_until(lambda: rundir.child.exists() and {"ready"} <= set(rundir.tail()) and len(rundir.tail()) >= 3)
    pids = next(line for line in rundir.tail() if line.startswith("pids")).split()[1:]
    return child, [json.loads(rundir.child.read_text())["group"], *map(int, pids)]


@pytest.fixture
def rundir(tmp_path):
    return RunDir(tmp_path / "7").create()


def test_every_line_is_handed_over_and_kept(rundir):
    lines: list[str] = []
    child = start(python("""
        import sys, time
        for n in range(5):
            print("line", n, flush=True); time.sleep(0.05)
        print("to stderr", file=sys.stderr)
    """), rundir, variables={"TOKENS": "a b"})  # fmt: skip
    assert child.wait(on_line=lines.append)
    assert [*lines[:5], lines[-1]] == [*(f"line {n}" for n in range(5)), "to stderr"]
    assert rundir.tail()[0].startswith("$ env 'TOKENS=a b' ")
    assert not rundir.child.exists()


def test_a_second_command_reads_only_its_own_lines(rundir):
    for word in ("first", "second"):
        lines: list[str] = []
        assert start(python(f"print('{word}')"), rundir).wait(on_line=lines.append)
        assert lines == [word]


def test_stopping_ends_the_whole_group_within_ten_seconds_cel_03(rundir):
    child, pids = tree(rundir)
    began = time.monotonic()
    assert not child.wait(should_stop=lambda: True)
    assert time.monotonic() - began < 10
    assert not [pid for pid in [*pids, child.process.pid] if exists(pid)], "nothing runs, nothing is defunct"
    assert not rundir.child.exists()


def test_a_command_that_ends_takes_what_it_started_along(rundir):
    child = start(python("""
        import subprocess, sys
        print(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]).pid, flush=True)
    """), rundir)  # fmt: skip
    lines: list[str] = []
    assert child.wait(on_line=lines.append)
    assert not exists(int(lines[0]))


def test_killing_whoever_asked_ends_the_group(rundir, tmp_path):
    asker = subprocess.Popen(python(f"""
        from pathlib import Path
        from mtcore.engines.child import start
        from mtcore.engines.rundir import RunDir
        start({python(TREE)!r}, RunDir(Path({str(rundir.root)!r})), grace=0.5).wait()
    """))  # fmt: skip
    wait_until(lambda: "ready" in rundir.tail() and rundir.child.exists())
    pids = [json.loads(rundir.child.read_text())["group"]]
    pids += map(int, next(line for line in rundir.tail() if line.startswith("pids")).split()[1:])
    asker.kill()
    asker.wait()
    wait_until(lambda: not any(alive(pid) for pid in pids))


def test_killing_the_guard_too_leaves_a_note_by_which_the_next_attempt_ends_the_rest(rundir):
    child, pids = tree(rundir)
    child.process.kill()
    child.process.wait()
    wait_until(lambda: not alive(pids[0]))
    assert any(alive(pid) for pid in pids), "its own children go on"
    assert stop_left_over(rundir, grace=0.2)
    wait_until(lambda: not any(alive(pid) for pid in pids))
    assert not rundir.child.exists()
    assert not stop_left_over(rundir)


def test_whoever_wakes_after_another_has_taken_over_touches_nothing_of_its(rundir):
    """A worker that slept past its lease ends its own command; the one of who goes on is not its own."""
    sleeper, old = tree(rundir)
    rundir.log.write_text("")
    successor, new = tree(rundir)  # the first thing it does is to end what is left running
    wait_until(lambda: not any(alive(pid) for pid in old) and sleeper.process.poll() is not None)
    note = rundir.child.read_text()
    with pytest.raises(ChildFailed):
        sleeper.wait()
    sleeper.stop()
    assert all(alive(pid) for pid in new) and successor.process.poll() is None
    assert rundir.child.read_text() == note
    successor.stop()
    assert not any(alive(pid) for pid in new) and not rundir.child.exists()


@pytest.mark.parametrize("change", [{"boot": "another machine"}, {"started": "1"}])
def test_a_note_of_another_machine_or_process_touches_nothing(rundir, change):
    child, pids = tree(rundir)
    note = json.loads(rundir.child.read_text())
    rundir.child.write_text(json.dumps(note | change))
    assert not stop_left_over(rundir)
    assert all(alive(pid) for pid in pids)
    child.stop()
    stop_left_over(rundir)


@pytest.mark.parametrize(
    ("code", "exit_code", "words"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", 137, "killed (signal 9)"),
        ("import os; os.abort()", 134, "signal 6"),
        ("raise SystemExit(3)", 3, "exit code 3"),
        ("x = [0] * 10**16", 1, "ran out of memory"),
        ("print('torch.OutOfMemoryError: CUDA out of memory.'); raise SystemExit(1)", 1, "accelerator"),
        ("raise OSError(28, 'No space left on device')", 1, "The disk is full"),
        ("raise OSError(27, 'File too large')", 1, "A file grew larger"),
        ("raise ValueError('odd dictionary')", 1, "ValueError: odd dictionary"),
    ],
)
def test_a_failure_is_explained(rundir, code, exit_code, words):
    with pytest.raises(ChildFailed) as caught:
        start(python(code), rundir).wait()
    assert caught.value.exit_code == exit_code
    assert words in caught.value.message
    assert caught.value.remedy


def test_what_an_earlier_attempt_said_explains_nothing(rundir):
    rundir.say("torch.OutOfMemoryError: CUDA out of memory.")
    with pytest.raises(ChildFailed, match="exit code 3"):
        start(python("raise SystemExit(3)"), rundir).wait()


def test_a_missing_program_is_said(rundir):
    with pytest.raises(ChildFailed, match="not found") as caught:
        start(["/no/such/python", "-c", "1"], rundir).wait()
    assert caught.value.exit_code == 127


def test_exit_codes_of_shell_and_python_mean_the_same():
    assert explain_exit(137) == explain_exit(-9)
    assert explain_exit(143)[0] == explain_exit(-signal.SIGTERM)[0]
    assert "signal 31" in explain_exit(128 + 31)[0]
    assert "200" in explain_exit(200)[0]
    assert "Python package" in explain_exit(1, ["ModuleNotFoundError: No module named 'torch'"])[0]


def test_the_command_can_be_pasted():
    assert command_line(["a b", "c"]) == "'a b' c"
