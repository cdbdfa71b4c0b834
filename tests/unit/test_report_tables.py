"""Tables of a report as text: names stay what they are in LaTeX, Markdown and CSV."""

import csv
from io import StringIO

import pytest

from annotation.services.report.latex import LONG, to_latex
from annotation.services.report.tables import Column, Table, plain, to_csv, to_markdown, used
from mtcore.corpora.latex import latex_escape
from tests.factories.latex import compiled
from tests.paths import ROOT

NAMES = ["GPT_4&Co{50%}", "a\\b^~$", "<b>Sys</b>#1", "[x] *y* `z` -- it''s \"q\" |", "Ünïcode ß – …"]
COLUMNS = [
    Column("system", "System"),
    Column("z", "Ave. z", "number", 3),
    Column("ci", "95 %", "interval", 3),
    Column("n", "Judgements", "count"),
    Column("p", "p", "p"),
    Column("cluster", "Cluster", "ranks"),
    Column("share", "Share", "ci_percent"),
    Column("bars", "Scores", "bars"),
]


def rows(names=NAMES):
    return [
        {
            "system": name, "z": -0.1234 * number, "ci": [-1.0, 0.5], "n": 1234, "p": 0.00001,
            "cluster": [1, 2], "share": [0.5, 0.4, 0.6], "bars": [1, 0, 2],
        }
        for number, name in enumerate(names)
    ]  # fmt: skip


TABLE = Table("ranking", "Names & numbers, 100 % of them", COLUMNS, rows(), frozenset({1}))
SIGNATURE = "protocol:source_da|seed:1"


@pytest.mark.parametrize(
    ("name", "escaped"),
    [
        ("GPT_4&Co{50%}", r"GPT\_4\&Co\{50\%\}"),
        ("a\\b^~$", r"a\textbackslash{}b\textasciicircum{}\textasciitilde{}\$"),
        ("<b>Sys</b>#1", r"\textless{}b\textgreater{}Sys\textless{}/b\textgreater{}\#1"),
        ("a--b---c", "a-{}-b-{}-{}-c"),
        ("[x]*", "{[}x{]}{*}"),
        ("?` !`", r"?\textasciigrave{} !\textasciigrave{}"),
        ("−0.5 … 2–9 →", r"\ensuremath{-}0.5 \dots{} 2--9 \ensuremath{\rightarrow}"),
        ("plain-name.1", "plain-name.1"),
        ("p<|im|>", r"p\textless{}\textbar{}im\textbar{}\textgreater{}"),
        ("Σ fᵢ² ↑", r"\ensuremath{\Sigma} fᵢ\ensuremath{^2} \ensuremath{\uparrow}"),
        ("α τ κ ×", r"\ensuremath{\alpha} \ensuremath{\tau} \ensuremath{\kappa} \ensuremath{\times}"),
    ],
)
def test_latex_prints_names_as_they_are(name, escaped):
    assert latex_escape(name) == escaped


def test_there_is_one_way_to_write_text_as_latex():
    own = [
        path.name
        for folder in ("annotation", "mtcore")
        for path in (ROOT / folder).rglob("*.py")
        if r"\textbackslash" in path.read_text("utf-8")
    ]
    assert own == ["latex.py"]


def test_latex_rows_have_as_many_cells_as_columns_and_rules_where_clusters_end():
    text = to_latex(TABLE, SIGNATURE)
    body = text.split("\\midrule\n", 1)[1].split("\\bottomrule")[0].strip().split("\n")
    assert [line == r"\midrule" for line in body] == [False, False, True, False, False, False]
    assert "{[}{-}1.000" in body[0].replace(r"\ensuremath{-}", "{-}") and "0.500{]}" in body[0]
    for line in body:
        assert line == r"\midrule" or line.replace(r"\&", "").count(" & ") == len(COLUMNS) - 1
    assert r"\begin{table}" in text and "longtable" not in text
    many = Table("many", "Many", COLUMNS, rows([f"S{n}" for n in range(LONG + 1)]))
    assert r"\begin{longtable}" in to_latex(many, SIGNATURE)


