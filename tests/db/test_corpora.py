"""Corpora: imported as streams, checked for test segments, filtered, split, mixed; whole or not there."""

import gzip
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from evalplatform.errors import BadInput, Conflict, NotFound
from mtcore.corpora.filters import FilterOptions
from mtcore.models import Corpus, Run
from mtcore.services import corpora_import
from mtcore.services.corpora import (
    corpora_register,
    corpus_files,
    corpus_find,
    corpus_register,
    corpus_verify,
)
from mtcore.services.corpora_derive import (
    Part,
    corpus_back_translated,
    corpus_filter,
    corpus_mix,
    corpus_pairs,
    corpus_split,
)
from mtcore.services.corpora_import import corpus_import
from mtcore.services.corpora_write import corpora_folder
from mtcore.services.run_context import RunStopped, run_directory
from tests.factories.campaigns import invented_lines
from tests.factories.commands import refused, run
from tests.factories.files import write_lines
from tests.factories.runs import work_all
from tests.paths import CASES, DATA, needs_cases, needs_data

pytestmark = pytest.mark.django_db
PLAIN = FilterOptions(language=False)


def made(tmp_path, name="train", pairs=None, languages=("en", "de"), **more) -> Corpus:
    """Import a corpus from pairs (or lines, for one language)."""
    pairs = pairs if pairs is not None else [("a b", "c d"), ("e f", "g h"), ("a b", "c d"), ("i", "j k l m")]
    sides = list(zip(*pairs, strict=True)) if len(languages) == 2 else [pairs]
    paths = [
        write_lines(tmp_path / f"{name}.{tag}", side) for tag, side in zip(languages, sides, strict=True)
    ]
    draft = corpus_import(name=name, languages=languages, sources=paths[:1], targets=paths[1:], **more)
    return corpus_register(draft)[0]


def nothing_left() -> bool:
    return not corpora_folder().exists() or not list(corpora_folder().iterdir())


def test_a_parallel_corpus_is_imported_counted_and_verified(tmp_path):
    source = tmp_path / "x.en.gz"
    source.write_bytes(gzip.compress(b"\xef\xbb\xbfone two\r\n\nthree\n"))
    target = write_lines(tmp_path / "x.de", ["eins zwei", "nichts", "drei"])
    out, _ = run("import_corpus", "train", "--languages", "en-de", "--source", source, "--target", target)
    corpus = corpus_find("train")
    assert (corpus.kind, corpus.n_lines, corpus.source_language, corpus.target_language) == (
        "parallel", 3, "en", "de",
    )  # fmt: skip
    assert corpus_files(corpus)["en"].read_bytes() == b"one two\n\nthree\n"
    assert corpus.report["words"] == {"en": 3, "de": 4}
    assert "en-de, parallel, 3 lines" in out
    out, _ = run("corpora", "train", "--verify")
    assert "those that were registered" in out
    corpus_files(corpus)["de"].write_text("changed\n")
    assert "SHA-256 has changed" in refused("corpora", "--verify")
    corpus_files(corpus)["de"].unlink()
    with pytest.raises(NotFound, match=r"text\.de"):
        corpus_files(corpus)


def test_several_files_and_folders(tmp_path):
    folder = tmp_path / "bitext" / "sub"
    folder.mkdir(parents=True)
    for stem in "ab":
        for tag in ("en", "de"):
            write_lines(folder / f"{stem}.{tag}", [f"{stem} {tag}"])
    (folder / "b.de.gz").write_bytes(gzip.compress((folder / "b.de").read_bytes()))
    (folder / "b.de").unlink()
    run("import_corpus", "pairs", "--languages", "en-de", "--source", folder.parent)
    assert list(corpus_pairs(corpus_find("pairs"))) == [("a en", "a de"), ("b en", "b de")]
    run("import_corpus", "mono", "--languages", "de", "--text", folder / "a.de", folder / "b.de.gz")
    assert [one for one, _ in corpus_pairs(corpus_find("mono"))] == ["a de", "b de"]
    assert corpus_find("mono").kind == "monolingual"
    (folder / "a.de").unlink()
    message = refused("import_corpus", "odd", "--languages", "en-de", "--source", folder.parent)
    assert "“sub/a” is there in one language only" in message
    assert "holds no file" in refused(
        "import_corpus", "odd", "--languages", "de", "--text", _made_folder(tmp_path / "empty")
    )


