"""Do one stage of a phrase-based system: `python -m mtcore.engines.thot_child JOB.json`.

The job says what is to `do`, with which files, and where to say that it is `done`. Progress goes to standard
output as {"progress": share, "note": words}. Thot runs in no other process than this one.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from mtcore.corpora.errors import CorpusError
from mtcore.engines import thot_decoder, thot_stages
from mtcore.engines.errors import EngineError

STAGES = {
    "cut": thot_stages.cut,
    "align": thot_stages.align,
    "extract": thot_stages.extract,
    "language_model": thot_stages.language_model,
    "tune": thot_decoder.tune,
    "decode": thot_decoder.decode,
}


def main(arguments: list[str]) -> int:
    """Do the stage of a job file; a mistake that is the user's ends with 1 and a line that says it."""
    job: dict[str, Any] = json.loads(Path(arguments[0]).read_text("utf-8"))
    try:
        facts = STAGES[job["do"]](job, _say)
    except (EngineError, CorpusError) as error:
        print(f"error: {error}", file=sys.stderr, flush=True)
        return 1
    thot_stages.finish(Path(job["done"]), facts)
    return 0


def _say(share: float, note: str) -> None:
    print(json.dumps({"progress": round(share, 4), "note": note}), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
