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
    """A kind of heavy work: who does it, on which queue, and who looks at its options before the launch."""

    runner: Runner
    queue: str = "default"
    check: Callable[[Mapping[str, Any]], None] = _anything


RUN_KINDS: dict[str, RunKind] = {
    "import_corpus": RunKind(run_corpora.corpus_import_run, check=run_corpora.import_check),
    "filter_corpus": RunKind(run_corpora.corpus_filter_run, check=run_corpora.filter_check),
    "mix_corpora": RunKind(run_mixing.corpora_mix_run, check=run_mixing.mix_check),
    "split_corpus": RunKind(run_mixing.corpus_split_run, check=run_mixing.split_check),
    "train_model": RunKind(run_training.model_train_run, check=run_training.train_check),
    "translate_testset": RunKind(run_decoding.testset_translate_run),
    "translate_shard": RunKind(run_decoding.shard_translate_run),
    "join_shards": RunKind(run_decoding.shards_join_run, check=run_decoding.join_check),
    "train_lm": RunKind(run_training.lm_train_run, check=run_training.train_check),
    "score_lm": RunKind(run_lm.lm_score_run),
    "preflight": RunKind(run_preflight.preflight_run),
    "score_outputs": RunKind(run_scoring.outputs_score_run, check=run_scoring.outputs_score_check_run),
    "measure_diversity": RunKind(run_diversity.diversity_run, check=run_diversity.diversity_check),
    "compare_fluency": RunKind(run_fluency.fluency_run, check=run_fluency.fluency_check_run),
    "compare_closeness": RunKind(run_fluency.closeness_run, check=run_fluency.closeness_check_run),
    "compare_directions": RunKind(run_fluency.directions_run, check=run_fluency.directions_check_run),
}
"""Name → kind."""
