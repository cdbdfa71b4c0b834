"""The tables of the two studies: known cells fill them exactly, and what is missing says what fills it."""

import csv
import io

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Campaign, CampaignOutput, Study
from annotation.services.scoring import campaign_score
from annotation.services.study_tables.cells import Need, Shared, commands, missing, reasons
from annotation.services.study_tables.definitions import TABLES
from annotation.services.study_tables.fill import study_tables
from annotation.services.study_tables.material import Wish
from annotation.services.study_tables.spec import KINDS
from annotation.stats.options import ScoreOptions
from mtcore.models import System
from tests.factories.commands import refused, run
from tests.factories.files import write_lines
from tests.factories.latex import compiled
from tests.factories.metrics import import_scored_set, scored
from tests.factories.studies import answered
from tests.factories.study_tables import CONDITIONS, PAIRS, SYSTEMS, known_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def known():
    return known_study()


def table(study, name):
    (found,) = study_tables(study=study, tables=name)
    return found


def cells(filled):
    """Return every cell by its labels and the headings above it."""
    return {
        (*line.labels, *column.heads): cell
        for line in filled.lines
        for column, cell in zip(filled.columns, line.cells, strict=True)
    }


def expected_table_3(known):
    found = {}
    for pair in PAIRS:
        for source, reference in CONDITIONS:
            for system in SYSTEMS:
                key = (pair, source, reference, system)
                found[source, reference, system, pair, "BLEU"] = f"{known.bleu[key]:.1f}"
                found[source, reference, system, pair, "human"] = f"{known.human[key]:.2f}".replace("-", "−")
    return found


def remove(campaign: Campaign) -> None:
    """Take a campaign with all its judgements out of the database."""
    CampaignOutput.objects.filter(campaign=campaign).update(output=None)
    study = Study.objects.create(name=f"Elsewhere {campaign.pk}")
    Campaign.objects.filter(pk=campaign.pk).update(study=study)


def test_known_cells_fill_table_3_exactly(known):
    filled = table(known.study, "edunov-3")
    assert {key: cell.text for key, cell in cells(filled).items()} == expected_table_3(known)
    assert filled.n_missing == 0
    assert [line.labels for line in filled.lines[:3]] == [
        ("X", "Y*", "OP"), ("X", "Y*", "BT"), ("X*", "Y", "OP"),
    ]  # fmt: skip


@pytest.mark.parametrize(("notation", "blanked"), [("X", ["X"]), ("X*", ["X*"]), ("X**", ["X**"])])
def test_taking_one_campaign_away_blanks_exactly_its_cells(known, notation, blanked):
    before = cells(table(known.study, "edunov-3"))
    remove(Campaign.objects.get(name=f"de-en {notation}"))
    filled = table(known.study, "edunov-3")
    after = cells(filled)
    assert set(after) == set(before)
    for key, cell in after.items():
        gone = key[0] in blanked and key[3] == "de-en" and key[4] == "human"
        assert cell.is_missing == gone, key
        if not gone:
            assert cell.text == before[key].text
    told = "\n".join(filled.commands)
    assert "manage.py create_campaign NAME --testset" in told
    assert "--systems 'OP de-en' 'BT de-en'" in told and "en-de" not in told


def test_each_cell_leads_to_what_is_behind_it(known):
    found = cells(table(known.study, "edunov-3"))
    human = found["X**", "Y*", "BT", "de-en", "human"]
    campaign = Campaign.objects.get(name="de-en X**")
    assert human.link.campaign == campaign.key and human.n == 3
    assert human.link.query["in_input"] == "source2" and human.link.query["system"] == "BT de-en"
    bleu = found["X", "Y*", "OP", "en-de", "BLEU"]
    assert bleu.behind == ("BLEU of OP en-de for en-de direct from source, reference reference",)
    assert bleu.signature == "nrefs:1|invented"
    notes = table(known.study, "edunov-3").notes
    assert sum("does not depend on the reference" in note for note in notes) == 1
    behind = {found[source, "Y*", "BT", "de-en", "human"].behind[0] for source in ("X", "X**")}
    assert len({words.split(" in the campaign")[0] for words in behind}) == 2, "a source names its condition"
    assert any(words.startswith("mean z of BT de-en (X** ·") for words in behind)


