"""Published files of judgements, each read by its format with the counts its README gives."""

import csv
import gzip
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from annotation.formats import FORMATS, FormatError, ParsedJudgements, ParseOptions
from tests.paths import DATA, needs_data

pytestmark = needs_data
HUMAN = DATA / "human"


def parse(format_name: str, path: Path, **options: Any) -> ParsedJudgements:
    return FORMATS[format_name].parse(path.read_bytes(), path.name, ParseOptions(**options))


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


def means(parsed: ParsedJudgements, names: dict[str, str] | None = None) -> dict[str, float]:
    scores = defaultdict(list)
    for row in parsed.ratings:
        scores[(names or {}).get(row.system, row.system)].append(row.score)
    return {system: sum(own) / len(own) for system, own in scores.items()}


def test_the_error_spans_export_of_wmt24() -> None:
    parsed = parse("appraise", HUMAN / "wmt24-encs-esa" / "esa_generalMT2024_wave2.eng-ces.csv")
    kinds = Counter(row.kind for row in [*parsed.ratings, *parsed.document_scores])
    raw = (HUMAN / "wmt24-encs-esa" / "esa_generalMT2024_wave2.eng-ces.csv").read_text("utf-8")
    rows = list(csv.reader(raw.split("\n")[:-1]))
    assert len(rows) == 6120
    assert Counter(row[3] for row in rows) == {"TGT": 5387, "BAD": 733}
    left_out = sum("#incomplete" in row[7] or "#dup" in row[7] for row in rows)
    assert sum("#incomplete" in row[7] for row in rows) == 209
    assert sum("#dup" in row[7] for row in rows) == 51
    replaced = sum(count for count in Counter(map(key, rows)).values()) - len(Counter(map(key, rows)))
    assert sum(kinds.values()) == 6120 - left_out - replaced
    assert kinds["practice"] > 300
    assert any("209 rows of documents marked #incomplete" in notice for notice in parsed.notices)
    assert any("51 rows of documents marked #dup" in notice for notice in parsed.notices)
    assert len({row.rater for row in [*parsed.ratings, *parsed.document_scores]}) <= 61
    assert parsed.languages_hint == "eng-ces"


def key(row: list[str]) -> tuple[str, ...]:
    """Return what a later row of the export replaces; rows that are left out are unlike each other."""
    gone = "#incomplete" in row[7] or "#dup" in row[7]
    return tuple(row) if gone else (row[0], row[1], row[2], row[3], row[7], row[8])


def test_mqm_rows_give_the_published_segment_scores_and_ranking() -> None:
    folder = HUMAN / "wmt21ted-ende-mqm"
    parsed = parse("mqm", folder / "mqm_ted_ende.tsv.gz")
    assert len(parsed.ratings) == 7406
    assert len({row.rater for row in parsed.ratings}) == 4
    assert len({row.system for row in parsed.ratings}) == 14
    assert len({row.segment for row in parsed.ratings}) == 529
    assert parsed.scale_hint == (-25.0, 0.0)
    averages = parse("mt-metrics-eval", folder / "mqm_ted_ende.avg_seg_scores.tsv", scale=(-25, 0))
    published = {(row.system, row.segment): row.score for row in averages.ratings}
    rename = {"ref": "ref-A"}
    mine = {(rename.get(row.system, row.system), row.segment): row.score for row in parsed.ratings}
    assert mine.keys() == published.keys()
    assert max(abs(mine[at] - published[at]) for at in mine) < 1e-6
    official = {
        row["System"]: float(row["expert-based MQM"].partition("(")[0])
        for row in table(folder / "official" / "published_mqm.tsv")
    }
    found = means(parsed, {"ref": "ref.A"})
    assert found.keys() == official.keys()
    assert all(abs(-found[system] - official[system]) < 0.01 for system in official)


