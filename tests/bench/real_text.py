"""What the chain on real text has found, as a section; measured only where it is named, for it takes long."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench.timing import Section, table
from tests.paths import DATA, ROOT
from tests.realdata.systems_chain import FIGURES, LM_CAPTIONS, LSTM_BLEU, PAIRS, PARTS, TRANSFORMER_BLEU

MT_PYTHON = ROOT / ".venv-mt" / "bin" / "python"

ALONE = (
    "Multi30k German to English, all 29,000 captions, small models ({transformer} and {lstm} updates); "
    "time from texts to translations, each of the two chains on one half of the cores."
)
PAIR = (
    "OP and BT, English to German, {pair} updates each: {pairs} captions, newstest2013 and newstest2019 "
    "(NTREX) are parallel; the German side of the other captions was translated back, sampled, by a "
    "reverse model of as many updates. A language model of each system learned from its translations of "
    "`mono/en.txt` and {more} captions, one of natural text from `mono/de.txt`; {lm} updates each. "
    "Captions are test_2016_flickr; news are newstest2014 (X, Y\\*, X\\*\\* by people, both directions). "
    "Such small models do not translate news: these rows show that the tables fill, not an effect."
)


def measure() -> Section:
    """Run the chain in a folder of its own and tell its figures."""
    if not DATA.is_dir() or not MT_PYTHON.is_file():
        return Section(
            "Real text: systems, language models, tables",
            "Not measured: the shared real data or the training environment (make mt) is absent.",
        )
    with tempfile.TemporaryDirectory() as name:
        return told(chain_found(Path(name)))


def chain_found(folder: Path, *options: str) -> dict:
    """Run the parts of the chain side by side, each in a process of its own; return what they found."""
    environment = os.environ | {"OMP_NUM_THREADS": str(max(1, (os.cpu_count() or 1) // len(PARTS)))}
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.realdata.systems_chain", str(folder / part), part, *options],
            cwd=ROOT,
            env=environment,
            stdout=sys.stderr,
        )
        for part in PARTS
    ]
    assert not [process for process in running if process.wait()], "a part of the chain has failed; see above"
    return chain_read(folder)


def chain_read(folder: Path) -> dict:
    """Return what the parts of a chain have found in their folders."""
    found: dict = {}
    for part in PARTS:
        found |= json.loads((folder / part / "found.json").read_text("utf-8"))
    return found


def told(found: dict) -> Section:
    """Write the section of what was found."""
    section = Section("Real text: systems, language models, tables", "")
    rows = []
    for name, least in (("transformer", TRANSFORMER_BLEU), ("lstm", LSTM_BLEU)):
        bleu, (seconds, processors) = found[f"{name} BLEU"], found[f"{name} s"]
        section.promise(f"{name}: at least {least} BLEU on test_2016_flickr", bleu >= least)
        rows.append([name, f"{bleu:.2f}", f"{seconds / 60:.0f} min", f"{processors / 60:.0f} min"])
    tables = [_body(found[f"tables {name}"]) for name in ("captions", "news")]
    section.promise("no cell of the tables of news is missing", "Missing:" not in found["tables news"])
    verdicts = [line for name in ("flickr", "news-direct") for line in found[f"verdict {name}"]]
    section.text = "\n\n".join(
        [
            ALONE.format(transformer=_updates("transformer"), lstm=_updates("lstm")),
            table(["system", "BLEU", "wall time", "processor time"], rows),
            PAIR.format(
                pair=_updates("pair"), pairs=f"{PAIRS:,}", lm=_updates("lm"), more=f"{LM_CAPTIONS:,}"
            ),
            "### Captions",
            tables[0],
            "### News",
            tables[1],
            *(f"> {line}" for line in verdicts),
        ]
    )
    return section


def _updates(name: str) -> str:
    figures = dict(one.split("=", 1) for one in FIGURES[name])
    return f"{int(figures['training.max_updates']):,}"


def _body(markdown: str) -> str:
    """Return the tables of a report, headings below ours, without signatures and what would fill gaps."""
    markdown = re.sub(r"^Missing: .*?^```\n.*?^```$", "", markdown, flags=re.MULTILINE | re.DOTALL)
    kept = [line for line in markdown.split("\n") if not re.search(r"`[^`]*\|[^`]*`", line)]
    text = re.sub(r"^#+ (.*)$", r"**\1**", "\n".join(kept), flags=re.MULTILINE)
    return re.sub(r"\n{3,}", "\n\n", text).strip()
