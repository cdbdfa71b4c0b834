"""Systems, language models and tables from real text, by the platform's own commands.

    python -m pytest tests/realdata/test_systems_chain.py -m long -s

`python -m tests.bench real_text` writes its figures into docs/benchmarks.md.
"""

import pytest

from tests.bench.real_text import MT_PYTHON, chain_found, told
from tests.paths import needs_data

pytestmark = [
    needs_data,
    pytest.mark.long,
    pytest.mark.process,
    pytest.mark.skipif(not MT_PYTHON.is_file(), reason="the training environment is absent: make mt"),
]


def test_small_systems_learn_real_text_and_fill_the_tables(tmp_path):
    section = told(chain_found(tmp_path))
    print(section.text)
    assert section.promises and not section.missed