def test_average_mqm_scores_of_wmt21_news() -> None:
    file = HUMAN / "wmt21-ende-mqm" / "mqm_newstest2021_ende.avg_seg_scores.tsv"
    parsed = parse("mt-metrics-eval", file, scale=(-25, 0))
    assert len(parsed.ratings) == 17 * (1002 - 475)
    assert len({row.system for row in parsed.ratings}) == 17
    assert any("left out 8,075 missing scores" in notice for notice in parsed.notices)
    found = means(parsed)
    published = {"ref-C": 0.51, "Facebook-AI": 1.05, "Nemo": 1.34, "VolcTrans-AT": 1.74}
    assert all(abs(-found[system] - score) < 0.006 for system, score in published.items())
    with pytest.raises(FormatError, match="the score -5 is outside the scale 0–100") as caught:
        parse("mt-metrics-eval", file, scale=(0, 100))
    assert caught.value.line == 2
    by_itself = parse("mt-metrics-eval", file)
    assert by_itself.ratings == parsed.ratings and by_itself.scale_hint == (-25, 0)


def test_wmt_tables_of_direct_assessment_are_the_judgements_we_know() -> None:
    folder = HUMAN / "wmt21-bnhi-da"
    parsed = parse("wmt-mturk", folder / "official" / "ad-latest.csv.gz")
    known = table(folder / "judgments.tsv")
    assert len(parsed.ratings) == len(known) == 4461
    line_of: dict[str, str] = {}
    for row, other in zip(parsed.ratings, known, strict=True):
        assert (row.rater, row.systems, row.score) == (
            other["rater"],
            (other["system"],),
            float(other["raw"]),
        )
        assert line_of.setdefault(row.segment, other["line"]) == other["line"]
    assert len(line_of) == len(set(line_of.values())) == 503
    assert parsed.languages_hint == "bn-hi"


def test_standardised_scores_of_wmt_come_in_with_their_scale() -> None:
    folder = HUMAN / "wmt22-csen-da"
    parsed = parse("wmt-mturk", folder / "official" / "ad-csen-good-stnd-redup.csv.gz", scale=(-12, 12))
    known = table(folder / "judgments.tsv")
    assert len(parsed.ratings) == 25070
    assert len({row.rater for row in parsed.ratings}) == 156
    assert len({row.group for row in parsed.ratings}) == 263
    assert Counter(row.kind for row in parsed.ratings) == {
        "system": 17663, "repeat": 2431, "bad_reference": 2493, "reference": 2483,
    }  # fmt: skip
    mine = Counter((row.rater, row.systems[0], row.segment, row.group, row.kind) for row in parsed.ratings)
    kinds = {"SYSTEM": "system", "REPEAT": "repeat", "BAD_REF": "bad_reference", "REF": "reference"}
    assert mine == Counter(
        (row["rater"], row["system"], row["line"], row["hit_id"], kinds[row["item_type"]]) for row in known
    )
    with pytest.raises(FormatError, match="outside the scale"):
        parse("wmt-mturk", folder / "official" / "ad-csen-good-stnd-redup.csv.gz")


@pytest.mark.parametrize("pair", ["deu-eng", "tur-eng"])
def test_collapsed_rankings_are_fewer_pairs_of_joined_systems(pair: str) -> None:
    expanded = parse("wmt16-ranking", DATA / "pairwise" / f"wmt16.{pair}.csv")
    collapsed = parse("wmt16-ranking", DATA / "pairwise" / f"wmt16.collapsed.{pair}.csv.gz")
    rows = len(
        gzip.decompress((DATA / "pairwise" / f"wmt16.collapsed.{pair}.csv.gz").read_bytes()).splitlines()
    )
    shown = [row for row in collapsed.comparisons if not row.identical]
    assert len(shown) == rows - 1 == {"deu-eng": 12926, "tur-eng": 9684}[pair]
    assert any(len(row.left) > 1 for row in shown)
    assert not any(len(row.left) > 1 or len(row.right) > 1 for row in expanded.comparisons)
    assert {row.group for row in shown} <= {row.group for row in expanded.comparisons}
