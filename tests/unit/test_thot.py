"""Thot as an engine: what it refuses, what it counts, and going on in the middle of tuning and decoding."""

import json
import os
import random
from dataclasses import replace

import pytest

from mtcore.engines.base import BLANK, OK, TOO_LONG, Texts
from mtcore.engines.bundle import Bundle
from mtcore.engines.errors import EngineError
from mtcore.engines.recipe import ALIGNMENTS, Decoding
from mtcore.engines.recipe_files import recipe_find
from mtcore.engines.thot import ThotEngine
from tests.engine_material import SETUP, Stopped, desk, small_pairs, small_texts, trained
from tests.paths import CASES, needs_cases

RECIPE = recipe_find("tiny-phrase")
ENGINE = ThotEngine(SETUP)
needs_thot = pytest.mark.skipif(not ENGINE.is_available(), reason="Thot is not installed")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    base = tmp_path_factory.getbasetemp()
    return trained("phrase", (base.parent if base.name.startswith("popen-") else base) / "engines")


def recipe_with(*, rounds=0, **model):
    return replace(
        RECIPE,
        model=replace(RECIPE.model, **model),
        training=replace(RECIPE.training, tuning_iterations=rounds),
    )


def train(tmp_path, recipe, work, n=60, *, noise=0.0):
    texts = (small_texts(tmp_path / "train", n), small_texts(tmp_path / "valid", 12, seed=2))
    if noise:
        generator = random.Random(1)
        path = texts[0].target
        lines = [line.split() for line in path.read_text("utf-8").split("\n")[:-1]]
        drop = [[word for word in words if generator.random() > noise] for words in lines]
        path.write_text("".join(f"{' '.join(words)}\n" for words in drop), "utf-8")
        for one in (texts[0].source, path, texts[1].source, texts[1].target):
            os.utime(one, (1, 1))
    return ENGINE.train(ENGINE.prepare(*texts, recipe, work), recipe, work)


@pytest.mark.parametrize(
    ("count", "facts", "figures", "words"),
    [
        (2, {}, {}, "one system, not with 2"),
        (1, {"engine": "fairseq"}, {}, "of the engine fairseq"),
        (1, {}, {"sampling": True}, "cannot sample"),
    ],
)
def test_what_it_cannot_do_is_refused_in_words(tmp_path, count, facts, figures, words):
    given = Bundle(tmp_path, {}, {"engine": "thot", "kind": "phrase", **facts})
    with pytest.raises(EngineError, match=words) as caught:
        ENGINE.translate([given] * count, ["Hund"], replace(Decoding(), **figures), desk(tmp_path / "run"))
    assert caught.value.remedy


@needs_thot
def test_texts_it_cannot_learn_from_are_refused(tmp_path):
    texts, work = small_texts(tmp_path / "a", 3), desk(tmp_path / "run")
    with pytest.raises(EngineError, match="parallel text"):
        ENGINE.prepare(Texts("de", "", texts.source), texts, RECIPE, work)
    with pytest.raises(EngineError, match="not “transformer”"):
        ENGINE.prepare(texts, texts, recipe_find("tiny-op"), work)
    texts.source.write_text("\n \n\n")
    with pytest.raises(EngineError, match="no pair with words"):
        ENGINE.prepare(texts, texts, RECIPE, work)
    assert not work.rundir.has_result


@needs_thot
def test_blank_and_overlong_pairs_are_left_out_and_counted(tmp_path):
    texts = small_texts(tmp_path / "train", 4)
    for path, lines in (
        (texts.source, ["ein\u2028Hund", "", "x " * 201]),
        (texts.target, ["a dog", "b", "y"]),
    ):
        path.write_text(path.read_text("utf-8") + "".join(f"{line}\n" for line in lines), "utf-8")
    prepared = ENGINE.prepare(texts, small_texts(tmp_path / "valid", 2), RECIPE, desk(tmp_path / "run"))
    assert prepared.facts["train"] == {"pairs": 5, "blank": 1, "too_long": 1}
    assert (prepared.folder / "train.source").read_text("utf-8").split("\n")[4] == "ein Hund"


@needs_thot
def test_unknown_words_are_kept_or_masked_and_counted(bundle, tmp_path):
    given = ["Der Hund sieht oft das Xylophon.", "", "Hund " * 201, "Der <unk> & der Hund."]
    work = desk(tmp_path / "run")
    kept = ENGINE.translate([bundle], given, Decoding(), work)
    masked = ENGINE.translate([bundle], given, Decoding(mask_unknown=True), desk(tmp_path / "masked"))
    assert [line.status for line in kept] == [OK, BLANK, TOO_LONG, OK]
    assert "Xylophon" in kept[0].text and "UNK" not in kept[0].text
    assert "UNK" in masked[0].text and "Xylophon" not in masked[0].text
    assert "<unk>" in kept[3].text and "&" in kept[3].text
    assert 0 < work.values("unknown_share")[-1] < 1


