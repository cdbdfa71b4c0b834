"""What holds for every engine of the registry, with models that are really trained.

An engine that is not installed skips with what would make it available. A model is trained once a session and
kind; an engine that only decodes gets a model of another, or of `tests.engine_material.MAKERS`.
"""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from mtcore.engines.base import BLANK, FAILED, OK, TOO_LONG
from mtcore.engines.bundle import BundleError, bundle_accepts, bundle_open
from mtcore.engines.errors import EngineError
from mtcore.engines.recipe import Decoding
from mtcore.engines.registry import ENGINES, engine_make
from tests.engine_material import (
    SETUP,
    Stopped,
    desk,
    recipe_of,
    small_pairs,
    small_texts,
    trained,
)
from tests.factories.word_engine import words_registered
from tests.paths import CASES

PLAIN = [german for german, _ in small_pairs(6, seed=5)]
ODD = [
    "H-3\tDer Hund hört heute die Katze.",
    "Der <unk> sieht </s> oft den Mann <pad>.",
    "Der\u00a0Hund\u2028sieht\u0007 oft den Mann.\r",
    "Der Mann @@ sieht wor@@ ▁oft den ￭ Hund.",
    "1.",
    "A",
    "🙂 日本語のテキスト",
]
LONG = "Der Hund sieht oft den Mann und " * 220
DECODERS = [(name, kind) for name, engine in ENGINES.items() for kind in sorted(engine.decodes)]
SCORERS = [(name, kind) for name, engine in ENGINES.items() for kind in sorted(engine.scores)]
TRAINERS = [(name, kind) for name, engine in ENGINES.items() for kind in sorted(engine.trains)]


def decoding(**figures):
    return replace(Decoding(beam=2), **figures)


