"""Training through the platform beside the bare commands: wall time on a machine left alone.

The texts are Multi30k (shared data). Everything is done by `manage.py` in a data folder of its own; the bare
side gives fairseq's own commands for the same work. About six minutes on two quiet cores.
"""

import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from mtcore.engines.fairseq_commands import Place, preprocess_command, train_command
from mtcore.engines.recipe_files import recipe_find, recipe_set
from mtcore.engines.setup import Setup
from mtcore.engines.subword_models_split import split_words
from tests.bench.timing import Section, table
from tests.paths import DATA, ROOT

MT_PYTHON = ROOT / ".venv-mt" / "bin" / "python"
CAPTIONS = DATA / "parallel" / "multi30k"
SMALL_PAIRS, SMALL_UPDATES, TIMES = 4_000, 120, 3
BACK_LINES = 100_000
"""To be translated back: the captions, over and over."""
_SMALL = {"subwords.size": "2000", "training.max_updates": str(SMALL_UPDATES), "decoding.engine": "fairseq"}


def measure() -> Section:
    """Time the pipeline."""
    return measured("Systems: the pipeline beside bare commands", [_pipelines])


def measured(title: str, parts: Sequence[Callable[["Manage", Section], str]]) -> Section:
    """Return a section of parts that are measured one after the other in one data folder."""
    section = Section(title, "")
    if not CAPTIONS.is_dir() or not MT_PYTHON.is_file():
        section.text = "Not measured: the shared real data or the training environment (make mt) is absent."
        return section
    with tempfile.TemporaryDirectory() as name:
        place = Manage(Path(name))
        place.texts()
        section.text = "\n\n".join(part(place, section) for part in parts)
    return section


class Manage:
    """A data folder of its own and the commands given in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        keep = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        own = {"DATA_DIR": str(folder / "data"), "FAIRSEQ_PYTHON": str(MT_PYTHON)}
        self.environment = keep | own | {"OMP_WAIT_POLICY": "PASSIVE"}  # for both sides alike

    def __call__(self, *arguments: object) -> str:
        return self.command([sys.executable, str(ROOT / "manage.py"), *map(str, arguments)])

    def command(self, command: list[str]) -> str:
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{command} ended with {done.returncode}: {done.stderr[-2000:]}")
        return done.stdout

    def texts(self) -> None:
        """Import Multi30k: all of it, a small part, what is validated on, German to be translated, a test."""
        self("migrate", "-v", 0)
        for tag in ("de", "en"):
            lines = (
                gzip.decompress((CAPTIONS / f"train.{tag}.gz").read_bytes()).decode("utf-8").split("\n")[:-1]
            )
            for name, some in (("small", lines[:SMALL_PAIRS]), ("back", (lines * 4)[:BACK_LINES])):
                (self.folder / f"{name}.{tag}").write_text("".join(f"{one}\n" for one in some), "utf-8")
        pairs = {
            "all": [CAPTIONS / f"train.{tag}.gz" for tag in ("de", "en")],
            "small": [self.folder / f"small.{tag}" for tag in ("de", "en")],
            "valid": [CAPTIONS / f"val.{tag}" for tag in ("de", "en")],
        }
        for name, (german, english) in pairs.items():
            self(
                "import_corpus", name, "--languages", "de-en", "--source", german, "--target", english,
                "--test-segments", "keep",
            )  # fmt: skip
        self("import_corpus", "back", "--languages", "de", "--text", self.folder / "back.de")

    def train(self, name: str, recipe: str, corpus: str, figures: dict[str, str]) -> None:
        settings = [f"{key}={value}" for key, value in figures.items()]
        self(
            "train_system", name, "--recipe", recipe, "--corpus", corpus, "--valid", "valid",
            "--test-segments", "keep", "--set", *settings,
        )  # fmt: skip

    def runs(self, code: str) -> Any:
        """Evaluate an expression about runs and corpora in the platform's shell."""
        given = f"import json; from mtcore.models import Corpus, Run; print(json.dumps({code}))"
        return json.loads(self("shell", "-v0", "-c", given))


def _pipelines(place: Manage, section: Section) -> str:
    """Train the same small model through the platform and by bare commands, in turn."""
    recipe = recipe_set(recipe_find("tiny-op"), _SMALL)
    ours, bare = [], []
    for number in range(TIMES):
        began = time.monotonic()
        place.train(f"ours-{number}", "tiny-op", "small", _SMALL)
        ours.append(time.monotonic() - began)
        began = time.monotonic()
        _bare(place, recipe, place.folder / f"bare-{number}")
        bare.append(time.monotonic() - began)
    own, other = statistics.median(ours), statistics.median(bare)
    section.promise(
        f"the pipeline takes at most 1.10 times the bare commands, or 20 s more (median of {TIMES})",
        own <= 1.10 * other or own <= other + 20,
    )
    rows = [["ours", f"{own:.1f} s", f"{own / other:.2f}"], ["bare commands", f"{other:.1f} s", "1"]]
    return (
        f"A Transformer of {SMALL_UPDATES} updates on {SMALL_PAIRS:,} pairs, from texts to the model; wall "
        f"time, median of {TIMES} in turn. *Ours*: `train_system`, with filtering, checks, checksums and the "
        "start of the program. *Bare*: subword-nmt, then fairseq's preprocess and train, same options.\n\n"
        + table(["", "wall time", "times bare"], rows)
    )


def _bare(place: Manage, recipe, folder: Path) -> None:
    """Do the work of the small training by the tools' own commands."""
    folder.mkdir()
    setup, tool = Setup(MT_PYTHON), str(MT_PYTHON.parent / "subword-nmt")
    sources = {"train": place.folder / "small", "valid": CAPTIONS / "val"}
    for part, stem in sources.items():
        for tag in ("de", "en"):
            lines = Path(f"{stem}.{tag}").read_text("utf-8").split("\n")[:-1]
            (folder / f"{part}.{tag}").write_text("".join(f"{split_words(one)}\n" for one in lines), "utf-8")
    both = "".join((folder / f"train.{tag}").read_text("utf-8") for tag in ("de", "en"))
    (folder / "both").write_text(both, "utf-8")
    codes = str(folder / "codes")
    place.command(
        [tool, "learn-bpe", "-s", str(recipe.subwords.size), "-i", str(folder / "both"), "-o", codes]
    )
    for part in sources:
        for tag in ("de", "en"):
            pieces = str(folder / f"{part}.pieces.{tag}")
            place.command([tool, "apply-bpe", "-c", codes, "-i", str(folder / f"{part}.{tag}"), "-o", pieces])
    languages = ["de", "en"]
    place.command(preprocess_command(setup, folder, folder / "data", recipe, languages, os.cpu_count() or 1))
    place.command(train_command(setup, folder / "data", folder / "save", recipe, languages, Place()))
