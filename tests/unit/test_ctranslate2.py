"""CTranslate2: what it refuses, what it keeps of a conversion, and its text beside fairseq's."""

import json
import threading
from dataclasses import replace

import pytest

from mtcore.engines.bundle import Bundle, bundle_write
from mtcore.engines.ctranslate2 import CTranslate2Engine
from mtcore.engines.errors import EngineError
from mtcore.engines.fairseq import FairseqEngine
from mtcore.engines.recipe import Decoding
from mtcore.engines.registry import engines_for
from mtcore.engines.setup import Setup
from tests.engine_material import SETUP, desk, small_pairs, trained

needs_mt = pytest.mark.skipif(
    not (CTranslate2Engine(SETUP).is_available()), reason="the training environment is absent (make mt)"
)
LINES = [german for german, _ in small_pairs(25, seed=7)]


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    base = tmp_path_factory.getbasetemp()
    return (base.parent if base.name.startswith("popen-") else base) / "engines"


def copied(whole, folder):
    """Copy a bundle into a folder of its own, where no conversion is yet."""
    (folder / "staging").mkdir(parents=True)
    files = {role: whole.path(role) for role in whole.files}
    return bundle_write(folder / "result", files, whole.facts, folder / "staging")


@pytest.fixture(scope="module")
def bundle(shared, tmp_path_factory):
    """A trained Transformer that is converted once for all tests here."""
    return copied(trained("transformer", shared), tmp_path_factory.mktemp("model") / "own")


@pytest.fixture
def fresh(shared, tmp_path):
    """A trained Transformer that nobody has converted."""
    return copied(trained("transformer", shared), tmp_path / "own")


def stranger(folder, **facts):
    return Bundle(folder, {}, {"engine": "fairseq", "kind": "transformer", **facts})


@pytest.mark.parametrize(
    ("bundles", "decoding", "words"),
    [
        (2, Decoding(), "one model, not with 2"),
        (1, Decoding(compute_type="float8"), "float8.*float32"),
        ("lstm", Decoding(), "is a lstm of the engine fairseq"),
        ("phrase", Decoding(), "cannot translate"),
    ],
)
def test_what_it_cannot_do_is_refused_in_words(tmp_path, bundles, decoding, words):
    given = [stranger(tmp_path, kind=bundles)] if isinstance(bundles, str) else [stranger(tmp_path)] * bundles
    with pytest.raises(EngineError, match=words) as caught:
        CTranslate2Engine(SETUP).translate(given, LINES, decoding, desk(tmp_path / "run"))
    assert caught.value.remedy


def test_a_missing_environment_says_what_to_do(tmp_path):
    engine = CTranslate2Engine(Setup(mt_python=tmp_path / "python"))
    assert not engine.is_available() and engine.signature() == "ctranslate2"
    with pytest.raises(EngineError, match="make mt"):
        engine.translate([stranger(tmp_path)], LINES, Decoding(), desk(tmp_path / "run"))


@needs_mt
def test_it_is_preferred_to_fairseq_for_decoding_transformers_only():
    assert [one.name for one in engines_for("decodes", "transformer", SETUP)] == ["ctranslate2", "fairseq"]
    assert [one.name for one in engines_for("decodes", "lstm", SETUP)] == ["fairseq"]


@needs_mt
def test_it_writes_what_fairseq_writes(bundle, tmp_path):
    decoding = Decoding(beam=4, batch_sentences=8)
    ours = CTranslate2Engine(SETUP).translate([bundle], LINES, decoding, desk(tmp_path / "ours"))
    theirs = FairseqEngine(SETUP).translate([bundle], LINES, decoding, desk(tmp_path / "theirs"))
    same = [one.text == other.text for one, other in zip(ours, theirs, strict=True)]
    assert sum(same) >= len(LINES) - 1
    for one, other, equal in zip(ours, theirs, same, strict=True):
        assert not equal or one.score == pytest.approx(other.score, abs=0.02)


@needs_mt
def test_a_model_is_converted_once_and_anew_when_it_was_damaged(fresh, tmp_path):
    engine = CTranslate2Engine(SETUP)
    first, second = desk(tmp_path / "1"), desk(tmp_path / "2")
    text = [line.text for line in engine.translate([fresh], LINES[:3], Decoding(), first)]
    conversions = [command for command in first.commands if "convert_ctranslate2.py" in command[1]]
    (place,) = (path for path in fresh.folder.parent.iterdir() if path.name.startswith("ctranslate2-"))
    assert len(conversions) == 1
    engine.translate([fresh], LINES[3:5], Decoding(), second)
    assert not any("convert" in command[1] for command in second.commands)
    (place / "model.bin").write_bytes(b"nothing")
    third = desk(tmp_path / "3")
    assert [line.text for line in engine.translate([fresh], LINES[:3], Decoding(), third)] == text
    assert any("convert" in command[1] for command in third.commands)
    assert not list(fresh.folder.parent.glob(".converting-*"))


@needs_mt
def test_the_run_that_trained_it_translates_too(fresh):
    """Starting a program clears away what a killed attempt of a run left, but no conversion under way."""
    own = desk(fresh.folder.parent)
    assert len(CTranslate2Engine(SETUP).translate([fresh], LINES[:3], Decoding(), own)) == 3


@needs_mt
def test_two_workers_that_convert_at_once_both_translate(fresh, tmp_path):
    found = {}

    def work(name):
        lines = CTranslate2Engine(SETUP).translate([fresh], LINES[:4], Decoding(), desk(tmp_path / name))
        found[name] = [line.text for line in lines]

    threads = [threading.Thread(target=work, args=(name,)) for name in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found["a"] == found["b"] and len(found["a"]) == 4


@needs_mt
@pytest.mark.parametrize("figures", [{"temperature": 2.0}, {"beam": 3, "top_k": 3}])
def test_samples_are_those_of_their_seed_however_often_they_are_interrupted(bundle, tmp_path, figures):
    decoding = replace(Decoding(sampling=True, beam=1), **figures)
    work = desk(tmp_path / "run")
    drawn = CTranslate2Engine(SETUP).translate([bundle], LINES, decoding, work)
    (output,) = work.rundir.work.glob("decoding-*/output.jsonl")
    rows = output.read_text().split("\n")[:-1]
    output.write_text("".join(f"{row}\n" for row in rows[:10]) + rows[10][:7])
    again = CTranslate2Engine(SETUP).translate([bundle], LINES, decoding, work)
    assert again == drawn
    assert len(output.read_text().split("\n")) == len(LINES) + 1
    assert {json.loads(row)["id"] for row in output.read_text().split("\n")[:-1]} == set(range(len(LINES)))
    other = CTranslate2Engine(SETUP).translate(
        [bundle], LINES, replace(decoding, seed=2), desk(tmp_path / "2")
    )
    assert "top_k" in figures or [one.text for one in other] != [one.text for one in drawn]


@needs_mt
def test_it_calculates_in_eight_bits_when_asked(bundle, tmp_path):
    lines = CTranslate2Engine(SETUP).translate(
        [bundle], LINES, Decoding(compute_type="int8"), desk(tmp_path / "run")
    )
    assert all(line.text for line in lines)


@needs_mt
@pytest.mark.parametrize("threads", [0, 1, 3])
def test_it_takes_no_more_cores_than_the_worker_leaves(bundle, tmp_path, threads):
    asked = desk(tmp_path / "run", threads=threads)
    CTranslate2Engine(SETUP).translate([bundle], LINES[:2], Decoding(), asked)
    (job,) = asked.rundir.work.rglob("job*.json")
    assert json.loads(job.read_text())["most_threads"] == threads
