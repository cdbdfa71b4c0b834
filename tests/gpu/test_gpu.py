"""The prepared script runs on an accelerator, and skips with its reason elsewhere."""

import subprocess
from pathlib import Path

import pytest

from tests.engine_material import SETUP
from tests.paths import ROOT

RUN = ROOT / "tests" / "gpu" / "run.sh"


def run(*arguments, seconds=300):
    return subprocess.run(
        [RUN, *arguments], capture_output=True, text=True, timeout=seconds, check=False, cwd=ROOT
    )


@pytest.mark.gpu
@pytest.mark.skipif(not Path("/dev/nvidiactl").exists(), reason="there is no GPU on this machine")
def test_a_gpu_trains_and_decodes_in_half_precision():
    done = run()
    assert done.returncode == 0, done.stdout + done.stderr
    if done.stdout.startswith("skipped"):
        pytest.skip(done.stdout.strip())
    assert '"precision": "fp32"' not in done.stdout and '"learned": true' in done.stdout


@pytest.mark.long
@pytest.mark.skipif(not SETUP.has_mt, reason="the training environment (make mt) is absent")
def test_the_script_itself_works_without_one():
    done = run("--cpu", "--updates", "20", "--pairs", "300", "--lines", "40")
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"tokens_per_second"' in done.stdout and '"lines_per_second"' in done.stdout