def _made_folder(path):
    path.mkdir()
    return path


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--languages", "en-de", "--source", "{en}", "--target", "{short}"], "has 4 lines, short.de has 3"),
        (["--languages", "en-de", "--source", "{en}", "--target", "gone.de"], "cannot be read"),
        (["--languages", "de", "--text", "{en}", "--target", "{short}"], "has no target side"),
        (["--languages", "xx-de", "--source", "{en}", "--target", "{short}"], "Unknown language"),
        (["--languages", "de", "--text", "{bad}"], "line 2: is not UTF-8"),
    ],
)
def test_what_cannot_be_imported_leaves_nothing(tmp_path, arguments, words):
    paths = {
        "en": write_lines(tmp_path / "x.en", ["1 a", "2 b", "3 c", "4 d"]),
        "short": write_lines(tmp_path / "short.de", ["1", "2", "3"]),
        "bad": str(tmp_path / "bad.txt"),
    }
    (tmp_path / "bad.txt").write_bytes(b"a\n\xff\n")
    assert words in refused("import_corpus", "bad", *[one.format(**paths) for one in arguments])
    assert nothing_left()


def test_lines_from_which_nothing_is_learnt_are_told_and_a_blank_corpus_is_refused(tmp_path):
    english = write_lines(tmp_path / "x.en", ["one", "", "three", "four", "five"])
    german = write_lines(tmp_path / "x.de", ["eins", "zwei", "three", " ", "fünf"])
    told, _ = run("import_corpus", "odd", "--languages", "en-de", "--source", english, "--target", german)
    assert "blank on a side: 2 lines; filtering takes them out" in told
    assert "the same text on both sides: 1 line" in told
    report = corpus_find("odd").report
    assert (report["blank"], report["same_sides"]) == (2, 1)
    told, _ = run("import_corpus", "mono", "--languages", "de", "--text", german)
    assert "both sides" not in told and "blank on a side: 1 line; filtering takes it out" in told
    blank = write_lines(tmp_path / "blank", ["", " ", "\t"])
    kept = len(list(corpora_folder().iterdir()))
    message = refused("import_corpus", "blank", "--languages", "de", "--text", blank)
    assert "Every line of the corpus “blank” is blank." in message
    assert len(list(corpora_folder().iterdir())) == kept


@needs_cases
def test_training_sides_of_different_length_are_refused_eng_08():
    files = ["--source", CASES / "eng08_train.src", "--target"]
    message = refused("import_corpus", "t", "--languages", "en-de", *files, CASES / "eng08_train_short.tgt")
    assert "has 4 lines" in message and "has 3" in message
    run("import_corpus", "t", "--languages", "en-de", *files, CASES / "eng08_train.tgt")
    corpus = corpus_find("t")
    assert corpus.n_lines == 4
    assert list(corpus_pairs(corpus))[3] == ("j k l", "J K L")
    assert corpus.report["carriage_returns"] == 1


def test_a_name_is_given_once_and_never_overwritten(tmp_path):
    first = made(tmp_path)
    with pytest.raises(Conflict, match="already"):
        made(tmp_path, pairs=[("x", "y")])
    assert [one.name for one in corpora_folder().iterdir()] == [first.path.split("/")[1]]
    draft = corpus_import(name="other", languages=["de"], sources=[str(tmp_path / "train.de")])
    assert corpus_register(draft)[1]
    again = {**draft.__dict__, "folder": "gone"}
    assert not corpus_register(type(draft)(**again))[1], (
        "the same text under the same name is the same corpus"
    )


