"""Folders of runs: results are whole or not there."""

import json

import pytest

from mtcore.engines.rundir import RunDir, RunDirError, atomic_file, publish, tail, verify


@pytest.fixture
def rundir(tmp_path):
    return RunDir(tmp_path / "runs" / "3").create()


def test_a_result_appears_at_once_with_its_sums(rundir):
    with rundir.staged() as folder:
        (folder / "sub").mkdir()
        (folder / "sub" / "model").write_bytes(b"abc")
        (folder / "lines.txt").write_text("one\n")
        assert not rundir.has_result and not rundir.result.exists()
    assert rundir.has_result
    assert set(verify(rundir.result)) == {"lines.txt", "sub/model"}
    assert sorted(path.name for path in rundir.root.iterdir()) == ["result"]


def test_half_a_result_is_never_seen(rundir):
    with pytest.raises(RuntimeError), rundir.staged() as folder:
        (folder / "lines.txt").write_text("one\n")
        raise RuntimeError
    assert list(rundir.root.iterdir()) == []
    (rundir.root / ".staged-killed").mkdir()  # what a killed attempt leaves
    rundir.create()
    assert list(rundir.root.iterdir()) == []


def test_a_result_is_written_once(rundir):
    with rundir.staged() as folder:
        (folder / "a").write_text("1")
    with pytest.raises(RunDirError, match="written once"), rundir.staged():
        pass
    other = rundir.root / "other"
    other.mkdir()
    with pytest.raises(RunDirError, match="written once"):
        publish(other, rundir.result)
    assert (rundir.result / "a").read_text() == "1"


@pytest.mark.parametrize("harm", ["change", "remove", "manifest"])
def test_damage_is_named(rundir, harm):
    with rundir.staged() as folder:
        (folder / "model").write_bytes(b"abc")
    if harm == "change":
        (rundir.result / "model").write_bytes(b"abd")
    elif harm == "remove":
        (rundir.result / "model").unlink()
    else:
        (rundir.result / "manifest.json").write_text("{")
    with pytest.raises(RunDirError, match="manifest" if harm == "manifest" else "model"):
        verify(rundir.result)


def test_a_file_appears_whole(tmp_path):
    path = tmp_path / "sums.json"
    with atomic_file(path) as draft:
        draft.write_text(json.dumps({}))
        assert not path.exists()
    with pytest.raises(RuntimeError), atomic_file(path) as draft:
        draft.write_text("half")
        raise RuntimeError
    assert path.read_text() == "{}"
    assert list(tmp_path.iterdir()) == [path]


def test_the_tail_reads_only_the_end(rundir):
    assert rundir.tail() == []
    for number in range(2000):
        rundir.say(f"line {number}")
    assert rundir.tail(2) == ["line 1998", "line 1999"]
    assert tail(rundir.log, 5000, max_bytes=100)[0].startswith("line ")
    rundir.log.write_bytes(b"10 %\r20 %\r\n\xff\n")
    assert rundir.tail() == ["10 %", "20 %", "\ufffd"]
