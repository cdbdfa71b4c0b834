"""Recipes: the studies' figures, every one overridable, unknown ones refused with what is near."""

from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import given
from hypothesis import strategies as some

from mtcore.engines.ranges import figures_in
from mtcore.engines.recipe import BT, LM, LSTM, OP, PHRASE, RANGES, RecipeError, decoding_check
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
        ("extends = 'tiny-op'\n[training]\nmax_updates = -3", "from 0 to 1,000,000,000"),
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


def test_every_figure_has_a_range_and_every_range_a_figure():
    names = {
        name.replace("back_translation.decoding.", "decoding.") for name, _ in figures_in(RECIPES["tiny-op"])
    }
    assert names == set(RANGES)


@pytest.mark.parametrize(
    "setting",
    [
        "filters.max_ratio=nan", "filters.max_ratio=inf", "filters.max_words=99999999", "subwords.size=0",
        "subwords.size=100000000000", "model.heads=0", "model.encoder_layers=0", "model.decoder_layers=0",
        "model.embedding=0", "model.feed_forward=0", "model.dropout=5", "model.dropout=nan",
        "model.dropout=-0.1", "model.dropout=1", "model.adaptive_input=[-5, 0]",
        "model.adaptive_input=[20, 10]", "model.order=0", "training.optimiser=foo",
        "training.learning_rate=nan", "training.learning_rate=inf", "training.learning_rate=-1",
        "training.learning_rate=0", "training.betas=[nan]", "training.betas=[]", "training.betas=[0.9, 1]",
        "training.weight_decay=nan", "training.label_smoothing=-3", "training.clip_norm=-1",
        "training.max_tokens=0", "training.update_frequency=0", "training.validate_every=0",
        "training.max_updates=100000000000000000000000", "training.machines=0",
        "training.seed=99999999999999999999", "decoding.beam=0", "decoding.beam=-1",
        "decoding.temperature=0", "decoding.temperature=-1", "decoding.batch_sentences=0",
        "decoding.length_a=nan", "decoding.average=0", "decoding.seeds=0", "decoding.compute_type=foo",
        "back_translation.upsample=0", "back_translation.upsample=1001", "back_translation.shard_lines=0",
        "back_translation.decoding.beam=0", 'back_translation.tag="a\\u0000"', 'back_translation.tag="a\\nb"',
        'name=""', 'description="\\u0007"', "training.learning_rate=0x" + "f" * 5000,
        "training.max_updates=0x" + "f" * 5000, "training.max_updates=" + "9" * 5000,
        "training.betas=" + "[" * 5000, "training.max_updates=3\nother = 4",
    ],
)  # fmt: skip
def test_impossible_figures_are_refused_by_name_with_what_is_allowed(setting):
    name, _, value = setting.partition("=")
    with pytest.raises(RecipeError) as caught:
        recipe_set(RECIPES["tiny-op"], {name: value})
    words = str(caught.value)
    assert name.removeprefix("filters.") in words, words
    assert caught.value.remedy and len(words) < 400, words


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        ({"training.schedule": "noam", "training.warmup": "0"}, "“training.warmup” is 0"),
        ({"training.schedule": "cosine", "training.max_updates": "0", "training.patience": "3"}, "cosine"),
        ({"decoding.length_a": "0", "decoding.length_b": "0"}, "both 0"),
    ],
)
def test_figures_that_make_no_sense_together_are_refused(figures, words):
    with pytest.raises(RecipeError, match=words):
        recipe_set(RECIPES["tiny-op"], figures)


def test_a_figure_named_twice_is_refused():
    with pytest.raises(RecipeError, match="twice"):
        recipe_set(RECIPES["tiny-op"], {"training.seed": "4", "training": "{}"})


@pytest.mark.parametrize("value", ["[" * 5000, "9" * 5000, "{a=" * 2000, "1979-05-27"])
def test_texts_that_break_a_parser_are_no_recipes(value):
    with pytest.raises(RecipeError) as caught:
        recipe_read(f"extends = 'tiny-op'\nname = {value}")
    assert len(str(caught.value)) < 400


@given(text=some.text(max_size=40), tag=some.text(max_size=12))
def test_texts_survive_writing_and_reading(text, tag):
    try:
        recipe = replace(
            RECIPES["tiny-bt"], description=text,
            back_translation=replace(RECIPES["tiny-bt"].back_translation, tag=tag),
        )  # fmt: skip
    except RecipeError:
        return
    assert recipe_read(recipe_write(recipe)) == recipe


def test_a_description_of_several_lines_is_kept():
    recipe = recipe_read('extends = "tiny-op"\ndescription = """a\n\tb"""')
    assert recipe.description == "a\n\tb"
    assert recipe_read(recipe_write(recipe)) == recipe


def test_figures_of_decoding_alone_are_held_against_the_same_ranges():
    with pytest.raises(RecipeError, match=r"decoding\.beam"):
        decoding_check(replace(RECIPES["tiny-op"].decoding, beam=0))
