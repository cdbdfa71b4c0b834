"""A phrase-based system on real text: Multi30k German to English, as far as an hour goes.

    python -m pytest tests/realdata/test_phrase_multi30k.py -m long -s

prints what stands in docs/engines.md. All 29,000 pairs, alignments by HMM, a 5-gram language model, a few
rounds of tuning on 500 sentences of the validation text.
"""

import gzip
import time
from dataclasses import replace

import pytest
import sacrebleu

from mtcore.engines.base import OK, Texts
from mtcore.engines.recipe_files import recipe_find
from mtcore.engines.thot import ThotEngine
from tests.engine_material import SETUP, desk
from tests.paths import DATA, needs_data

FOLDER = DATA / "parallel" / "multi30k"
ROUNDS = 8

pytestmark = [
    needs_data,
    pytest.mark.long,
    pytest.mark.skipif(not ThotEngine(SETUP).is_available(), reason="Thot is not installed"),
]


def lines_of(name):
    path = FOLDER / name
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return data.decode("utf-8").split("\n")[:-1]


def test_a_phrase_based_system_learns_real_text(tmp_path):
    recipe = recipe_find("vanmassenhove-phrase")
    recipe = replace(recipe, training=replace(recipe.training, tuning_iterations=ROUNDS))
    train, valid = (
        Texts("de", "en", FOLDER / f"{name}.de{end}", FOLDER / f"{name}.en{end}", n)
        for name, end, n in (("train", ".gz", 29_000), ("val", "", 1014))
    )
    engine, work = ThotEngine(SETUP), desk(tmp_path / "run")
    began = time.monotonic()
    bundle = engine.train(engine.prepare(train, valid, recipe, work), recipe, work)
    trained = time.monotonic() - began
    source, reference = lines_of("test_2016_flickr.de"), lines_of("test_2016_flickr.en")
    began = time.monotonic()
    found = engine.translate([bundle], source, replace(recipe.decoding, mask_unknown=False), work)
    decoded = time.monotonic() - began
    bleu = sacrebleu.corpus_bleu([line.text for line in found], [reference])
    facts = bundle.facts
    print(
        f"\n{facts['texts']['train']['pairs']:,} pairs, {facts['phrases']:,} phrases, {trained:,.0f} s; "
        f"tuning {facts['untuned_bleu']} → {facts['tuning_bleu']} BLEU in {facts['tuning_rounds']} rounds; "
        f"test_2016_flickr: {bleu.score:.2f} BLEU, {len(source) / decoded:.1f} sentences/s, "
        f"{work.values('unknown_share')[-1]:.1%} of the words unknown"
    )
    assert len(found) == len(source) and all(line.status == OK for line in found)
    assert facts["tuning_bleu"] > facts["untuned_bleu"]
    assert bleu.score >= 15
    assert trained < 3600
