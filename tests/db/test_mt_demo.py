"""The demo of a whole chain: launched, printed, removed; and for real, that BT beats OP where it should."""

import os
import re
import subprocess
import sys

import pytest

from evalplatform.errors import Conflict
from mtcore.models import Corpus, Run, System, SystemOutput, TestSet
from mtcore.services.demo_mt import demo_mt_launch, demo_mt_remove, demo_mt_scores
from tests.db.test_mt_killed import MT_PYTHON
from tests.factories.runs import work_all
from tests.factories.word_engine import WordEngine, only_words
from tests.paths import ROOT

SIZES = {"parallel": 60, "valid": 10, "monolingual": 50, "test": 10}


@pytest.mark.django_db
def test_the_whole_chain_is_launched_scored_by_direction_and_removed(monkeypatch, settings):
    only_words(monkeypatch)
    demo = demo_mt_launch(seed=3, sizes=SIZES)
    assert len(demo.runs) == 3 + 8
    with pytest.raises(Conflict, match="is there already"):
        demo_mt_launch(seed=3, sizes=SIZES)
    work_all()
    assert set(Run.objects.values_list("state", flat=True)) == {"succeeded"}, [
        run.message for run in Run.objects.all()
    ]
    assert WordEngine.trained == [("qaa-qab", 3), ("qab-qaa", 3), ("qaa-qab", 3)]
    scores = demo_mt_scores(demo=demo)
    assert {name: set(found) for name, found in scores.items()} == {
        "OP": {"direct", "reverse"},
        "BT": {"direct", "reverse"},
    }
    assert SystemOutput.objects.count() == 2
    demo_mt_remove(seed=3)
    for model in (Run, System, SystemOutput, TestSet, Corpus):
        assert not model.objects.exists(), model
    assert not list((settings.DATA_DIR / "runs").iterdir())
    assert not list((settings.DATA_DIR / "corpora").iterdir())


@pytest.mark.long
@pytest.mark.process
@pytest.mark.skipif(not MT_PYTHON.is_file(), reason="the training environment is absent: make mt")
def test_bt_beats_op_on_text_from_the_target_side_over_three_seeds(tmp_path):
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    environment |= {"DATA_DIR": str(tmp_path), "SECRET_KEY": "demo-" + "k" * 50}
    gains = []
    for seed in (1, 2, 3):
        done = subprocess.run(
            [sys.executable, "manage.py", "demo_mt", "--seed", str(seed)],
            cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
        op, bt = (
            re.search(rf"^{kind} +([\d.]+) +([\d.]+)$", done.stdout, re.M).groups() for kind in ("OP", "BT")
        )
        print(f"seed {seed}: OP {op}, BT {bt}; {done.stdout.splitlines()[-1]}")
        gains.append(float(bt[1]) - float(op[1]))
    assert min(gains) > 3, f"BT − OP on text from the target side: {gains}"
