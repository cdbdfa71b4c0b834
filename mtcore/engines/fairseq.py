"""fairseq 0.12.2 in its own interpreter: Transformers, LSTMs and Transformer language models.

What to read next: the command lines in `fairseq_commands`; preparation, training and decoding in the files
beside it; the programs that run over there in `mt_side`. Text is raw; subwords, and what makes them
reversible, are in `subword_models`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from mtcore.engines import fairseq_decode, fairseq_prepare, fairseq_train
from mtcore.engines.base import Engine, Line, Prepared, Scored, Texts, Work
from mtcore.engines.bundle import Bundle, bundle_open
from mtcore.engines.errors import EngineError
from mtcore.engines.fairseq_environment import REMEDY, environment, require_environment
from mtcore.engines.recipe import LSTM, PHRASE, TRANSFORMER, Decoding, Recipe

_LM = "lm"


class FairseqEngine(Engine):
    """Trains and decodes with fairseq; the same seed gives the same model and text on a CPU."""

    name: ClassVar[str] = "fairseq"
    trains: ClassVar[frozenset[str]] = frozenset({TRANSFORMER, LSTM, _LM})
    decodes: ClassVar[frozenset[str]] = frozenset({TRANSFORMER, LSTM})
    scores: ClassVar[frozenset[str]] = frozenset({_LM})
    install_hint: ClassVar[str] = REMEDY

    def is_available(self) -> bool:
        """Tell whether the training environment's interpreter has torch and fairseq."""
        found = environment(self.setup)
        return not found.problem and bool(found.version("torch") and found.version("fairseq"))

    def signature(self) -> str:
        """Return "fairseq 0.12.2, torch 2.13.0, Python 3.11.7"."""
        found = environment(self.setup)
        versions = [f"{name} {found.version(name)}" for name in ("fairseq", "torch") if found.version(name)]
        return ", ".join([*versions, f"Python {found.python}"]) if versions else self.name

    def shown_commands(self, recipe: Recipe, source: str, target: str) -> list[str]:
        """Return the commands of a training as they can be shown before it is launched."""
        return fairseq_train.shown_commands(self.setup, recipe, source, target)

    def prepare(self, train: Texts, valid: Texts, recipe: Recipe, work: Work) -> Prepared:
        """Make words, subwords, dictionaries and binary files in `work.rundir.work/prepared`.

        Pairs with a blank side are left out and counted in the facts ("train_blank").
        """
        if recipe.model.architecture == PHRASE:
            raise EngineError("fairseq trains no phrase-based systems.", "Use the engine thot.")
        packages = {"subword-nmt": ["subword-nmt"], "sentencepiece": ["sentencepiece"]}
        require_environment(self.setup, "torch", "fairseq", *packages.get(recipe.subwords.tool, []))
        return fairseq_prepare.prepare(self.setup, train, valid, recipe, work)

    def train(self, prepared: Prepared, recipe: Recipe, work: Work) -> Bundle:
        """Train, going on from the last whole checkpoint in `work.rundir.work/checkpoints`."""
        if work.rundir.has_result:
            return bundle_open(work.rundir.result)
        return fairseq_train.train(self.setup, prepared, recipe, work)

    def translate(
        self, bundles: Sequence[Bundle], lines: Sequence[str], decoding: Decoding, work: Work
    ) -> list[Line]:
        """Translate; a score is the log probability (natural) by length, as fairseq normalises it."""
        self._require_kind(bundles, self.decodes, "translate with")
        require_environment(self.setup, "torch", "fairseq")
        return fairseq_decode.translate(self.setup, bundles, lines, decoding, work)

    def score(self, bundle: Bundle, lines: Sequence[str], work: Work) -> list[Scored]:
        """Score lines, each for itself from the beginning of a sentence.

        The end of the sentence counts: `n_tokens` is pieces + 1, `n_words` words between blanks + 1, so that
        exp(−Σ log p / Σ n_words) is the perplexity by word and exp(−Σ log p / Σ n_tokens) the one by piece.
        A blank line has just its end.
        """
        self._require_kind([bundle], self.scores, "score with")
        require_environment(self.setup, "torch", "fairseq")
        return fairseq_decode.score(self.setup, bundle, lines, work)

    def _require_kind(self, bundles: Sequence[Bundle], kinds: frozenset[str], what: str) -> None:
        for bundle in bundles:
            kind, engine = bundle.facts.get("kind"), bundle.facts.get("engine")
            if engine != self.name or kind not in kinds:
                raise EngineError(
                    f"{bundle.folder} is a {kind} of the engine {engine}; fairseq cannot {what} it.",
                    f"Give one of kind {', '.join(sorted(kinds))}.",
                )
