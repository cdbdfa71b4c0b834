"""A tiny training with the real engine: texts in two made-up languages, a system, an output."""

from __future__ import annotations

import json

import numpy as np

from mtcore.corpora.synthetic import SOURCE, Speaker, make_lexicon
from mtcore.engines.recipe_files import recipe_find, recipe_set
from mtcore.models import Run, SystemOutput
from mtcore.services import testsets
from mtcore.services.corpora import corpus_register
from mtcore.services.corpora_write import corpus_write
from mtcore.services.texts import NamedText
from mtcore.services.training import system_train

TINY = {
    "model.encoder_layers": "1", "model.decoder_layers": "1", "model.embedding": "32",
    "model.feed_forward": "32",
    "model.heads": "2", "subwords.size": "200", "training.max_updates": "60", "training.validate_every": "20",
    "training.max_tokens": "500", "decoding.beam": "2", "decoding.engine": "fairseq",
}  # fmt: skip


def launch(**settings: str) -> list[int]:
    """Register texts and launch a tiny OP system with a test set; return the numbers of its runs."""
    rng = np.random.default_rng(5)
    speaker = Speaker(make_lexicon(rng), SOURCE, rng)
    for name, n in (("par", 200), ("valid", 20)):
        pairs = speaker.sentences(n)
        draft = corpus_write(
            name=name,
            kind="parallel",
            languages=["qaa", "qab"],
            pairs=pairs,
            report=lambda: {"made_by": "test"},
        )
        corpus_register(draft)
    source, reference = zip(*speaker.sentences(10), strict=True)
    testsets.testset_create(
        testsets.testset_draft(
            name="test",
            languages="qaa:qab",
            sources=[NamedText("src", "src", source)],
            references=[NamedText("ref", "ref", reference)],
        )
    )
    recipe = recipe_set(recipe_find("tiny-op"), {**TINY, **settings})
    wanted = {"corpora": ["par"], "valid": "valid", "testsets": ["test"], "test_segments": "drop"}
    pipeline = system_train(name="OP", recipe=recipe, engine="fairseq", **wanted)
    return [run.pk for run in pipeline.runs]


def told() -> str:
    """Return as JSON how the runs stand and what was registered."""
    outputs = SystemOutput.objects.order_by("pk")
    return json.dumps(
        {
            "runs": list(
                Run.objects.order_by("pk").values("pk", "state", "attempts", "message", "exit_code")
            ),
            "outputs": [
                {
                    "sha256": one.sha256,
                    "seeds": one.provenance["seeds"],
                    "lines": one.lines.count(),
                }
                for one in outputs
            ],
        }
    )
