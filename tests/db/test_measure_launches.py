"""Diversity, fluency and directions from pages and by the API: only over what is registered here."""

import html
import re
import shlex

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from mtcore.engines.recipe_files import recipe_find
from mtcore.models import MetricResult, Run
from mtcore.services.corpora import corpus_register
from mtcore.services.corpora_import import corpus_import
from mtcore.services.training import lm_train
from tests.factories.commands import refused
from tests.factories.commands import run as command
from tests.factories.files import write_lines
from tests.factories.metrics import import_scored_set
from tests.factories.runs import work_all
from tests.factories.word_engine import words_registered

pytestmark = pytest.mark.django_db


@pytest.fixture
def user():
    return User.objects.create_superuser("root")


@pytest.fixture
def admin(user):
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def api(user, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    client = APIClient()
    client.force_login(user)
    return client


@pytest.fixture
def demo(tmp_path):
    """Import a test set, half direct and half reverse, with the outputs of A and B."""
    return import_scored_set(tmp_path, lines=40)


def corpus(tmp_path, name, lines):
    file = write_lines(tmp_path / f"{name}.txt", lines)
    corpus_register(corpus_import(name=name, languages=["de"], sources=[file]))


@pytest.fixture
def lms(demo, tmp_path, monkeypatch, settings):
    """Train two language models with the tests' engine."""
    settings.DATA_DIR = tmp_path / "data"
    words_registered(monkeypatch)
    corpus(tmp_path, "news", [f"{line} gestern" for line in demo] * 3)
    corpus(tmp_path, "more", [f"{line} heute" for line in demo[:20]] * 5)
    for name, text in (("news-lm", "news"), ("more-lm", "more")):
        lm_train(name=name, recipe=recipe_find("tiny-lm"), corpora=[text])
    work_all()
    assert not Run.objects.exclude(state="succeeded").exists(), Run.objects.values()
    return {run.name: str(run.pk) for run in Run.objects.filter(kind="train_lm")}


def preview(admin, name, status=200, **given):
    response = admin.post(reverse(name), given | {"step": "preview"})
    assert response.status_code == status, re.findall(
        r"errorlist.*?</ul>|note error.*?</div>", response.content.decode(), re.S
    )
    return html.unescape(response.content.decode())


def launch(admin, name, **given):
    """Send the form to its end and do the work; return the page of the run."""
    response = admin.post(reverse(name), given | {"step": "launch"})
    assert response.status_code == 302, re.findall(
        r"errorlist.*?</ul>|note error.*?</div>", response.content.decode(), re.S
    )
    again = admin.post(reverse(name), given | {"step": "launch"})
    assert again.url == response.url
    work_all()
    found = Run.objects.latest("pk")
    assert found.state == "succeeded", found.message
    return html.unescape(admin.get(response.url).content.decode())


def typed(text):
    """Return the command that a preview shows, as words."""
    (found,) = re.findall(r'<p class="command">(manage.py (?!work)[^<]*)</p>', text)
    return shlex.split(found)[1:]


def tables(page):
    """Return the rows of a page's tables, cells joined by a bar."""
    rows = re.findall(r"<tr>(.*?)</tr>", page, re.S)
    return [" | ".join(re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)) for row in rows]


DIVERSITY = {
    "testsets": ["demo"], "measures": ["ttr", "mattr", "lfp_b1"], "window": "5", "draws": "20",
    "definition": "paper", "resamples": "50", "seed": "1",
}  # fmt: skip


def test_diversity_is_previewed_measured_once_and_shown_as_a_table(admin, demo):
    text = preview(admin, "diversity_measure", **DIVERSITY)
    assert "Measure the diversity of" in text and not Run.objects.exists()
    words = typed(text)
    assert words[:3] == ["measure_diversity", "--testset", "demo"] and "--background" in words
    page = launch(admin, "diversity_measure", **DIVERSITY)
    rows = tables(page)
    assert any(row.startswith("Words | ") for row in rows), rows
    assert any(re.match(r"TTR ↑.* \| \d", row) for row in rows), rows
    assert any(row.startswith("A − B | ") or " − " in row for row in rows)
    assert "measurement of diversity" in page
    made = Run.objects.latest("pk")
    command(*words)
    assert Run.objects.latest("pk").options == made.options | {"lemma": ""}


