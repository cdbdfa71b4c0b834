"""Depth and notation follow from side, kind, parent and direction."""

import pytest

from mtcore.corpora.provenance import ProvenanceError, Version, depth, label, notation, resolve

DIRECT = [
    Version("source", "original", "src"),
    Version("target", "original", "r1"),
    Version("target", "alternative", "wmt"),
    Version("source", "double_translation", "r1.r1", "r1"),
]
REVERSE = [
    Version("source", "original", "r1"),
    Version("source", "alternative", "wmt"),
    Version("target", "original", "src"),
    Version("target", "double_translation", "r1.r1", "r1"),
]


@pytest.mark.parametrize(
    ("versions", "direction", "notations", "labels"),
    [
        (DIRECT, "direct", ["X", "Y*", "Y*", "X**"], ["X", "Y*", "Y* (wmt)", "X**"]),
        (REVERSE, "reverse", ["X*", "X*", "Y", "Y**"], ["X*", "X* (wmt)", "Y", "Y**"]),
    ],
    ids=["newstest2014-ende and newstest2019-enru", "newstest2014-deen and newstest2019-ruen"],
)
def test_the_papers_pairs(
    versions: list[Version], direction: str, notations: list[str], labels: list[str]
) -> None:
    assert [notation(one, versions, direction) for one in versions] == notations
    assert [label(one, versions, direction) for one in versions] == labels


def test_without_parents_depth_follows_from_the_kind() -> None:
    versions = [
        Version("source", "original", "a"),
        Version("source", "alternative", "b"),
        Version("source", "double_translation", "c"),
        Version("target", "original", "d"),
        Version("target", "double_translation", "e"),
    ]
    assert [depth(one, versions, "direct") for one in versions] == [0, 2, 2, 1, 3]
    assert [label(one, versions, "direct") for one in versions[1:3]] == ["X** (b)", "X** (c)"]


def test_a_parent_may_be_on_either_side_and_named_with_it() -> None:
    versions = [
        Version("source", "original", "a"),
        Version("target", "original", "a"),
        Version("source", "double_translation", "b", "a"),
        Version("source", "alternative", "c", "source:a"),
    ]
    assert depth(versions[2], versions, "direct") == 2
    assert depth(versions[3], versions, "direct") == 1


def test_circles_and_unknown_parents_are_refused() -> None:
    circle = [Version("source", "alternative", "a", "b"), Version("target", "alternative", "b", "a")]
    with pytest.raises(ProvenanceError, match="in a circle: source:a → target:b → source:a"):
        depth(circle[0], circle, "direct")
    orphan = Version("source", "double_translation", "x", "nobody")
    with pytest.raises(ProvenanceError, match="derived from “nobody”"):
        depth(orphan, [*DIRECT, orphan], "direct")
    selfish = Version("source", "alternative", "x", "x")
    with pytest.raises(ProvenanceError, match="derived from “x”"):
        depth(selfish, [selfish], "direct")


def test_an_unknown_direction_gives_plain_names() -> None:
    assert [label(one, DIRECT, "") for one in DIRECT[:2]] == ["source (src)", "target (r1)"]
    assert depth(DIRECT[0], DIRECT, "") is None
    with pytest.raises(ProvenanceError, match="not “sideways”"):
        notation(DIRECT[0], DIRECT, "sideways")


@pytest.mark.parametrize(("side", "kind"), [("left", "original"), ("source", "copy")])
def test_sides_and_kinds_are_closed(side: str, kind: str) -> None:
    with pytest.raises(ProvenanceError):
        Version(side, kind, "x")


@pytest.mark.parametrize(
    ("wanted", "found"),
    [("src", 0), ("source:src", 0), ("X", 0), ("X**", 3), ("Y*", 1), ("Y* (wmt)", 2), ("target:wmt", 2)],
)
def test_a_version_is_found_by_name_side_or_notation(wanted: str, found: int) -> None:
    assert resolve(wanted, DIRECT, "direct") is DIRECT[found]


def test_an_ambiguous_or_unknown_version_lists_the_choices() -> None:
    versions = [Version("source", "original", "ref"), Version("target", "original", "ref")]
    with pytest.raises(ProvenanceError, match=r"ambiguous: choose source:ref \[X\] or target:ref \[Y\*\]"):
        resolve("ref", versions, "direct")
    assert resolve("ref", versions, "direct", side="target") is versions[1]
    twins = [Version("target", "alternative", "p"), Version("target", "alternative", "q")]
    with pytest.raises(ProvenanceError, match="“Y\\*” is ambiguous"):
        resolve("Y*", twins, "direct")
    with pytest.raises(ProvenanceError, match="There is no version “Z”: choose source:src"):
        resolve("Z", DIRECT, "direct")
    with pytest.raises(ProvenanceError, match="there are none"):
        resolve("Z", [], "direct")