def test_test_segments_are_refused_dropped_or_kept(tmp_path):
    lines = invented_lines(5, seed=1)
    run(
        "import_testset", "newstest", "--languages", "en-de",
        "--source", write_lines(tmp_path / "s", lines),
        "--reference", write_lines(tmp_path / "r", invented_lines(5, seed=2)),
    )  # fmt: skip
    pairs = [
        ("something else", "etwas anderes"),
        (lines[3].upper(), "x"),
        ("y", invented_lines(5, seed=2)[0]),
    ]
    with pytest.raises(BadInput) as caught:
        made(tmp_path, pairs=pairs)
    assert "holds 2 lines with test segments: line 2 is in “newstest”" in caught.value.message
    assert nothing_left() and not Corpus.objects.exists()
    dropped = made(tmp_path, "dropped", pairs, test_segments="drop")
    assert list(corpus_pairs(dropped)) == pairs[:1] and dropped.report["removed"] == {"test segment": 2}
    kept = made(tmp_path, "kept", pairs, test_segments="keep")
    assert kept.n_lines == 3
    filtered = corpus_filter(corpus=kept, name="filtered", options=FilterOptions(language=False, max_ratio=0))
    assert filtered.n_lines == 1 and filtered.report["removed"]["test segment"] == 2


def test_a_corpus_full_of_test_segments_is_refused_early(tmp_path, monkeypatch):
    monkeypatch.setattr(corpora_import, "_ENOUGH", 2)
    run(
        "import_testset", "t", "--languages", "en-de", "--source", write_lines(tmp_path / "s", ["a b", "c d"])
    )
    with pytest.raises(BadInput, match="at least 2 lines"):
        made(tmp_path, pairs=[("a b", "x")] * 1000)


def test_filtering_says_what_each_filter_removed(tmp_path):
    made(tmp_path)
    out, _ = run("filter_corpus", "train", "clean", "--any-language")
    clean = corpus_find("clean")
    assert list(corpus_pairs(clean)) == [("a b", "c d"), ("e f", "g h")]
    assert clean.report["removed"] == {"empty": 0, "too long": 0, "length ratio": 1, "duplicate": 1}
    assert (clean.report["read"], clean.report["kept"]) == (4, 2)
    assert list(clean.derived_from.all()) == [corpus_find("train")]
    assert "1 length ratio, 1 duplicate" in out and "made by filter from “train”" in out
    assert not [one for one in corpora_folder().iterdir() if one.name.startswith(".")]
    message = refused("filter_corpus", "train", "none", "--any-language", "--min-words", "9")
    assert "Nothing is left" in message and "4 too short removed" in message
    assert "max_ratio" in refused("filter_corpus", "train", "none", "--max-ratio", "0.2")
    assert "no corpus “gone”" in refused("filter_corpus", "gone", "none")


def test_splits_are_random_disjoint_and_the_same_again(tmp_path):
    pairs = [(f"s {n}", f"t {n}") for n in range(50)]
    corpus = made(tmp_path, pairs=pairs)
    rest, held = corpus_split(corpus=corpus, names=("rest", "held"), held_out=10, seed=4)
    parts = [list(corpus_pairs(corpus_register(one)[0])) for one in (rest, held)]
    assert sorted(parts[0] + parts[1]) == sorted(pairs) and len(parts[1]) == 10
    assert parts[1] == [pair for pair in pairs if pair in parts[1]] != pairs[:10]
    again = corpus_split(corpus=corpus, names=("rest2", "held2"), held_out=10, seed=4)
    assert again[1].sha256 == held.sha256
    with pytest.raises(BadInput):
        corpus_split(corpus=corpus, names=("a", "b"), held_out=50, seed=1)


def test_splits_and_mixes_by_command(tmp_path):
    made(tmp_path, pairs=[(f"s {n}", f"t {n}") for n in range(9)])
    out, _ = run("split_corpus", "train", "rest", "held", "--lines", "2", "--seed", "5")
    assert "rest: en-de, parallel, 7 lines" in out and "held: en-de, parallel, 2 lines" in out
    assert "already" in refused("split_corpus", "train", "new", "held", "--lines", "2")
    assert "already" in refused("split_corpus", "train", "same", "rest", "--lines", "2")
    assert "Both parts are to be called “r”" in refused("split_corpus", "train", "r", "r", "--lines", "2")
    assert "cannot be held out of 9" in refused("split_corpus", "train", "a", "b", "--lines", "9")
    out, _ = run("mix_corpora", "mix", "--part", "held", "2", "--part", "rest", "1", "<BT>", "--part", "held")
    assert "mix: en-de, parallel, 13 lines" in out and "made by mix from “held”, “rest”" in out
    assert "“--part held x”" in refused("mix_corpora", "m", "--part", "held", "x")
    for copies in ("0", "1001", "1000000000000"):
        assert f"{int(copies):,} times" in refused("mix_corpora", "m", "--part", "held", copies)
    assert "is not a corpus, a number" in refused("mix_corpora", "m", "--part", "held", "9" * 5000)
    assert Corpus.objects.count() == len(list(corpora_folder().iterdir())) == 4