def test_diversity_takes_every_option_of_the_command(admin, demo, tmp_path):
    corpus(tmp_path, "own", [f"{line} und noch ein Wort" for line in demo])
    given = DIVERSITY | {
        "corpora": ["own"], "systems": ["A"], "training": "own", "lemma": "Haus", "equal_length": "0",
        "tokens": "given", "pairs": "A | own",
    }  # fmt: skip
    words = typed(preview(admin, "diversity_measure", **given))
    assert words[-3:] == ["--compare", "A", "own"] and "corpus:own" in words
    assert words[words.index("--equal-length") + 1] == "0"
    page = launch(admin, "diversity_measure", **given)
    made = Run.objects.latest("pk")
    assert made.options["options"]["training"] == "corpus:own" and made.options["lemma"] == "Haus"
    assert {(one["a"], one["b"]) for one in made.result["comparisons"]} == {("A", "own")}
    assert "Forms of the lemma “Haus”" in page or "no form of it occurs" in str(made.result)
    command(*words)
    assert Run.objects.latest("pk").options == made.options


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"testsets": []}, "Tick a test set or a corpus"),
        ({"measures": []}, "This field is required"),
        ({"window": "1"}, "greater than or equal to 2"),
        ({"pairs": "A"}, "is not two names with a bar between"),
        ({"pairs": "A | Nobody"}, "there is no text “Nobody” to compare"),
        ({"definition": "biasmt", "tokens": "moses"}, "authors’ code splits at white space"),
        ({"systems": ["Z"]}, "not one of the available choices"),
    ],
)
def test_what_cannot_be_measured_is_refused_at_the_door(admin, demo, given, said):
    text = preview(admin, "diversity_measure", status=400, **DIVERSITY | given)
    assert said.lower() in text.lower() and not Run.objects.exists()


FLUENCY = {
    "testsets": ["demo"], "systems": ["A", "B"], "direction": "direct", "tokens": "given", "alpha": "0.05",
    "resamples": "50", "seed": "1",
}  # fmt: skip


def test_fluency_under_one_model_from_the_page(admin, lms):
    given = FLUENCY | {"lm": lms["news-lm"]}
    n_runs = Run.objects.count()
    text = preview(admin, "fluency_compare", **given)
    assert "Compare what A, B made of “demo” by BLEU and a language model" in text
    assert Run.objects.count() == n_runs
    words = typed(text)
    page = launch(admin, "fluency_compare", **given)
    made = Run.objects.latest("pk")
    (verdict,) = made.result["verdicts"]
    assert made.kind == "compare_fluency" and verdict["sentence"] in page and "comparison of fluency" in page
    assert any(row.startswith("A | X → Y*") for row in tables(page))
    assert MetricResult.objects.filter(run=made).count() == 4
    printed, _ = command(*words, "--format", "json")
    assert verdict["sentence"] in printed.replace("\\u2192", "→")


def test_fluency_under_a_model_for_each_system(admin, lms):
    given = FLUENCY | {"systems": [], "lm_per_system": "A | news-lm\r\nB | more-lm"}
    text = preview(admin, "fluency_compare", **given)
    assert f"A=run:{lms['news-lm']}" in typed(text)
    page = launch(admin, "fluency_compare", **given)
    made = Run.objects.latest("pk")
    assert made.kind == "compare_closeness" and len(made.result["results"]) == 4
    assert any(row.startswith("Y* (translated text) | ") for row in tables(page))
    assert made.result["comparisons"][0]["sentence"] in page
    printed, _ = command(*typed(text))
    assert made.result["comparisons"][0]["sentence"] in printed


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "under one language model for all systems, or under one for each"),
        ({"lm": "LM", "lm_per_system": "A | news-lm"}, "or under one for each"),
        ({"lm": "LM", "systems": ["A"]}, "two systems or more"),
        ({"lm": "LM", "version": "no such"}, "no such"),
        ({"lm": "LM", "alpha": "1"}, "less than or equal to"),
        ({"lm": "/etc/passwd"}, "not one of the available choices"),
        ({"systems": [], "lm_per_system": "A | /etc/passwd"}, "no language model “/etc/passwd”"),
        ({"systems": [], "lm_per_system": "A"}, "is not two names with a bar between"),
        ({"systems": [], "lm_per_system": "A | news-lm\nA | more-lm"}, "two models"),
        ({"lm_per_system": "A | news-lm"}, "not outputs"),
    ],
)
def test_fluency_that_cannot_be_compared_is_refused(admin, lms, given, said):
    given = {name: lms["news-lm"] if value == "LM" else value for name, value in given.items()}
    n_runs = Run.objects.count()
    text = preview(admin, "fluency_compare", status=400, **FLUENCY | given)
    assert said in text and Run.objects.count() == n_runs


def test_directions_from_the_page(admin, demo):
    given = {"testsets": ["demo"], "metric": "bleu"}
    text = preview(admin, "directions_compare", **given)
    assert typed(text) == ["direction_table", "demo", "--metric", "bleu"] and not Run.objects.exists()
    page = launch(admin, "directions_compare", **given)
    made = Run.objects.latest("pk")
    row, digits = made.result["rows"][0], made.result["digits"]
    assert made.kind == "compare_directions" and made.result["signature"] in page
    assert any(one.startswith(f"{row['system']} | {row['direct']:.{digits}f} | ") for one in tables(page))