@pytest.fixture
def shared(tmp_path_factory):
    """A folder that all processes of a session share."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if base.name.startswith("popen-") else base) / "engines"


def made(name):
    engine = engine_make(name, SETUP)
    if not engine.is_available():
        pytest.skip(f"{name} is not available: {engine.install_hint}")
    return engine


def case_lines(name, n):
    """Return the first lines of a shared case, none where the cases are absent."""
    path = CASES / name
    return path.read_text("utf-8").split("\n")[:n] if path.exists() else []


def alive_in(folder):
    """Return the processes whose command line names a folder."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                words = (process / "cmdline").read_bytes()
                state = (process / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if str(folder).encode() in words and state != "Z":
                found.append(words)
    return found


@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_says_what_it_is(name):
    engine = engine_make(name, SETUP)
    assert engine.name == name and engine.install_hint
    assert engine.trains | engine.decodes | engine.scores
    assert isinstance(engine.is_available(), bool)
    if engine.is_available():
        assert any(letter.isdigit() for letter in engine.signature())


@pytest.mark.parametrize("name", ENGINES)
def test_an_absent_interpreter_is_no_accident(name, tmp_path):
    engine = engine_make(name, replace(SETUP, mt_python=tmp_path / "nowhere" / "python"))
    assert isinstance(engine.is_available(), bool)
    assert engine.signature()


@pytest.mark.parametrize(("name", "kind"), TRAINERS)
def test_a_model_is_a_whole_bundle(name, kind, shared):
    made(name)
    bundle = trained(kind, shared)
    if bundle.facts["engine"] != name:
        pytest.skip(f"{kind} is trained by {bundle.facts['engine']} here")
    assert bundle.facts["kind"] == kind and bundle.facts["source_language"] in ("de", "en")
    assert bundle.facts["target_language"] == ("" if kind == "lm" else "en")
    assert bundle.facts["seed"] == 1 and bundle.facts["versions"] and bundle.facts["recipe"]["name"]
    said = json.loads((shared / kind / "said.json").read_text())
    steps = [progress for progress, _, _ in said["reports"] if progress is not None]
    assert steps and all(0 <= step <= 1 for step in steps)
    log = (shared / kind / "run" / "log.txt").read_text()
    assert all("$ " in log for _ in said["commands"]) and said["commands"]


@pytest.mark.parametrize(("name", "kind"), TRAINERS)
def test_sides_of_different_length_are_refused(name, kind, tmp_path):
    if kind == "lm":
        pytest.skip("a language model has one side")
    engine = made(name)
    texts = small_texts(tmp_path / "texts", 4)
    texts.target.write_text("one\ntwo\nthree\n")
    with pytest.raises(EngineError, match=r"4.*3|3.*4"):
        engine.prepare(texts, small_texts(tmp_path / "valid", 4), recipe_of(kind), desk(tmp_path / "run"))


@pytest.mark.parametrize(("name", "kind"), DECODERS)
def test_every_line_comes_back_in_its_place_whatever_stands_beside_it(name, kind, shared, tmp_path):
    engine, bundle = made(name), trained(kind, shared)
    plain = [*PLAIN, *case_lines("eng04_lines.txt", 10)]
    before, long, after = case_lines("eng02_long.txt", 3) or (PLAIN[0], LONG, PLAIN[1])
    given = ["", *ODD, before, long, after, " \t\u00a0", *plain]
    work = desk(tmp_path / "run")
    lines = engine.translate([bundle], given, decoding(batch_sentences=32), work)
    assert len(lines) == len(given)
    for text, line in zip(given, lines, strict=True):
        assert line.status in (OK, BLANK, TOO_LONG, FAILED)
        assert (line.status == BLANK) == (not text.strip())
        assert bool(line.text.strip()) == (line.status == OK), (text, line)
        assert not {"\n", "\r", "\t", "￭", "▁"} & set(line.text) and "@@ " not in f"{line.text} "
    assert [line.status for line in lines[-len(plain) :]] == [OK] * len(plain)
    assert kind != "transformer" or lines[given.index(long)].status == TOO_LONG
    alone = [*plain[::-1], before, after]
    others = engine.translate([bundle], alone, decoding(batch_sentences=1), desk(tmp_path / "alone"))
    found = {text: line.text for text, line in zip(given, lines, strict=True)}
    assert [line.text for line in others] == [found[text] for text in alone]
    assert not alive_in(tmp_path)


@pytest.mark.parametrize(("name", "kind"), [pair for pair in DECODERS if pair[1] == "transformer"])
def test_a_sample_is_that_of_its_seed(name, kind, shared, tmp_path):
    engine, bundle = made(name), trained(kind, shared)
    drawn = [
        [
            line.text
            for line in engine.translate(
                [bundle],
                PLAIN,
                decoding(sampling=True, beam=1, temperature=3.0, seed=seed),
                desk(tmp_path / place),
            )
        ]
        for place, seed in (("a", 1), ("b", 1), ("c", 2))
    ]
    assert drawn[0] == drawn[1] != drawn[2]
    assert all(len(lines) == len(PLAIN) for lines in drawn)


@pytest.mark.parametrize(("name", "kind"), TRAINERS)
def test_a_stopped_training_goes_on_to_the_same_model(name, kind, shared, tmp_path):
    engine, whole = made(name), trained(kind, shared)
    if whole.facts["engine"] != name or kind not in ("transformer", "phrase"):
        pytest.skip(f"one kind of model an engine is enough, and {name} trains the others in the same way")
    folder, recipe = shared / kind, recipe_of(kind)
    work = desk(tmp_path / "run", stop_when=lambda work: any((p or 0) > 0.3 for p, _, _ in work.reports))
    train, valid = (
        replace(small_texts(folder / name, n, seed=seed), n_lines=n)
        for name, n, seed in (("train", 160, 1), ("valid", 20, 2))
    )
    with pytest.raises(Stopped):
        engine.train(engine.prepare(train, valid, recipe, work), recipe, work)
    assert not work.rundir.has_result and not work.rundir.child.exists() and not alive_in(tmp_path)
    work.stop_when = lambda work: False
    bundle = engine.train(engine.prepare(train, valid, recipe, work), recipe, work)
    texts = [
        engine.translate([one], PLAIN, decoding(), desk(tmp_path / place))
        for one, place in ((whole, "whole"), (bundle, "stopped"))
    ]
    assert [line.text for line in texts[0]] == [line.text for line in texts[1]]
    assert [line.score for line in texts[0]] == pytest.approx([line.score for line in texts[1]], rel=0.01)
    assert engine.train(engine.prepare(train, valid, recipe, work), recipe, work) == bundle


@pytest.mark.parametrize(("name", "kind"), DECODERS)
def test_a_damaged_bundle_is_refused(name, kind, shared, tmp_path):
    made(name)
    bundle = trained(kind, shared)
    place = tmp_path / "bundle"
    shutil.copytree(bundle.folder, place)
    role = sorted(bundle.files)[0]
    path = place / bundle.files[role]
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(BundleError, match="SHA-256"):
        bundle_open(place)
    path.unlink()
    with pytest.raises(BundleError, match="missing"):
        bundle_open(place)
    for dictionary in (role for role in bundle.files if role.startswith("dictionary")):
        lines = bundle.path(dictionary).read_text("utf-8").split("\n")[:-1]
        (tmp_path / "shuffled").write_text("".join(f"{line}\n" for line in lines[::-1]), "utf-8")
        with pytest.raises(BundleError, match=f"of {len(lines):,} entries"):
            bundle_accepts(bundle, dictionary, tmp_path / "shuffled")


@pytest.mark.parametrize(("name", "kind"), DECODERS)
def test_a_model_of_another_kind_is_refused(name, kind, shared, tmp_path):
    engine, bundle = made(name), trained(kind, shared)
    stranger = replace(bundle, facts={**bundle.facts, "engine": "stranger", "kind": "stranger"})
    with pytest.raises(EngineError) as caught:
        engine.translate([stranger], PLAIN[:1], decoding(), desk(tmp_path / "run"))
    assert caught.value.remedy


@pytest.mark.parametrize(("name", "kind"), SCORERS)
def test_scores_are_finite_additive_and_know_the_language(name, kind, shared, tmp_path):
    engine, bundle = made(name), trained(kind, shared)
    english = [text for _, text in small_pairs(5, seed=5)]
    jumbled = [" ".join(reversed(text.rstrip(".").split())) for text in english]
    given = [*english, "", *jumbled, "The <unk> 日本\t語 H-3", "The dog sees " * 700]
    scores = engine.score(bundle, given, desk(tmp_path / "run"))
    assert len(scores) == len(given)
    for text, one in zip(given, scores, strict=True):
        assert -1e6 < one.log_probability < 0 and one.n_words == len(text.split()) + 1
        assert one.n_tokens >= 1
    assert scores[5].n_tokens == 1
    by_token = [
        sum(one.log_probability for one in part) / sum(one.n_tokens for one in part)
        for part in (scores[:5], scores[6:11])
    ]
    assert by_token[0] > by_token[1] + 0.5
    alone = [engine.score(bundle, english[2:3], desk(tmp_path / "one"))[0], scores[2]]
    assert alone[0].log_probability == pytest.approx(alone[1].log_probability, abs=1e-3)


def test_the_order_of_preference_outlives_a_test_that_has_an_engine_of_its_own():
    before = list(ENGINES)
    with pytest.MonkeyPatch.context() as patch:
        words_registered(patch)
        assert list(ENGINES) == ["words"]
    assert list(ENGINES) == before