def test_latex_tables_are_no_wider_than_the_page():
    def written(n_columns: int, n_rows: int) -> str:
        columns = [Column(f"c{place}", "Mean of all", "number", 3) for place in range(n_columns)]
        cells = {column.key: 12345.678 for column in columns}
        return to_latex(Table("t", "t", columns, [cells] * n_rows), SIGNATURE)

    assert "resizebox" not in written(5, 3) and "landscape" not in written(5, LONG + 1)
    assert r"\resizebox{\ifdim\width>\linewidth" in written(6, 3) and "landscape" not in written(6, 3)
    turned = written(12, 3)
    assert r"\begin{landscape}" in turned and "graphicx,pdflscape}" in turned.split("\n")[0]
    sizes = [written(n, LONG + 1) for n in (6, 12, 20)]
    for text, size in zip(sizes, ("footnotesize", "scriptsize", "tiny"), strict=True):
        assert r"\begin{landscape}" in text and rf"\{size}" in text and "pdflscape" in text.split("\n")[0]
    for text in (turned, *sizes):
        assert text.count("{") == text.count("}")
        for name in ("table", "landscape", "longtable", "tabular"):
            assert text.count(rf"\begin{{{name}}}") == text.count(rf"\end{{{name}}}")


@pytest.mark.parametrize("n_rows", [5, LONG + 5])
def test_latex_compiles(tmp_path, n_rows):
    names = [NAMES[n % len(NAMES)] for n in range(n_rows)]
    compiled(tmp_path, to_latex(Table("t", "Names & numbers", COLUMNS, rows(names)), SIGNATURE))


def test_markdown_escapes_names_and_keeps_one_row_a_line():
    lines = to_markdown(TABLE, SIGNATURE).split("\n")
    assert lines[0] == "Names \\& numbers, 100 % of them"
    assert lines[4].startswith(r"| GPT\_4\&Co\{50%\} | 0.000 | −1.000 … 0.500 | 1,234 | \< .0001 |")
    assert lines[5].startswith(r"| a\\b\^\~\$ | −0.123 |")
    assert lines[6].startswith(r"| \<b\>Sys\</b\>\#1 |")
    assert lines[7].startswith(r"| \[x\] \*y\* \`z\` -- it''s " + '"q" ' + r"\| |")
    assert lines[2].count("|") == lines[3].count("|") == len(COLUMNS) + 1


def test_csv_has_raw_values_and_bounds_in_columns_of_their_own():
    found = list(csv.DictReader(StringIO(to_csv(TABLE, SIGNATURE))))
    assert [row["system"] for row in found] == NAMES
    first = found[1]
    assert float(first["z"]) == -0.1234 and first["n"] == "1234"
    assert (first["ci_low"], first["ci_high"]) == ("-1.0", "0.5")
    assert (first["cluster_first"], first["cluster_last"]) == ("1", "2")
    assert (first["share_share"], first["share_share_low"], first["share_share_high"]) == (
        "0.5",
        "0.4",
        "0.6",
    )
    assert first["bars"] == "1 0 2" and first["signature"] == SIGNATURE


def test_what_is_missing_is_a_dash_to_read_and_nothing_in_csv():
    empty = Table("t", "t", COLUMNS, [{"system": "A"}])
    assert empty.cells() == [["A", "–", "–", "–", "–", "–", "–", "–"]]
    row = next(iter(csv.DictReader(StringIO(to_csv(empty, SIGNATURE)))))
    assert {value for key, value in row.items() if key not in ("system", "signature")} == {""}
    assert [column.key for column in used(COLUMNS, empty.rows)] == ["system"]


@pytest.mark.parametrize(("value", "written"), [(-0.0004, "0.000"), (-0.0006, "−0.001"), (0.0, "0.000")])
def test_what_rounds_to_zero_has_no_sign(value, written):
    assert plain(value, 3) == written
