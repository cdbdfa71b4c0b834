"""Translations made elsewhere: a status for each line, found by text, refused where lines are missing."""

import gzip

import pytest

from mtcore.engines.base import BLANK, FAILED, OK, Line
from mtcore.engines.bundle import BundleError, bundle_open
from mtcore.engines.errors import EngineError
from mtcore.engines.imported import ImportEngine, outputs_bundle
from mtcore.engines.recipe import Decoding
from mtcore.engines.setup import Setup

SOURCE = "Eins.\n\nZwei.\nJa.\nDrei\u2028vier.\nJa.\n"
OUTPUTS = "One.\n\n\nYes.\nThree four.\nIndeed.\n"


class Quiet:
    """A run that is asked for nothing but whether to stop."""

    def check(self):
        pass


def write(folder, source=SOURCE, outputs=OUTPUTS):
    (folder / "set.de").write_bytes(source.encode())
    (folder / "moses.en.gz").write_bytes(gzip.compress(outputs.encode()))
    return folder / "set.de", folder / "moses.en.gz"


def bundle_of(folder, *texts, place="bundle"):
    source, outputs = write(folder, *texts)
    return outputs_bundle(
        source, outputs, source_language="de", target_language="en", made_by="Moses", place=folder / place
    )


def ask(bundle, lines):
    return ImportEngine(Setup(mt_python=bundle.folder / "none")).translate(
        [bundle], lines, Decoding(), Quiet()
    )


def test_every_line_has_a_status_and_its_origin(tmp_path):
    bundle = bundle_of(tmp_path)
    assert bundle.facts["made_by"] == "Moses" and bundle.facts["outputs_file"] == "moses.en.gz"
    assert [bundle.facts[name] for name in ("lines", OK, BLANK, FAILED)] == [6, 4, 1, 1]
    assert ask(bundle, SOURCE.split("\n")[:-1]) == [
        Line("One."), Line("", BLANK), Line("", FAILED), Line("Yes."), Line("Three four."), Line("Indeed."),
    ]  # fmt: skip


def test_other_lines_are_looked_up_by_their_text(tmp_path):
    bundle = bundle_of(tmp_path)
    found = ask(bundle, ["Ja.", "Eins.", "Ja.", "Ja.", " "])
    assert [line.text for line in found] == ["Yes.", "One.", "Indeed.", "Indeed.", ""]
    with pytest.raises(EngineError, match=r"2 of 3 lines .* line 2: “Fünf.”") as caught:
        ask(bundle, ["Ja.", "Fünf.", "Sechs."])
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("outputs", "words"),
    [
        ("One.\n\n\nYes.\n", r"moses.en.gz has 4 lines, set.de has 6. Line 5 of the source"),
        (OUTPUTS + "More.\n", r"moses.en.gz has 7 lines, set.de has 6. Line 7 of the translations"),
    ],
)
def test_missing_and_extra_lines_are_refused_with_where(tmp_path, outputs, words):
    with pytest.raises(EngineError, match=words):
        bundle_of(tmp_path, SOURCE, outputs)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["moses.en.gz", "set.de"]


def test_what_cannot_be_read_is_refused(tmp_path):
    source, outputs = write(tmp_path)
    outputs.write_bytes(outputs.read_bytes()[:-6])
    with pytest.raises(EngineError, match="gzip"):
        outputs_bundle(
            source, outputs, source_language="de", target_language="en", made_by="", place=tmp_path / "b"
        )
    with pytest.raises(EngineError, match="no lines"):
        bundle_of(tmp_path, "", "")


def test_text_for_a_blank_source_is_counted_and_not_shown(tmp_path):
    bundle = bundle_of(tmp_path, "Eins.\n \n", "One.\nGhost.\n")
    assert bundle.facts["text_for_blank"] == 1
    assert ask(bundle, ["Eins.", " "]) == [Line("One."), Line("", BLANK)]


def test_a_changed_file_is_refused(tmp_path):
    bundle = bundle_of(tmp_path)
    path = bundle.path("checkpoint")
    path.write_text(path.read_text().replace("One", "Two"))
    with pytest.raises(BundleError, match="SHA-256"):
        bundle_open(bundle.folder)
