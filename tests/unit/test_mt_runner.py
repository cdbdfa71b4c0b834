"""Scripts in environments of their own: each question gets its own answer, whoever asks beside."""

import sys
from concurrent.futures import ThreadPoolExecutor

from mtcore.metrics.mt_runner import JsonLines

ECHO = """
import json, sys, time
for line in sys.stdin:
    time.sleep(0.002)
    print(line.strip(), flush=True)
"""


def test_threads_that_share_a_script_get_their_own_answers():
    """Two runs of one process score by one model at a time."""
    script = JsonLines([sys.executable, "-c", ECHO], "Echo")
    asked = [{"place": place, "text": "x" * 20_000} for place in range(40)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(script.ask, asked)) == asked
