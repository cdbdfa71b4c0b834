"""What a recipe is: how a system is made, every figure named and none hidden."""

from __future__ import annotations

from dataclasses import dataclass, field

from mtcore.corpora.filters import HIGHEST, FilterOptions
from mtcore.engines.errors import EngineError
from mtcore.engines.ranges import Number, Numbers, OneOf, Range, Switch, Text, Whole, out_of_range

OP, BT, LM = "OP", "BT", "LM"
KINDS = (OP, BT, LM)
TRANSFORMER, LSTM, PHRASE = "transformer", "lstm", "phrase"
ARCHITECTURES = (TRANSFORMER, LSTM, PHRASE)
ALIGNMENTS = ("fast-align", "ibm1", "ibm2", "hmm", "ibm3")
OPTIMISERS = ("adam", "nag", "sgd", "adagrad", "adadelta")
COMPUTE_TYPES = (
    "auto", "float32", "float16", "bfloat16", "int16", "int8", "int8_float32", "int8_float16",
    "int8_bfloat16",
)  # fmt: skip
MOST_COPIES = 1_000
"""Most copies of a corpus in a mix."""


class RecipeError(EngineError):
    """A recipe that is unknown or makes no sense; `remedy` says what to write instead."""


@dataclass(frozen=True)
class Subwords:
    """How words are cut.

    Attributes:
        tool: "subword-nmt", "sentencepiece" or "none" (whole words).
        joint: one model and one dictionary for both sides.
        size: merge operations (subword-nmt) or pieces (sentencepiece).
        min_count: rarer pieces are unknown.
    """

    tool: str = "subword-nmt"
    joint: bool = True
    size: int = 32_000
    min_count: int = 0


@dataclass(frozen=True)
class Model:
    """The model.

    Attributes:
        architecture: one of ARCHITECTURES; a language model is a transformer or, for phrases, n-grams.
        encoder_layers: of a language model 0.
        embedding: width of embeddings, and of the LSTM's state.
        attention: "dot" or "mlp" (for the LSTM).
        share: "all" embeddings, the "decoder"'s two, or "none".
        adaptive_input: cut-offs of an adaptive input and output, empty for none.
        norm_first: a transformer normalises before attention and feed-forward instead of after them: with
            few updates it learns more, and high learning rates harm it less.
        order: of the n-gram language model of a phrase-based system.
        alignment: the word alignment a phrase-based system is made from, one of ALIGNMENTS.
    """

    architecture: str = TRANSFORMER
    encoder_layers: int = 6
    decoder_layers: int = 6
    embedding: int = 1024
    feed_forward: int = 4096
    heads: int = 16
    dropout: float = 0.3
    attention_dropout: float = 0.0
    activation_dropout: float = 0.0
    attention: str = "dot"
    bidirectional: bool = False
    share: str = "all"
    adaptive_input: tuple[int, ...] = ()
    norm_first: bool = False
    order: int = 5
    alignment: str = "fast-align"


@dataclass(frozen=True)
class Training:
    """How it learns.

    Attributes:
        learning_rate: the highest one of "inverse_sqrt" and "fixed"; the factor of "noam". schedule:
        "inverse_sqrt", "noam", "fixed" or "cosine". max_tokens: target tokens of a batch on one device; 0
        when `max_sentences` counts. update_frequency: batches whose gradients are summed before a step, for
        few devices in the place of many. max_updates: steps; 0 for no limit. patience: end after so many
        validations without a better perplexity; 0 for never. validate_every: steps between validations, each
        with a checkpoint. keep_checkpoints: the newest so many are kept, beside the best. precision: "fp32",
        "fp16" or "bf16"; "auto" takes bf16 where the device has it. devices: accelerators of one machine; 0
        takes the CPU. machines: machines that train together. tuning_iterations: most rounds of tuning of a
        phrase-based system; 0 leaves it untuned. validate_bleu: fairseq also translates the validation text,
        greedily, whenever it validates, and tells BLEU (not of a language model).
    """

    optimiser: str = "adam"
    learning_rate: float = 0.001
    betas: tuple[float, ...] = (0.9, 0.98)
    weight_decay: float = 0.0
    label_smoothing: float = 0.1
    clip_norm: float = 0.0
    schedule: str = "inverse_sqrt"
    warmup: int = 4000
    max_tokens: int = 3584
    max_sentences: int = 0
    update_frequency: int = 1
    max_updates: int = 30_000
    max_epochs: int = 0
    patience: int = 0
    validate_every: int = 1000
    keep_checkpoints: int = 10
    precision: str = "auto"
    devices: int = 1
    machines: int = 1
    seed: int = 1
    tuning_iterations: int = 25
    validate_bleu: bool = False


