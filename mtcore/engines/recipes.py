"""The recipes that come with the platform.

The figures of the two studies are those of their recipes: Edunov et al. (2020, §3) and Vanmassenhove et al.
(2021, §3). What a paper leaves open is taken from the work it cites (Ott et al. 2018, whose 128 accelerators
are 8 times 16 batches here; the OpenNMT FAQ). `tiny-*` recipes have the same shape for two cores.
"""

from __future__ import annotations

from dataclasses import replace

from mtcore.corpora.filters import FilterOptions
from mtcore.engines.recipe import (
    BT,
    LM,
    LSTM,
    OP,
    PHRASE,
    BackTranslation,
    Decoding,
    Model,
    Recipe,
    Subwords,
    Training,
)

_BIG = Model()
_OTT = Training(update_frequency=16, max_updates=30_000, devices=8)
_EDUNOV_OP = Recipe(
    "edunov-op",
    OP,
    "Edunov et al. 2020, En–De: Transformer big on parallel text; batches and rates of Ott et al. 2018",
    filters=FilterOptions(language=False),
    model=_BIG,
    training=_OTT,
)
_EDUNOV_RU = replace(
    _EDUNOV_OP,
    name="edunov-op-large",
    description="Edunov et al. 2020, De–En and En–Ru: FFN 8192, an ensemble of three; for En–Ru also "
    'subwords.joint = false, subwords.size = 24000, model.share = "decoder"',
    filters=FilterOptions(),
    model=replace(_BIG, feed_forward=8192),
    decoding=Decoding(seeds=3),
)
_VANMASSENHOVE = Recipe(
    "vanmassenhove-transformer",
    OP,
    "Vanmassenhove et al. 2021: Transformer base, BPE 50k, Noam; warm-up of the OpenNMT FAQ",
    filters=FilterOptions(language=False),
    subwords=Subwords(size=50_000),
    model=Model(embedding=512, feed_forward=2048, heads=8, dropout=0.1),
    training=Training(
        learning_rate=2.0,
        betas=(0.9, 0.998),
        schedule="noam",
        warmup=8000,
        max_tokens=4096,
        max_updates=150_000,
        patience=5,
        validate_every=5000,
        devices=4,
    ),
)
_TINY_MODEL = Model(encoder_layers=2, decoder_layers=2, embedding=128, feed_forward=256, heads=4, dropout=0.2)
_TINY_TRAINING = Training(
    learning_rate=0.004,
    warmup=100,
    max_tokens=2000,
    max_updates=450,
    validate_every=150,
    keep_checkpoints=2,
    precision="fp32",
    devices=0,
)
_TINY_OP = Recipe(
    "tiny-op",
    OP,
    "A small Transformer on parallel text, for two cores",
    filters=FilterOptions(language=False, max_ratio=3.0),
    subwords=Subwords(size=1000),
    model=_TINY_MODEL,
    training=_TINY_TRAINING,
)

RECIPES: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in (
        _EDUNOV_OP,
        replace(
            _EDUNOV_OP,
            name="edunov-bt",
            kind=BT,
            description="Edunov et al. 2020, En–De: edunov-op with sampled back-translations",
        ),
        _EDUNOV_RU,
        replace(
            _EDUNOV_RU,
            name="edunov-bt-large",
            kind=BT,
            description="Edunov et al. 2020, De–En and En–Ru: edunov-op-large with sampled back-translations",
        ),
        Recipe(
            "edunov-lm",
            LM,
            "Edunov et al. 2020, §4.5 and §5: Transformer language model with adaptive input",
            filters=FilterOptions(max_ratio=0.0),
            model=Model(
                encoder_layers=0, decoder_layers=16, dropout=0.3, attention_dropout=0.1,
                activation_dropout=0.1, adaptive_input=(8_000, 16_000), share="decoder",
            ),
            training=Training(
                optimiser="nag", learning_rate=1.0, betas=(), clip_norm=0.1, schedule="cosine", warmup=16_000,
                label_smoothing=0.0, max_tokens=3072, update_frequency=3, max_updates=286_000, devices=8,
            ),
        ),
        _VANMASSENHOVE,
        replace(
            _VANMASSENHOVE,
            name="vanmassenhove-lstm",
            description="Vanmassenhove et al. 2021: 4 + 4 layers of bidirectional LSTM, MLP attention",
            model=Model(
                architecture=LSTM, encoder_layers=4, decoder_layers=4, embedding=512, dropout=0.2,
                attention="mlp", bidirectional=True,
            ),
            training=replace(
                _VANMASSENHOVE.training, learning_rate=0.0001, betas=(0.9, 0.999), schedule="fixed",
                warmup=0, max_tokens=0, max_sentences=128,
            ),
        ),
        replace(
            _VANMASSENHOVE,
            name="vanmassenhove-phrase",
            description="Vanmassenhove et al. 2021: phrase-based, 5-gram language model, 25 rounds of tuning",
            subwords=Subwords(tool="none"),
            model=Model(architecture=PHRASE, order=5, alignment="hmm"),
            decoding=Decoding(mask_unknown=True),
        ),
        _TINY_OP,
        replace(
            _TINY_OP,
            name="tiny-bt",
            kind=BT,
            description="tiny-op with sampled back-translations and three copies of the parallel text",
            back_translation=BackTranslation(upsample=3, shard_lines=2000),
        ),
        replace(
            _TINY_OP,
            name="tiny-lm",
            kind=LM,
            description="A small Transformer language model, for two cores",
            model=replace(_TINY_MODEL, encoder_layers=0, share="decoder"),
            training=replace(_TINY_TRAINING, label_smoothing=0.0),
        ),
        replace(
            _TINY_OP,
            name="tiny-lstm",
            description="A small LSTM, for two cores",
            model=replace(_TINY_MODEL, architecture=LSTM, attention="mlp", bidirectional=True),
        ),
        replace(
            _TINY_OP,
            name="tiny-phrase",
            description="A phrase-based system without tuning, for two cores",
            subwords=Subwords(tool="none"),
            model=replace(_TINY_MODEL, architecture=PHRASE, order=3),
            training=replace(_TINY_TRAINING, tuning_iterations=0),
        ),
    )
}  # fmt: skip
"""Name → recipe."""