def test_a_one_sided_p_that_nobody_declared_is_called_post_hoc(known):
    for name in ("edunov-3", "edunov-8", "edunov-9"):
        tested = [note for one in study_tables(study=known.study, tables=name) for note in one.notes
                  if "one-sided p" in note]  # fmt: skip
        assert tested and all("(post hoc), two-sided " in note for note in tested)


def test_a_reason_that_cells_share_is_said_once():
    def empty(what: str, whose: str):
        shared = Shared("{what} of {whose} for en-ru: not measured", what, whose)
        return missing(f"{what} of {whose}", shared=shared)

    every = [empty(what, whose) for whose in ("ORIG", "OP") for what in ("B1", "B2")]
    assert reasons(every) == ["B1, B2 of “ORIG”, “OP” for en-ru: not measured"]
    assert reasons([*every[:3], missing("gone {what}"), missing("gone {what}")]) == [
        "B1, B2 of “ORIG” for en-ru: not measured", "B1 of “OP” for en-ru: not measured", "gone {what}",
    ]  # fmt: skip


def test_missing_diversity_is_one_clause_a_table(known):
    for name in ("vanmassenhove-4", "vanmassenhove-6"):
        out, _ = run("report_study", known.study.name, "--tables", name)
        (line,) = (line for line in out.split("\n") if line.startswith("Missing: "))
        clauses = line.split("; ")
        assert len(clauses) <= len(PAIRS), line


def test_the_same_scores_stand_in_tables_1_2_7_and_8(known):
    one, two = cells(table(known.study, "edunov-1")), cells(table(known.study, "edunov-2"))
    three = cells(table(known.study, "edunov-3"))
    for key, cell in (one | two).items():
        assert cell.text == three[key].text
    filled = study_tables(study=known.study, tables="edunov-7")
    assert [found.pair for found in filled] == list(PAIRS)
    for found in filled:
        deltas = [line.cells[2].value for line in found.lines]
        assert deltas == sorted(deltas)
        for line in found.lines:
            forward, reverse_, delta = (cell.value for cell in line.cells)
            system = line.labels[0]
            assert forward == known.bleu[found.pair, "X", "Y*", system]
            assert reverse_ == known.bleu[found.pair, "X*", "Y", system]
            assert delta == pytest.approx(reverse_ - forward)
    eight = cells(table(known.study, "edunov-8"))
    assert eight["X", "Y*", "OP", "en-de", "BLEU"].text == three["X", "Y*", "OP", "en-de", "BLEU"].text
    assert eight["X", "Y* (alternative)", "OP", "en-de", "BLEU"].is_missing


def test_missing_cells_say_the_command_that_fills_them_and_it_does(known, tmp_path):
    filled = study_tables(study=known.study, tables="edunov-9")[0]
    assert filled.pair == "en-de"
    assert (
        "manage.py score_outputs 'en-de direct' --systems 'OP en-de' 'BT en-de' --metrics ter,meteor "
        "--reference reference --input source source2"
    ) in filled.commands
    run(
        "score_outputs", "en-de direct", "--systems", "OP en-de", "BT en-de", "--metrics", "ter",
        "--reference", "reference", "--input", "source", "source2", "--resamples", 0,
    )  # fmt: skip
    again = cells(study_tables(study=known.study, tables="edunov-9")[0])
    cell = again["X", "Y*", "OP", "TER ↓"]
    assert cell.value is not None and cell.text == f"{cell.value / 100:.3f}"
    assert again["X*", "Y", "OP", "TER ↓"].is_missing


