"""Convert a Transformer of fairseq for CTranslate2: `python convert_ctranslate2.py JOB.json`.

JOB has: checkpoint, data (a folder with the dictionaries), source, target, to. What CTranslate2 does not take
ends with 1 and its words.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from fairseq_repairs import repair


def main(arguments: list[str]) -> int:
    """Do the job of a file."""
    job = json.loads(Path(arguments[0]).read_text("utf-8"))
    repair()
    from ctranslate2.converters import FairseqConverter

    converter = FairseqConverter(
        job["checkpoint"], job["data"], source_lang=job["source"], target_lang=job["target"]
    )
    try:
        converter.convert(job["to"])
    except ValueError as error:
        print(
            f"error: CTranslate2 does not take this model: {error}. Use the engine fairseq.", file=sys.stderr
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