@dataclass(frozen=True)
class Decoding:
    """How it translates.

    Attributes:
        engine: "auto" takes the fastest that can; else the name of an engine.
        sampling: draw from the whole distribution instead of searching.
        top_k: draw from the k most likely only; 0 for all.
        length_a, length_b: at most a · n + b pieces for a line of n.
        average: checkpoints that are averaged, the newest; 1 takes the best as it is.
        seeds: models of an ensemble, trained with seeds from `training.seed` on.
        compute_type: numbers CTranslate2 calculates with: "float32", "int8", "float16" …; "auto" takes
        "float32" on a CPU and 16 bits on a device.
        mask_unknown: a phrase-based system writes UNK for a word it does not know instead of the word itself.
    """

    engine: str = "auto"
    beam: int = 5
    length_penalty: float = 1.0
    sampling: bool = False
    top_k: int = 0
    temperature: float = 1.0
    batch_sentences: int = 64
    length_a: float = 1.3
    length_b: int = 8
    average: int = 1
    seeds: int = 1
    seed: int = 1
    compute_type: str = "auto"
    mask_unknown: bool = False


@dataclass(frozen=True)
class BackTranslation:
    """How back-translations are made and mixed in.

    Attributes:
        decoding: of the reverse model; sampled, after Edunov et al. (2018).
        upsample: copies of the parallel text beside one of the back-translations.
        tag: put before every back-translated source, as "<BT>"; empty for none.
        shard_lines: lines of a shard, the unit that is translated, checked and resumed.
    """

    decoding: Decoding = field(default_factory=lambda: Decoding(beam=1, sampling=True))
    upsample: int = 1
    tag: str = ""
    shard_lines: int = 500_000


@dataclass(frozen=True)
class Recipe:
    """How a system or a language model is made, from its texts to its translations."""

    name: str
    kind: str
    description: str = ""
    filters: FilterOptions = field(default_factory=FilterOptions)
    subwords: Subwords = field(default_factory=Subwords)
    model: Model = field(default_factory=Model)
    training: Training = field(default_factory=Training)
    decoding: Decoding = field(default_factory=Decoding)
    back_translation: BackTranslation = field(default_factory=BackTranslation)

    def __post_init__(self) -> None:
        wrong = out_of_range(self, RANGES)
        if wrong:
            raise RecipeError(*wrong)
        if self.model.architecture == TRANSFORMER and self.model.embedding % self.model.heads:
            raise RecipeError(
                f"model.embedding is {self.model.embedding}, which {self.model.heads} heads do not divide.",
                "Give a multiple of model.heads.",
            )
        if self.subwords.joint is False and self.model.share == "all":
            raise RecipeError(
                "model.share is “all”, but each side has subwords of its own.",
                'Write model.share = "decoder", or subwords.joint = true.',
            )
        if not (self.training.max_updates or self.training.max_epochs or self.training.patience):
            raise RecipeError(
                "Training would never end.",
                "Give training.max_updates, training.max_epochs or training.patience.",
            )
        _check_model(self)
        _check_training(self.training)

    @property
    def highest_rate(self) -> float:
        """Return the learning rate at the end of the warm-up; Noam's is factor · width^−½ · warm-up^−½."""
        if self.training.schedule == "noam":
            return self.training.learning_rate * (self.model.embedding * self.training.warmup) ** -0.5
        return self.training.learning_rate


def decoding_check(decoding: Decoding, path: str = "decoding.") -> None:
    """Refuse figures of decoding that make no sense, for those that are given without a recipe.

    Raises:
        RecipeError: naming the figure, its value and what is allowed.
    """
    wrong = out_of_range(decoding, RANGES, path)
    if wrong:
        raise RecipeError(*wrong)


def _check_model(recipe: Recipe) -> None:
    neural = recipe.model.architecture != PHRASE
    if neural and recipe.kind != LM and not recipe.model.encoder_layers:
        raise RecipeError(
            "“model.encoder_layers” is 0, which only a language model can have.", "Write a number from 1 on."
        )
    for path, one in {
        "decoding": recipe.decoding, "back_translation.decoding": recipe.back_translation.decoding
    }.items():  # fmt: skip
        if not (one.length_a or one.length_b):
            raise RecipeError(
                f"“{path}.length_a” and “{path}.length_b” are both 0: no translation would have a word.",
                "Give one of them from 1 on.",
            )