def test_a_row_of_systems_by_name_where_kinds_do_not_tell_them_apart(known):
    run(
        "study_texts", known.study.name, "--row", "TRANS=BT en-de", "BT de-en",
        "--row", "PB-SMT=OP en-de", "OP de-en",
    )  # fmt: skip
    known.study.refresh_from_db()
    found = cells(table(known.study, "edunov-1"))
    assert ("X", "Y*", "TRANS", "de-en", "BLEU") in found and ("X", "Y*", "BT", "de-en", "BLEU") not in found
    assert found["X", "Y*", "TRANS", "de-en", "BLEU"].value == known.bleu["de-en", "X", "Y*", "BT"]
    out, _ = run("study_texts", known.study.name)
    assert "row TRANS: “BT en-de”, “BT de-en”" in out
    run("study_texts", known.study.name, "--row", "TRANS=", "--row", "PB-SMT=")
    known.study.refresh_from_db()
    assert ("X", "Y*", "BT", "de-en", "BLEU") in cells(table(known.study, "edunov-1"))


def test_a_wish_narrows_what_counts(known):
    (one,) = study_tables(study=known.study, tables="edunov-1", wish=Wish(testsets=("en-de direct",)))
    assert {column.heads[0] for column in one.columns} == {"en-de"}
    (one,) = study_tables(study=known.study, tables="edunov-1", wish=Wish(systems=("BT en-de",)))
    assert {line.labels[2] for line in one.lines} == {"BT"}
    (one,) = study_tables(study=known.study, tables="edunov-3", wish=Wish(campaigns=("en-de X", "de-en X")))
    filled = {key[0] for key, cell in cells(one).items() if key[4] == "human" and not cell.is_missing}
    assert filled == {"X"}


def test_mistakes_are_refused_in_one_line(known, tmp_path):
    name = known.study.name
    assert "no study" in refused("report_study", "Unknown")
    assert "no table “edunov-10”" in refused("report_study", name, "--tables", "edunov-10")
    assert "no test set “x”" in refused("report_study", name, "--testset", "x")
    assert "no system “x”" in refused("report_study", name, "--systems", "x")
    assert "no campaign “x”" in refused("report_study", name, "--campaign", "x")
    assert "exists already" in refused("report_study", name, "--output", tmp_path)
    assert "no system “x”" in refused("study_texts", name, "--row", "A=x")
    assert "no corpus “x”" in refused("study_texts", name, "--train", "x")
    assert "LABEL=SYSTEM" in refused("study_texts", name, "--row", "A")


def test_a_table_without_cells_says_what_comes_first(tmp_path):
    Study.objects.create(name="Un done")
    for format in ("markdown", "html", "latex"):
        printed = run("report_study", "Un done", "--format", format)[0]
        assert "The study has no test set" in printed
    file = write_lines(tmp_path / "text", ["a", "b"])
    run("import_testset", "pier", "--languages", "fr-de", "--source", file, "--reference", file)
    run("add_to_study", "Un done", "--testset", "pier")
    study = Study.objects.get()
    for name in ("edunov-1", "edunov-5", "edunov-6", "edunov-7"):
        (note,) = (one for one in table(study, name).notes if "No system" in one)
        assert "manage.py import_output pier SYSTEM FILE" in note
    run("import_output", "pier", "Solo", file)
    assert not any("No system" in one for one in table(study, "edunov-1").notes)
    assert "no two have outputs" in " ".join(table(study, "edunov-5").notes)


def test_an_empty_study_gives_tables_without_rows_or_cells():
    Study.objects.create(name="Empty")
    out, _ = run("report_study", "Empty")
    assert out.count("## ") >= 10


@pytest.mark.parametrize(
    "format", ["markdown", *(pytest.param(name, marks=pytest.mark.once) for name in ("latex", "csv", "html"))]
)
def test_all_tables_in_every_format(known, tmp_path, format):
    out, err = run("report_study", known.study.name, "--format", format)
    for value in ("21.3", "31.7"):
        assert value in out
    assert "missing" in err
    folder = tmp_path / "tables"
    run("report_study", known.study.name, "--format", format, "--output", folder)
    names = {path.name.rpartition(".")[0] for path in folder.iterdir()}
    assert {"tables", "edunov-3", "edunov-7-en-de", "vanmassenhove-8"} <= names