def test_half_a_split_is_not_left(tmp_path, monkeypatch):
    corpus = made(tmp_path)
    drafts = corpus_split(corpus=corpus, names=("rest", "held"), held_out=1, seed=1)
    made(tmp_path, "held", [("x", "y")])
    with pytest.raises(Conflict):
        corpora_register(drafts)
    assert {one.name for one in Corpus.objects.all()} == {"train", "held"}
    assert len(list(corpora_folder().iterdir())) == 2


def test_mixes_repeat_and_tag(tmp_path):
    real = made(tmp_path, "real", [("a", "x")])
    synthetic = made(tmp_path, "synthetic", [("b", "y"), ("c", "z")])
    mix = corpus_register(corpus_mix(name="mix", parts=[Part(real, 3), Part(synthetic, 1, "<BT>")]))[0]
    assert list(corpus_pairs(mix)) == [("a", "x")] * 3 + [("<BT> b", "y"), ("<BT> c", "z")]
    assert set(mix.derived_from.all()) == {real, synthetic}
    assert mix.report["parts"][0] == {"corpus": "real", "copies": 3, "tag": ""}
    other = made(tmp_path, "other", ["text"], ("de",))
    with pytest.raises(BadInput, match="Mix corpora of the same languages"):
        corpus_mix(name="bad", parts=[Part(real), Part(other)])


@needs_cases
def test_back_translations_without_text_are_left_out_and_counted_eng_16():
    paths = [str(CASES / "eng16_bt.src")]
    mono = corpus_register(corpus_import(name="mono", languages=["de"], sources=paths))[0]
    draft = corpus_back_translated(
        name="bt", corpus=mono, language="en", output=CASES / "eng16_bt.mt", provenance={"system": "reverse"}
    )
    corpus = corpus_register(draft)[0]
    assert list(corpus_pairs(corpus)) == [("Hello .", "Hallo .")]
    assert (corpus.kind, corpus.source_language, corpus.target_language) == ("synthetic", "en", "de")
    assert corpus.report["removed"] == {"empty source": 1, "empty output": 1}
    assert corpus.report["system"] == "reverse" and list(corpus.derived_from.all()) == [mono]
    with pytest.raises(BadInput, match="has 3 lines"):
        corpus_back_translated(name="bt2", corpus=mono, language="en", output=CASES / "eng07_blank.txt")


def test_a_worker_imports_and_filters(tmp_path):
    pairs = [(f"s {n % 9000}", f"t {n % 9000}") for n in range(12_000)]
    paths = [
        write_lines(tmp_path / f"big.{tag}", side)
        for tag, side in zip(("en", "de"), zip(*pairs, strict=True), strict=True)
    ]
    out, _ = run(
        "import_corpus",
        "big",
        "--languages",
        "en-de",
        "--source",
        paths[0],
        "--target",
        paths[1],
        "--background",
    )
    assert "Nobody is working" in out
    (done,) = work_all()
    assert (done.state, done.result["lines"]) == ("succeeded", 12_000)
    assert corpus_find("big").run == done
    assert "lines_per_second" in json.dumps(done.history)
    run("filter_corpus", "big", "clean", "--any-language", "--background")
    (done,) = work_all()
    assert done.result["report"]["removed"]["duplicate"] == 3000
    assert corpus_find("clean").n_lines == 9000
    assert "already" in refused(
        "import_corpus", "big", "--languages", "de", "--text", paths[1], "--background"
    )
    assert "cannot be read" in refused(
        "import_corpus", "n", "--languages", "de", "--text", "gone", "--background"
    )


