"""Recipes: the studies' figures, every one overridable, unknown ones refused with what is near."""

from dataclasses import FrozenInstanceError

import pytest

from mtcore.engines.recipe import BT, LM, LSTM, OP, PHRASE, RecipeError
from mtcore.engines.recipe_files import recipe_change, recipe_find, recipe_read, recipe_set, recipe_write
from mtcore.engines.recipes import RECIPES
from tests.paths import ROOT


def test_the_studies_figures():
    op, large = recipe_find("edunov-op"), recipe_find("edunov-op-large")
    assert (op.filters.max_words, op.filters.max_ratio) == (250, 1.5)
    assert (op.subwords.joint, op.subwords.size) == (True, 32_000)
    assert (op.model.embedding, op.model.feed_forward, op.decoding.seeds) == (1024, 4096, 1)
    assert (large.model.feed_forward, large.decoding.seeds, large.filters.language) == (8192, 3, True)
    assert op.training.devices * op.training.update_frequency == 128
    bt = recipe_find("edunov-bt")
    assert bt.kind == BT and bt.back_translation.decoding.sampling
    assert (bt.model, bt.training) == (op.model, op.training)
    lstm = recipe_find("vanmassenhove-lstm")
    assert (lstm.model.encoder_layers, lstm.model.embedding, lstm.model.attention) == (4, 512, "mlp")
    assert (lstm.model.dropout, lstm.training.learning_rate, lstm.training.max_sentences) == (0.2, 1e-4, 128)
    assert lstm.model.bidirectional and lstm.subwords.size == 50_000
    base = recipe_find("vanmassenhove-transformer")
    assert (base.model.feed_forward, base.model.heads, base.training.betas) == (2048, 8, (0.9, 0.998))
    assert (base.training.max_updates, base.training.validate_every, base.training.patience) == (
        150_000,
        5000,
        5,
    )
    assert base.highest_rate == pytest.approx(2 * 512**-0.5 * 8000**-0.5)
    phrase = recipe_find("vanmassenhove-phrase")
    assert (phrase.model.order, phrase.training.tuning_iterations, phrase.subwords.tool) == (5, 25, "none")


def test_there_is_a_tiny_recipe_of_every_shape():
    tiny = [recipe for name, recipe in RECIPES.items() if name.startswith("tiny-")]
    assert {recipe.kind for recipe in tiny} == {OP, BT, LM}
    assert {recipe.model.architecture for recipe in tiny} == {"transformer", LSTM, PHRASE}
    assert all(recipe.training.devices == 0 and recipe.training.max_updates <= 450 for recipe in tiny)


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_written_is_read_as_the_same(name):
    assert recipe_read(recipe_write(RECIPES[name])) == RECIPES[name]
    assert RECIPES[name].name == name and RECIPES[name].description


def test_a_file_extends_a_recipe():
    recipe = recipe_read("""
        extends = "edunov-bt"
        name = "my-bt"
        [training]
        max_updates = 60000
        learning_rate = 1
        betas = [0.9, 0.999]
        [back_translation.decoding]
        top_k = 10
    """)
    base = RECIPES["edunov-bt"]
    assert (recipe.name, recipe.kind, recipe.model) == ("my-bt", BT, base.model)
    assert (recipe.training.max_updates, recipe.training.learning_rate) == (60_000, 1.0)
    assert recipe.training.betas == (0.9, 0.999)
    assert recipe.back_translation.decoding.top_k == 10 and recipe.back_translation.decoding.sampling
    assert base.training.max_updates == 30_000, "the recipe itself stays as it is"
    with pytest.raises(FrozenInstanceError):
        base.training.max_updates = 1


def test_the_example_in_the_documentation_is_a_recipe():
    text = (ROOT / "docs" / "admin.md").read_text("utf-8").partition("```toml\n")[2].partition("```")[0]
    recipe = recipe_read(text)
    assert (recipe.back_translation.tag, recipe.back_translation.upsample) == ("<BT>", 2)


def test_single_figures_are_set_by_name():
    recipe = recipe_set(
        RECIPES["tiny-op"],
        {"training.max_updates": "20", "decoding.sampling": "true", "back_translation.tag": "<BT>",
         "model.adaptive_input": "[100, 200]"},
    )  # fmt: skip
    assert (recipe.training.max_updates, recipe.decoding.sampling) == (20, True)
    assert recipe.back_translation.tag == "<BT>" and recipe.model.adaptive_input == (100, 200)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name = 'x'", 'Write extends = "tiny-op"'),
        ("extends = 'tiny-lmm'", "Did you mean “tiny-lm”"),
        ("extends = 'tiny-op'\n[training]\nmax_update = 3", "Did you mean “training.max_updates”"),
        ("extends = 'tiny-op'\n[trainin]\nmax_updates = 3", "Did you mean “training”"),
        ("extends = 'tiny-op'\n[model]\nzzz = 3", "There are model.architecture, "),
        ("extends = 'tiny-op'\ntraining = 3", "a table of figures"),
        ("extends = 'tiny-op'\n[training]\nmax_updates = '3'", "a whole number, as 450"),
        ("extends = 'tiny-op'\n[training]\nmax_updates = true", "a whole number"),
        ("extends = 'tiny-op'\n[training]\nmax_updates = -3", "from 0 on"),
        ("extends = 'tiny-op'\n[training]\nbetas = ['a']", "Write numbers"),
        ("extends = 'tiny-op'\n[training]\nmax_updates = 0", "never end"),
        ("extends = 'tiny-op'\n[training]\nprecision = 'fp8'", "one of auto, fp32"),
        ("extends = 'tiny-op'\n[model]\nheads = 3", "do not divide"),
        ("extends = 'tiny-op'\n[subwords]\njoint = false", "subwords of its own"),
        ("extends = 'tiny-op'\n[filters]\nmax_ratio = 0.5", "filters: max_ratio"),
        ("extends = ", "no TOML"),
    ],
)
def test_mistakes_are_refused_with_what_to_write(text, words):
    with pytest.raises(RecipeError) as caught:
        recipe_read(text)
    assert words in str(caught.value)


def test_a_figure_inside_a_figure_is_refused():
    with pytest.raises(RecipeError):
        recipe_set(RECIPES["tiny-op"], {"training": "3", "training.seed": "4"})
    with pytest.raises(RecipeError, match=r"training\.seed\.x"):
        recipe_change(RECIPES["tiny-op"], {"training": {"seed.x": 1}})