def test_directions_by_perplexity_and_what_is_refused(admin, lms, tmp_path):
    page = launch(admin, "directions_compare", testsets=["demo"], metric="ppl", lm=lms["news-lm"])
    assert "PPL" in page and len(Run.objects.latest("pk").result["rows"]) == 2
    file = write_lines(tmp_path / "x", ["One.", "Two."])
    for name, languages, direction in (("fr", "en-fr", "direct"), ("one", "en-de", "direct")):
        command(
            "import_testset", name, "--languages", languages, "--source", file, "--reference", file,
            "--direction", direction,
        )  # fmt: skip
        command("import_output", name, "A", write_lines(tmp_path / "o", ["Eins.", "Zwei."]))
    for given, said in (
        ({"testsets": []}, "This field is required"),
        ({"testsets": ["demo", "fr"]}, "several language pairs"),
        ({"testsets": ["one"]}, "have no reverse segments"),
        ({"metric": "ppl"}, "A language model goes with perplexity"),
        ({"lm": lms["news-lm"]}, "A language model goes with perplexity"),
        ({"testsets": ["fr"], "metric": "ppl", "lm": lms["news-lm"]}, "is in fr"),
    ):
        text = preview(
            admin, "directions_compare", status=400, **{"testsets": ["demo"], "metric": "bleu"} | given
        )
        assert said in text, given


def send(api, address, body, status=201, **headers):
    response = api.post(f"/api/v1/launch/{address}/", body, format="json", headers=headers)
    assert response.status_code == status, response.content
    return response.json()


def test_the_api_launches_the_same(api, lms):
    body = {"testsets": ["demo"], "systems": ["A", "B"], "lm": "news-lm", "resamples": 20}
    tried = send(api, "fluency", body | {"dry_run": True}, 200)
    assert tried["runs"] == [] and tried["steps"] == ["compare_fluency (queue default)"]
    key = {"Idempotency-Key": "0123456789-fluency"}
    first, again = send(api, "fluency", body, **key), send(api, "fluency", body, **key)
    assert first == again and first["created"]
    assert send(api, "fluency", body, 200)["runs"][0]["id"] == first["runs"][0]["id"]
    own = {"testsets": ["demo"], "lm_per_system": {"A": "news-lm", "B": lms["more-lm"]}, "resamples": 20}
    send(api, "fluency", own)
    send(api, "directions", {"testsets": ["demo"], "metric": "chrf"})
    send(api, "diversity", {"testsets": ["demo"], "measures": ["ttr"], "equal_length": 50, "tokens": "given"})
    assert {run.state for run in work_all()} == {"succeeded"}
    found = api.get(f"/api/v1/runs/{first['runs'][0]['id']}/").json()
    assert found["result"]["verdicts"][0]["a"] == "A"
    assert Run.objects.get(kind="compare_directions").result["rows"]
    assert Run.objects.get(kind="measure_diversity").options["options"]["equal"] == 50


def test_the_api_takes_no_paths_of_the_server(api, lms, tmp_path):
    path = str(write_lines(tmp_path / "m.arpa", ["x"]))
    n_runs = Run.objects.count()
    fluency = {"testsets": ["demo"], "systems": ["A", "B"]}
    send(api, "fluency", fluency | {"lm": path}, 404)
    send(api, "fluency", fluency | {"lm": f"run:{lms['news-lm']}"}, 404)
    send(api, "fluency", {"testsets": ["demo"], "lm_per_system": {"A": path}}, 404)
    send(api, "fluency", fluency, 400)
    send(api, "fluency", {"systems": ["A", "B"], "lm": "news-lm"}, 400)
    send(api, "fluency", fluency | {"testsets": ["nothing"], "lm": "news-lm"}, 404)
    send(api, "directions", {"testsets": ["demo"], "metric": "ppl", "lm": path}, 404)
    send(api, "directions", {"testsets": ["demo"], "metric": "none"}, 400)
    send(api, "directions", {"testsets": []}, 400)
    send(api, "diversity", {"testsets": ["demo"], "training": path}, 404)
    send(api, "diversity", {"testsets": ["demo"], "pairs": [["A", "nobody"]]}, 400)
    assert Run.objects.count() == n_runs


@pytest.mark.parametrize(
    ("given", "page_says", "api_says"),
    [
        ({"language": "../x"}, "Unknown language", "Unknown language"),
        ({"seed": "9" * 60}, "less than or equal", "seed"),
        ({"lemma": "Ha\x07us"}, "Give “Count the forms of this lemma as well” as", "Give “lemma” as"),
        ({"lemma": "Ha\u202eus"}, "U+202E", "U+202E"),
    ],
)
def test_odd_languages_seeds_and_lemmas_are_refused_at_every_door(
    admin, api, demo, given, page_says, api_says
):
    assert page_says in preview(admin, "diversity_measure", 400, **DIVERSITY | given)
    answer = api.post("/api/v1/launch/diversity/", {"testsets": ["demo"]} | given, format="json")
    assert answer.status_code == 400 and api_says in answer.content.decode()
    ((name, value),) = given.items()
    assert name in refused("measure_diversity", "--testset", "demo", f"--{name}", value)
    assert not Run.objects.exists()
