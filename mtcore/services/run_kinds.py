"""The kinds of heavy work: a new one is a runner in a file of its own and one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mtcore.services import (
    run_corpora,
    run_decoding,
    run_diversity,
    run_fluency,
    run_lm,
    run_mixing,
    run_preflight,
    run_scoring,
    run_training,
)
from mtcore.services.run_context import Outcome, RunContext

Runner = Callable[[RunContext], Outcome]
"""Does the work of a run; goes on from `rundir.work` when it is called again; looks at `should_stop`."""


def _anything(options: Mapping[str, Any]) -> None:
    """Accept all options."""


@dataclass(frozen=True)
class RunKind:
    """A kind of heavy work: who does it, on which queue, and who looks at its options before the launch.

    `needs` names the options without which it cannot be done.
    """

    runner: Runner
    queue: str = "default"
    check: Callable[[Mapping[str, Any]], None] = _anything
    needs: tuple[str, ...] = ()


_TRAINING = ("recipe", "seed", "valid", "engine")

RUN_KINDS: dict[str, RunKind] = {
    "import_corpus": RunKind(
        run_corpora.corpus_import_run,
        check=run_corpora.import_check,
        needs=("name", "languages", "sources"),
    ),
    "filter_corpus": RunKind(
        run_corpora.corpus_filter_run, check=run_corpora.filter_check, needs=("corpus", "name")
    ),
    "mix_corpora": RunKind(run_mixing.corpora_mix_run, check=run_mixing.mix_check, needs=("name", "parts")),
    "split_corpus": RunKind(
        run_mixing.corpus_split_run, check=run_mixing.split_check, needs=("corpus", "names", "seed")
    ),
    "train_model": RunKind(
        run_training.model_train_run,
        check=run_training.train_check,
        needs=("system", "kind", "corpus", "source", "target", *_TRAINING),
    ),
    "translate_testset": RunKind(
        run_decoding.testset_translate_run, needs=("system", "testset", "inputs", "engine")
    ),
    "translate_shard": RunKind(
        run_decoding.shard_translate_run,
        needs=("system", "corpus", "language", "part", "parts", "decoding", "engine"),
    ),
    "join_shards": RunKind(
        run_decoding.shards_join_run,
        check=run_decoding.join_check,
        needs=("name", "corpus", "language", "back", "parts"),
    ),
    "train_lm": RunKind(
        run_training.lm_train_run,
        check=run_training.train_check,
        needs=("name", "language", "corpora", "system", *_TRAINING),
    ),
    "score_lm": RunKind(run_lm.lm_score_run, needs=("lm", "lm_run", "engine")),
    "preflight": RunKind(
        run_preflight.preflight_run,
        needs=("recipe", "corpora", "sides", "lines", "mono_lines", "engine", "seconds"),
    ),
    "score_outputs": RunKind(run_scoring.outputs_score_run, check=run_scoring.outputs_score_check_run),
    "measure_diversity": RunKind(run_diversity.diversity_run, check=run_diversity.diversity_check),
    "compare_fluency": RunKind(run_fluency.fluency_run, check=run_fluency.fluency_check_run),
    "compare_closeness": RunKind(run_fluency.closeness_run, check=run_fluency.closeness_check_run),
    "compare_directions": RunKind(run_fluency.directions_run, check=run_fluency.directions_check_run),
}
"""Name → kind."""