def _check_training(training: Training) -> None:
    if not (training.max_tokens or training.max_sentences):
        raise RecipeError(
            "“training.max_tokens” and “training.max_sentences” are both 0: a batch would hold nothing.",
            "Give one of them.",
        )
    if training.schedule == "noam" and not training.warmup:
        raise RecipeError(
            "“training.warmup” is 0, and the rates of the schedule “noam” are counted from it.",
            'Write a number from 1 on, or training.schedule = "fixed".',
        )
    if training.schedule == "cosine" and not training.max_updates:
        raise RecipeError(
            "“training.max_updates” is 0, and the schedule “cosine” falls until then.",
            "Write a number from 1 on.",
        )
    if training.optimiser == "adam" and not training.betas:
        raise RecipeError("“training.betas” is [], and adam needs two.", "Write [0.9, 0.98], say.")


_MUCH = 1_000_000_000
_SHARE = Number(0, 1, below=True)
_SEED = Whole(0, 2**32 - 1)

RANGES: dict[str, Range] = {
    "name": Text(1, 120),
    "kind": OneOf(KINDS),
    "description": Text(0, 10_000, lines=True),
    "filters.min_words": Whole(0, HIGHEST),
    "filters.max_words": Whole(0, HIGHEST),
    "filters.max_ratio": Number(0, HIGHEST),
    "filters.language": Switch(),
    "filters.min_letters": Whole(0, HIGHEST),
    "filters.duplicates": Switch(),
    "subwords.tool": OneOf(("subword-nmt", "sentencepiece", "none")),
    "subwords.joint": Switch(),
    "subwords.size": Whole(1, 1_000_000),
    "subwords.min_count": Whole(0, _MUCH),
    "model.architecture": OneOf(ARCHITECTURES),
    "model.encoder_layers": Whole(0, 256),
    "model.decoder_layers": Whole(1, 256),
    "model.embedding": Whole(1, 65_536),
    "model.feed_forward": Whole(1, 262_144),
    "model.heads": Whole(1, 1_024),
    "model.dropout": _SHARE,
    "model.attention_dropout": _SHARE,
    "model.activation_dropout": _SHARE,
    "model.attention": OneOf(("dot", "mlp")),
    "model.bidirectional": Switch(),
    "model.share": OneOf(("all", "decoder", "none")),
    "model.adaptive_input": Numbers(Whole(1, _MUCH), tuple(range(17)), rising=True),
    "model.norm_first": Switch(),
    "model.order": Whole(1, 10),
    "model.alignment": OneOf(ALIGNMENTS),
    "training.optimiser": OneOf(OPTIMISERS),
    "training.learning_rate": Number(0, 1_000, above=True),
    "training.betas": Numbers(_SHARE, (0, 2)),
    "training.weight_decay": Number(0, 10),
    "training.label_smoothing": _SHARE,
    "training.clip_norm": Number(0, 1_000_000),
    "training.schedule": OneOf(("inverse_sqrt", "noam", "fixed", "cosine")),
    "training.warmup": Whole(0, _MUCH),
    "training.max_tokens": Whole(0, 10_000_000),
    "training.max_sentences": Whole(0, 1_000_000),
    "training.update_frequency": Whole(1, 10_000),
    "training.max_updates": Whole(0, _MUCH),
    "training.max_epochs": Whole(0, 1_000_000),
    "training.patience": Whole(0, 1_000_000),
    "training.validate_every": Whole(1, _MUCH),
    "training.keep_checkpoints": Whole(1, 10_000),
    "training.precision": OneOf(("auto", "fp32", "fp16", "bf16")),
    "training.devices": Whole(0, 1_024),
    "training.machines": Whole(1, 1_024),
    "training.seed": _SEED,
    "training.tuning_iterations": Whole(0, 10_000),
    "training.validate_bleu": Switch(),
    "decoding.engine": Text(1, 60),
    "decoding.beam": Whole(1, 1_000),
    "decoding.length_penalty": Number(-10, 10),
    "decoding.sampling": Switch(),
    "decoding.top_k": Whole(0, 1_000_000),
    "decoding.temperature": Number(0, 100, above=True),
    "decoding.batch_sentences": Whole(1, 100_000),
    "decoding.length_a": Number(0, 100),
    "decoding.length_b": Whole(0, 100_000),
    "decoding.average": Whole(1, 1_000),
    "decoding.seeds": Whole(1, 100),
    "decoding.seed": _SEED,
    "decoding.compute_type": OneOf(COMPUTE_TYPES),
    "decoding.mask_unknown": Switch(),
    "back_translation.upsample": Whole(1, MOST_COPIES),
    "back_translation.tag": Text(0, 60),
    "back_translation.shard_lines": Whole(1, 100_000_000),
}
"""Figure → what it may be; those of `back_translation.decoding` are those of `decoding`."""