def test_an_import_that_is_stopped_leaves_nothing_and_can_go_on(tmp_path, monkeypatch):
    paths = [write_lines(tmp_path / "x.de", ["a", "b"])]
    run("import_corpus", "x", "--languages", "de", "--text", paths[0], "--background")
    with monkeypatch.context() as patch:

        def stopped(_context):
            raise RunStopped

        patch.setattr("mtcore.services.run_context.RunContext.check", stopped)
        patch.setattr("mtcore.services.run_work.run_give_up", lambda claim, changes: None)
        from mtcore.services.run_work import Worker

        Worker(queues=["default"]).look()
    assert nothing_left() and not Corpus.objects.exists()
    Run.objects.update(lease_until=None)
    assert [one.state for one in work_all()] == ["succeeded"]


def test_text_that_was_written_before_the_worker_died_is_taken_as_it_is(tmp_path):
    path = write_lines(tmp_path / "x.de", ["a", "b"])
    run("import_corpus", "x", "--languages", "de", "--text", path, "--background")
    (waiting,) = Run.objects.all()
    corpus_import(name="x", languages=["de"], sources=[path], folder=f"run-{waiting.pk}")
    assert [one.state for one in work_all()] == ["succeeded"]
    corpus = corpus_find("x")
    assert corpus.path == f"corpora/run-{waiting.pk}" and corpus.n_lines == 2
    corpus_verify(corpus)


def test_a_full_disk_is_said_and_leaves_nothing(tmp_path, monkeypatch):
    path = write_lines(tmp_path / "x.de", ["a", "b"])

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("mtcore.services.corpora_write.publish", full)
    run("import_corpus", "x", "--languages", "de", "--text", path, "--background")
    (done,) = work_all()
    assert done.state == "failed" and "The disk is full. Free space" in done.message
    assert nothing_left()
    said = refused("import_corpus", "x", "--languages", "de", "--text", path)
    assert "The disk: No space left on device. Make room where it is written" in said
    assert nothing_left()


def test_a_full_disk_is_said_on_the_page_and_leaves_nothing(monkeypatch, admin_client):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("mtcore.services.corpora_write.publish", full)
    given = {"name": "x", "languages": "de", "test_segments": "refuse"}
    file = SimpleUploadedFile("x.de", b"a\nb\n")
    answer = admin_client.post(reverse("corpus_import"), {**given, "sources": file})
    assert answer.status_code == 507 and "disk of the server is full" in answer.content.decode()
    assert nothing_left()


def test_damaged_text_of_an_interrupted_run_is_not_taken(tmp_path):
    path = write_lines(tmp_path / "x.de", ["a", "b"])
    run("import_corpus", "x", "--languages", "de", "--text", path, "--background")
    (waiting,) = Run.objects.all()
    draft = corpus_import(name="x", languages=["de"], sources=[path], folder=f"run-{waiting.pk}")
    (corpora_folder() / draft.folder / "text.de").write_text("a\n")
    (done,) = work_all()
    assert done.state == "failed" and "SHA-256 has changed" in done.message
    assert not Corpus.objects.exists()


def test_a_failed_import_says_so_in_its_run(tmp_path):
    path = tmp_path / "x.de"
    path.write_bytes(b"a\n\xff\n")
    run("import_corpus", "x", "--languages", "de", "--text", path, "--background")
    (done,) = work_all()
    assert done.state == "failed" and "line 2: is not UTF-8" in done.message
    out, _ = run("runs", done.pk)
    assert "not UTF-8" in out and "exit" not in out
    out, _ = run("runs")
    assert "import_corpus" in out and "Workers: none" in out
    out, _ = run("run_resume", done.pk)
    assert "will go on" in out and "Nobody is working" in out
    out, _ = run("run_cancel", done.pk)
    assert "is cancelled" in out
    assert run_directory(done.pk).root.exists()
    assert "There is no run 99999" in refused("run_cancel", "99999")


@needs_data
def test_real_text_is_filtered_as_its_description_says(tmp_path):
    source, target = (
        DATA / "parallel" / "europarl-fren-3k" / f"europarl-v7.fr-en.{tag}" for tag in ("en", "fr")
    )
    run("import_corpus", "ep", "--languages", "en-fr", "--source", source, "--target", target)
    run("filter_corpus", "ep", "clean", "--any-language", "--max-ratio", "0")
    report = corpus_find("clean").report
    assert report["read"] == 3000 and report["removed"]["empty"] == 6