def test_csv_has_exact_values_and_what_is_behind_each(known):
    out, _ = run("report_study", known.study.name, "--tables", "edunov-3", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == 2 * 4 * 2 * 2
    row = next(one for one in rows if (one["row"], one["column"]) == ("X / Y* / OP", "en-de / human"))
    assert float(row["value"]) == pytest.approx(known.human["en-de", "X", "Y*", "OP"])
    assert "campaign “en-de X”" in row["behind"] and "source_da" in row["signature"]


@pytest.mark.once
def test_latex_compiles_where_tex_is(known, tmp_path):
    out, _ = run("report_study", known.study.name, "--format", "latex")
    assert r"$X^{**}$" in out and r"\toprule" in out and "% To fill: manage.py" in out
    compiled(tmp_path, out, packages="booktabs,graphicx")


def test_every_definition_asks_for_what_there_is():
    assert len(TABLES) == 17
    for name, spec in TABLES.items():
        assert spec.name == name and spec.quantities and spec.rows
        assert all(quantity.kind in KINDS for quantity in spec.quantities)


def test_commands_that_differ_in_values_become_one():
    first = Need(("score_outputs", "a b"), {"--systems": ("OP",), "--metrics": ("bleu",)})
    second = Need(("score_outputs", "a b"), {"--systems": ("BT one",), "--metrics": ("bleu", "ter")})
    assert commands([first, second, first]) == [
        "manage.py score_outputs 'a b' --systems OP 'BT one' --metrics bleu,ter"
    ]


def test_the_pages_are_for_those_who_may_see_the_study(known, client):
    owner, other = (User.objects.create_user(name, password="x") for name in ("ann", "bob"))
    Study.objects.filter(pk=known.study.pk).update(owner=owner)
    addresses = [
        reverse("study_tables", args=[known.study.pk]),
        reverse("study_tables_of", args=[known.study.pk, "vanmassenhove"]),
        reverse("study_tables_file", args=[known.study.pk, "edunov-3", "csv"]),
        reverse("study_tables_file", args=[known.study.pk, "edunov-7-en-de", "tex"]),
        reverse("study_table_cell", args=[known.study.pk, "edunov-7-en-de", 0, 0]),
        reverse("study_table_cell", args=[known.study.pk, "edunov-4", 0, 0]),
    ]
    for address in addresses:
        assert client.get(address).status_code == 302
    client.force_login(other)
    for address in addresses:
        assert client.get(address).status_code == 404
    client.force_login(owner)
    for address in addresses:
        assert client.get(address).status_code == 200, address
    page = client.get(addresses[0]).content.decode()
    assert "21.3" in page and "campaign_trace" not in page and "/trace/?" in page
    for wrong in ("edunov-3/99/0/", "edunov-99/0/0/", "x/"):
        assert client.get(f"{addresses[0]}{wrong}").status_code == 404
    assert client.get(addresses[0] + "?protocol=x").status_code == 404
    assert client.get(addresses[0] + "?testset=x").status_code == 404


def test_the_command_on_the_page_is_one_that_a_shell_takes(client):
    study = Study.objects.create(name="Quays & piers")
    client.force_login(User.objects.create_superuser("ann"))
    page = client.get(reverse("study_tables", args=[study.pk])).content.decode()
    assert "manage.py add_to_study &#x27;Quays &amp; piers&#x27; --testset" in page


def test_names_are_text_on_the_page(known, client):
    owner = User.objects.create_user("ann", password="x")
    Study.objects.filter(pk=known.study.pk).update(owner=owner, name="<script>x</script>")
    run("study_texts", "<script>x</script>", "--row", "<b>x</b>=BT en-de")
    client.force_login(owner)
    page = client.get(reverse("study_tables", args=[known.study.pk])).content.decode()
    assert "<b>x</b>" not in page and "&lt;b&gt;x&lt;/b&gt;" in page and "<script>x" not in page


def test_the_number_of_queries_does_not_grow_with_the_rows(known, client):
    client.force_login(User.objects.create_superuser("ann", password="x"))
    address = reverse("study_tables", args=[known.study.pk])
    client.get(address)  # scores are computed once
    with CaptureQueriesContext(
        connection,
    ) as found:
        client.get(address)
    assert len(found) < 100


def test_preferences_are_shares_of_the_judgements_of_the_campaign():
    campaign = answered("pairwise_fluency", name="Fluency", n_segments=8, judgements=3, systems=("OP", "BT"))
    for name in SYSTEMS:
        System.objects.filter(name=name).update(kind=name)
    found = cells(table(campaign.study, "edunov-5"))
    result = campaign_score(campaign=campaign, options=ScoreOptions()).result
    (pair,) = result["pairs"]
    n = pair["a_better"] + pair["b_better"] + pair["equal"]
    better = {pair["system_a"]: pair["a_better"], pair["system_b"]: pair["b_better"]}
    labels = ("en-de", "BT – OP")
    assert found[*labels, "BT"].text == f"{100 * better['BT'] / n:.0f}"
    assert found[*labels, "OP"].text == f"{100 * better['OP'] / n:.0f}"
    assert found[*labels, "draw"].value == pair["equal"] / n and found[*labels, "draw"].n == n
    assert found[*labels, "BT"].link.campaign == campaign.key
    assert any("two-sided p" in note for note in table(campaign.study, "edunov-5").notes)


def test_where_nobody_judged_by_the_source_reference_based_scores_stand_and_a_note_says_so():
    campaign = answered("reference_da", name="By reference", n_segments=5, direction="direct")
    filled = table(campaign.study, "edunov-3")
    found = {key: cell for key, cell in cells(filled).items() if key[:2] == ("X", "Y*")}
    result = campaign_score(campaign=campaign, options=ScoreOptions(by_condition=True)).result
    z = {row["system"]: row["z_mean"] for row in result["systems"]}
    for name, value in z.items():
        assert found["X", "Y*", name, "en-de", "human"].value == value
    assert (
        "Human scores of en-de are reference-based: outputs were held against the reference." in filled.notes
    )
    (wished,) = study_tables(study=campaign.study, tables="edunov-3", wish=Wish(protocol="source_da"))
    assert all(cell.is_missing for key, cell in cells(wished).items() if key[4] == "human")


def test_a_test_set_of_both_directions_is_cut_by_its_segments(tmp_path):
    import_scored_set(tmp_path)
    run("score_outputs", "demo", "--metrics", "bleu,ter", "--resamples", 0)
    study = Study.objects.create(name="Both")
    run("add_to_study", "Both", "--testset", "demo")
    found = cells(table(study, "edunov-1"))
    for direction, labels in (("direct", ("X", "Y*")), ("reverse", ("X*", "Y"))):
        report = scored(
            "score_outputs", "demo", "--metrics", "bleu", "--direction", direction, "--resamples", 0
        )
        for row in report["results"]:
            cell = found[*labels, row["system"], "en-de", "BLEU"]
            assert cell.value == pytest.approx(row["value"]) and cell.n == 6
    assert found["X", "Y*", "A", "en-de", "BLEU"].value != found["X*", "Y", "A", "en-de", "BLEU"].value


def test_of_many_systems_only_those_that_were_compared_stand_in_table_5():
    campaign = answered("pairwise_fluency", name="Three", n_segments=3, systems=("A", "B", "C"), pairs="A")
    filled = table(campaign.study, "edunov-5")
    assert [line.labels for line in filled.lines] == [("en-de", "B – A"), ("en-de", "C – A")]
    assert filled.n_missing == 0
    nobody = answered("source_da", name="Rated", n_segments=3, systems=("D", "E", "F"))
    filled = table(nobody.study, "edunov-5")
    assert [line.labels for line in filled.lines] == [("en-de", "E – D")]
    assert "--protocol pairwise_fluency" in filled.commands[0]