@needs_thot
def test_decoding_goes_on_with_the_line_it_was_at(bundle, tmp_path):
    given = [german for german, _ in small_pairs(9, seed=4)]
    work = desk(tmp_path / "run")
    whole = ENGINE.translate([bundle], given, Decoding(), work)
    (output,) = work.rundir.work.glob("decoding-*/output.jsonl")
    rows = output.read_text().split("\n")
    output.write_text(
        "\n".join([json.dumps({**json.loads(rows[0]), "text": "kept"}), *rows[1:4], rows[4][:9]])
    )
    output.with_name("done.decode.json").unlink()
    again = ENGINE.translate([bundle], given, Decoding(), work)
    assert again == [replace(whole[0], text="kept"), *whole[1:]]


@needs_thot
def test_tuning_improves_and_goes_on_with_the_round_it_was_at(tmp_path):
    recipe = recipe_with(rounds=2)
    whole = train(tmp_path, recipe, desk(tmp_path / "whole"), noise=0.5)
    assert whole.facts["tuning_bleu"] >= whole.facts["untuned_bleu"] > 10
    assert whole.facts["tuning_rounds"] in (1, 2) and len(whole.facts["weights"]) == 8
    work = desk(tmp_path / "run")
    work.stop_when = lambda this: any("round 1: BLEU" in note for _, note, _ in this.reports)
    with pytest.raises(Stopped):
        train(tmp_path, recipe, work, noise=0.5)
    stages = list(work.rundir.work.glob("prepared-*/model-*/done.*.json"))
    work.stop_when = lambda this: False
    before = len(work.commands)
    assert train(tmp_path, recipe, work, noise=0.5).facts["untuned_bleu"] == whole.facts["untuned_bleu"]
    # Where a machine is quick, tuning has ended before it is stopped, and nothing is left to do.
    assert len(stages) in (4, 5) and len(work.commands) == before + 5 - len(stages)


@needs_thot
@pytest.mark.parametrize(
    "alignment",
    [pytest.param(name, marks=pytest.mark.long) if name != "hmm" else name for name in ALIGNMENTS],
)
def test_every_word_alignment_makes_a_system(tmp_path, alignment):
    work = desk(tmp_path / "run")
    made = train(tmp_path, recipe_with(alignment=alignment), work, n=100)
    assert made.facts["alignment"] == alignment
    pairs = small_pairs(10, seed=6)
    found = ENGINE.translate([made], [german for german, _ in pairs], Decoding(), work)
    right = sum(
        word in english.split()
        for line, (_, english) in zip(found, pairs, strict=True)
        for word in line.text.split()
    )
    assert right / sum(len(line.text.split()) for line in found) > 0.7


@needs_thot
def test_a_stage_that_fails_is_said_in_words(bundle, tmp_path):
    table = bundle.path("checkpoint")
    broken = replace(bundle, files={**bundle.files, "checkpoint": "none"})
    (tmp_path / "empty").mkdir()
    with pytest.raises(EngineError, match=r"Thot, decode: .*(No such file|none)"):
        ENGINE.translate([broken], ["Hund"], Decoding(), desk(tmp_path / "run"))
    assert table.exists()


@needs_thot
@needs_cases
def test_the_case_of_a_pair_of_different_length(tmp_path):
    source, target = CASES / "eng08_train.src", CASES / "eng08_train.tgt"
    work, valid = desk(tmp_path / "run"), small_texts(tmp_path / "valid", 2)
    prepared = ENGINE.prepare(Texts("en", "de", source, target), valid, RECIPE, work)
    assert prepared.facts["train"]["pairs"] == 4
    words = [
        (prepared.folder / f"train.{side}").read_text("utf-8").split("\n")[3] for side in ("source", "target")
    ]
    assert words == ["j k l", "J K L"]
    short = Texts("en", "de", source, CASES / "eng08_train_short.tgt")
    with pytest.raises(EngineError, match=r"4.*3"):
        ENGINE.prepare(short, valid, RECIPE, desk(tmp_path / "short"))


@needs_thot
@needs_cases
def test_the_case_of_literal_special_tokens(bundle, tmp_path):
    given = (CASES / "eng14_literal.txt").read_text("utf-8").split("\n")[:-1]
    work = desk(tmp_path / "run")
    found = ENGINE.translate([bundle], given, Decoding(), work)
    for line, one in zip(given, found, strict=True):
        for token in ("<unk>", "<s>", "</s>", "<pad>"):
            assert one.text.count(token) == line.count(token), (line, one)
    assert work.values("unknown_share")[-1] > 0.05
    assert any("unknown to the model" in note for _, note, _ in work.reports)
