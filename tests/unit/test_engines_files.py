"""What engines write and are made of: fairseq's logs, subwords, bundles."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtcore.corpora.errors import CorpusError
from mtcore.corpora.subwords import (
    join_lines,
    join_subwords,
    protect_specials,
    require_same_count,
    restore_specials,
    step,
    unknown_share,
    unknown_warning,
)
from mtcore.engines.base import Work
from mtcore.engines.bundle import BundleError, bundle_accepts, bundle_open, bundle_write, dictionary_moves
from mtcore.engines.fairseq_log import (
    FairseqLogError,
    in_order,
    is_out_of_memory,
    read_event,
    read_hypotheses,
)
from mtcore.engines.rundir import file_sha256
from mtcore.services.run_context import RunContext
from tests.paths import CASES, needs_cases

TRAIN = (
    '2026-11-01 10:00:00 | INFO | train_inner | {"epoch": 2, "update": 1.5, "loss": "10.25", '
    '"ppl": "1217.75", "wps": "1843.2", "num_updates": "150", "lr": "0.004", "gnorm": "1.2"}'
)
VALID = (
    '2026-11-01 10:00:00 | INFO | valid | {"epoch": 2, "valid_loss": "7.1", "valid_ppl": "137.19", '
    '"valid_num_updates": "300", "valid_best_loss": "7.1"}'
)


def lines_of(name: str) -> list[str]:
    return (CASES / name).read_text("utf-8").split("\n")[:-1]


def test_progress_is_read_from_the_logs_json():
    event = read_event(TRAIN)
    assert (event.kind, event.update, event.epoch) == ("train_inner", 150, 2.0)
    assert (event.values["loss"], event.values["wps"]) == (10.25, 1843.2)
    event = read_event(VALID)
    assert (event.kind, event.update, event.values["ppl"], event.values["best_loss"]) == (
        "valid",
        300,
        137.19,
        7.1,
    )
    assert read_event("train_inner:" + TRAIN.rpartition("| ")[2]) is not None, "another prefix"
    assert math.isnan(read_event(TRAIN.replace('"10.25"', "NaN")).values["loss"])
    for line in ("", "INFO | train_inner | no json", "train_inner | {broken}", "epoch 001: 3 / 5 loss=2"):
        assert read_event(line) is None


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("| WARNING | trainer | OOM: Ran out of memory with exception: CUDA out of memory.", True),
        ("attempting to recover from OOM in forward/backward pass", True),
        (TRAIN, False),
    ],
)
def test_lost_batches_are_noticed_eng_11(line, found):
    assert is_out_of_memory(line) is found


@needs_cases
def test_translations_come_in_the_order_of_their_lines_eng_01():
    found = read_hypotheses(lines_of("eng01_generate.log"))
    assert {number: best[0].text for number, best in found.items()} == {
        0: "H-5 ist ein Label", 1: "", 2: "dritte", 10: "elfte",
    }  # fmt: skip
    assert list(found) == [0, 1, 2, 10]
    assert found[1][0].score == -3.2
    with pytest.raises(
        FairseqLogError, match="4 of 11 lines were translated; those missing: 4, 5, 6, 7, 8 …"
    ):
        in_order(found, 11)
    with pytest.raises(FairseqLogError, match="line 11 came back; 3 were given"):
        in_order(found, 3)
    del found[10]
    assert [one.text for one in in_order(found, 3)] == ["H-5 ist ein Label", "", "dritte"]


def test_the_first_of_several_hypotheses_is_the_best():
    found = read_hypotheses(["H-0\t-0.1\tgut", "H-0\t-0.9\tschlecht", "D-0\t-0.1\tgut", "H-1\t-inf\t"])
    assert [one.text for one in in_order(found, 2)] == ["gut", ""]
    assert found[1][0].score == -math.inf and len(found[0]) == 2


@needs_cases
def test_subwords_are_put_together_eng_05():
    assert join_lines(lines_of("eng05_bpe.txt"), "auto") == lines_of("eng05_expected.txt")


def test_each_scheme_leaves_the_others_marks_alone():
    assert join_subwords("▁a b@@ ▁c", "sentencepiece") == "ab@@ c"
    assert join_subwords("▁a b@@ c", "subword-nmt") == "▁a bc"
    assert join_subwords("a@@ b", "none") == "a@@ b"
    with pytest.raises(CorpusError, match="no way to make subwords"):
        join_subwords("a", "wordpiece")


@needs_cases
def test_blank_lines_are_neither_lost_nor_doubled_eng_07():
    lines = lines_of("eng07_blank.txt")
    assert len(lines) == 6
    for scheme in ("auto", "subword-nmt", "sentencepiece"):
        assert [bool(line) for line in join_lines(lines, scheme)] == [bool(line) for line in lines]
    with pytest.raises(CorpusError, match="cutting made 7 lines of 6"):
        step(lines, lambda given: [*given, ""], "cutting")
    with pytest.raises(CorpusError, match="made 5 lines of 6"):
        require_same_count(6, 5, "decoding")


@needs_cases
def test_literal_specials_survive_and_unknown_words_are_counted_eng_14():
    for line in lines_of("eng14_literal.txt"):
        held = protect_specials(line)
        assert not any(token in ("<unk>", "<s>", "</s>", "<pad>") for token in held.split())
        assert restore_specials(held) == line
    assert unknown_share(["a <unk> b", "\u2047 c"]) == (2, 5)
    assert unknown_warning(2, 5) == "2 of 5 words (40%) are unknown to the model"
    assert unknown_warning(1, 20) == "" == unknown_warning(0, 0)


@given(st.text(st.sampled_from("<>_/unksp ad"), max_size=30))
def test_any_text_comes_back(text):
    assert restore_specials(protect_specials(text)) == text


@pytest.fixture
def bundle(tmp_path):
    files = {}
    for role, text in {
        "checkpoint": "weights", "dictionary.en": "".join(f"tok{n} {100 - n}\n" for n in range(40)),
        "subwords": "#version: 0.2\n",
    }.items():  # fmt: skip
        files[role] = tmp_path / {"checkpoint": "best.pt"}.get(role, f"{role}.txt")
        files[role].write_text(text)
    staging = tmp_path / "staging"
    staging.mkdir()
    return bundle_write(tmp_path / "bundle", files, {"recipe": "tiny-op", "seed": 1}, staging)


def test_a_bundle_is_opened_as_it_was_written(bundle):
    again = bundle_open(bundle.folder)
    assert again == bundle
    assert again.path("checkpoint").read_text() == "weights" and again.path("checkpoint").suffix == ".pt"
    assert json.loads((bundle.folder / "bundle.json").read_text())["facts"]["seed"] == 1
    with pytest.raises(BundleError, match=r"has no dictionary\.de"):
        bundle.path("dictionary.de")


@needs_cases
def test_another_dictionary_of_the_same_size_is_refused_before_the_first_sentence_eng_09(bundle):
    first, second = CASES / "eng09_dict.txt", CASES / "eng09_dict_shuffled.txt"
    own = bundle.path("dictionary.en")
    assert own.read_bytes() == first.read_bytes()
    assert dictionary_moves(first, second) == (36, 40)
    bundle_accepts(bundle, "dictionary.en", first)
    with pytest.raises(BundleError, match="36 of 40 entries are not where they were"):
        bundle_accepts(bundle, "dictionary.en", second)
    own.write_bytes(second.read_bytes())
    with pytest.raises(BundleError, match=r"dictionary\.en .* is not the one the engine was trained with"):
        bundle_open(bundle.folder)


@pytest.mark.parametrize("harm", ["missing", "card", "no manifest", "nothing"])
def test_damage_to_a_bundle_is_named(bundle, harm):
    if harm == "missing":
        bundle.path("subwords").unlink()
    elif harm == "card":
        (bundle.folder / "bundle.json").write_text(json.dumps({"files": {}, "facts": {}}))
    elif harm == "no manifest":
        (bundle.folder / "manifest.json").unlink()
    place = bundle.folder / ("gone" if harm == "nothing" else "")
    with pytest.raises(BundleError, match="subwords" if harm == "missing" else "card|no whole bundle"):
        bundle_open(place)


@pytest.mark.parametrize(
    "card",
    [
        "[]",
        '{"files": [], "facts": {}}',
        '{"files": {"checkpoint": "../../model.pt"}, "facts": {}}',
        '{"files": {"checkpoint": "/etc/hostname"}, "facts": {}}',
        '{"files": {"checkpoint": "made\\nup"}, "facts": {}}',
        '{"files": {}, "facts": "none"}',
        "[" * 100_000,
    ],
)
def test_a_card_that_leads_elsewhere_or_is_none_is_refused(tmp_path, card):
    (tmp_path / "model.pt").write_text("not ours")
    place = tmp_path / "runs" / "result"
    place.mkdir(parents=True)
    (place / "bundle.json").write_text(card)
    sums = {name: file_sha256(place / name) for name in ("bundle.json", "../../model.pt")}
    (place / "manifest.json").write_text(json.dumps(sums))
    with pytest.raises(BundleError, match=r"no whole bundle|no file of its bundle"):
        bundle_open(place)


def test_a_run_s_context_has_what_engines_ask_for():
    asked = {name for name in vars(Work) if not name.startswith("_")}
    assert asked == {"rundir", "device", "threads", "report", "should_stop", "check", "command"}
    assert asked <= {*vars(RunContext), *RunContext.__dataclass_fields__}
