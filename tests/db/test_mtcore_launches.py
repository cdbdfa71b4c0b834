"""Launching from pages: what will happen is shown, a second press finds the first run, refusals say why."""

import html
import re
import shlex

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from mtcore.models import Corpus, MetricResult, Run, System, SystemOutput
from tests.factories.commands import run as command
from tests.factories.runs import work_all
from tests.factories.training import make_set, mono, parallel
from tests.factories.word_engine import words_registered

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _words(monkeypatch):
    words_registered(monkeypatch)


@pytest.fixture
def admin():
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    return client


def asked(**given):
    return {
        "name": "OP", "recipe": "tiny-op", "changes": "filters.duplicates = false", "corpora": ["par"],
        "test_segments": "refuse",
    } | given  # fmt: skip


def preview(admin, name, /, *address, status=200, **given):
    response = admin.post(reverse(name, args=address), given | {"step": "preview"})
    assert response.status_code == status, response.content
    return html.unescape(response.content.decode())


def launch(admin, name, /, *address, **given):
    """Press the button of the preview: send what its hidden fields hold."""
    response = admin.post(reverse(name, args=address), given | {"step": "preview"})
    text = response.content.decode()
    fields = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', text)
    kept = {}
    for field, value in fields:
        if field != "csrfmiddlewaretoken":
            kept.setdefault(html.unescape(field), []).append(html.unescape(value))
    assert kept, text
    return admin.post(reverse(name, args=address), kept | {"step": "launch"})


def test_training_shows_what_will_happen_and_then_does_it_once(admin, tmp_path):
    parallel(tmp_path)
    make_set(double=False)
    text = preview(
        admin,
        "system_train",
        **asked(testsets=["test"], changes="training.seed = 7\nfilters.duplicates=false"),
    )
    assert "Filter “par”" in text or "par" in text
    assert "Translate every version of the source of “test”" in text
    assert "training.seed" in text and "instead of 1" in text
    assert "manage.py train_system OP --recipe tiny-op --set" in text and "training.seed=7" in text
    assert "Nobody is working on the queue “default”" in text
    assert not Run.objects.exists()
    first = launch(admin, "system_train", **asked(testsets=["test"]))
    n = Run.objects.count()
    assert first.status_code == 302 and n >= 3
    second = launch(admin, "system_train", **asked(testsets=["test"]))
    assert second.url == first.url and Run.objects.count() == n
    assert "is the same already (waiting)" in preview(admin, "system_train", **asked(testsets=["test"]))
    page = admin.get(first.url).content.decode()
    assert page.count('class="g-box') == n
    assert all(run.requested_by.username == "root" for run in Run.objects.all())
    work_all()
    assert not Run.objects.exclude(state="succeeded").exists(), Run.objects.exclude(
        state="succeeded"
    ).values()
    system, output = System.objects.get(), SystemOutput.objects.get()
    text = html.unescape(admin.get(reverse("system", args=[system.pk])).content.decode())
    model = Run.objects.get(kind="train_model")
    assert model.result["checkpoint_sha256"] in text and output.sha256 in text and "words 1" in text
    assert reverse("corpus", args=[Corpus.objects.get(name="par").pk]) in text or "par" in text
    assert "subwords.size" in text
    assert reverse("run", args=[model.pk]) in html.unescape(admin.get(reverse("systems")).content.decode())
    assert reverse("testset_translate", args=[system.pk]) in text


def command_in(text):
    """Return the command that a preview shows, as words."""
    (found,) = re.findall(r'<p class="command">(manage.py (?!work)[^<]*)</p>', text)
    return shlex.split(found)[1:]


def test_the_command_shown_does_the_same(admin, tmp_path):
    parallel(tmp_path, "two words")
    mono(tmp_path)
    make_set(double=False)
    figures = 'training.betas = [0.8, 0.9]\ntraining.optimiser = "sgd"\nfilters.duplicates = false'
    given = asked(
        corpora=["two words"], recipe="tiny-bt", monolingual=["mono"], testsets=["test"], seed="4",
        changes=figures, test_segments="drop", engine="words", valid="",
    )  # fmt: skip
    response = admin.post(reverse("system_train"), given | {"step": "preview"})
    printed, _ = command(*command_in(response.content.decode().replace("&#x27;", "'")), "--dry-run")
    stages = [
        line.split(". ", 1)[1].rpartition(" (queue")[0]
        for line in printed.split("\n")
        if re.match(r"\d+\. ", line)
    ]
    shown = re.findall(
        r'<li><span lang="en" dir="auto">(.*?)</span>', html.unescape(response.content.decode())
    )
    assert stages == shown and len(shown) > 7
    launch(admin, "system_train", **given)
    again, _ = command(*command_in(response.content.decode().replace("&#x27;", "'")), "--no-wait")
    assert Run.objects.count() == len(shown), again  # it is the same pipeline
    recipe = Run.objects.filter(kind="train_model").first().options["recipe"]
    assert "seed = 4" in recipe and 'optimiser = "sgd"' in recipe


def test_a_minute_is_measured_before_and_said_in_words(admin, tmp_path, monkeypatch):
    parallel(tmp_path)
    assert "Measure a minute of it first" in preview(admin, "system_train", **asked())
    first, second = (admin.post(reverse("system_train"), asked(step="measure")) for _ in range(2))
    assert first.url == second.url
    found = Run.objects.get()
    assert found.kind == "preflight"
    Run.objects.filter(pk=found.pk).update(
        state="succeeded",
        result={
            "total_seconds": 7300, "seconds": {"training": 7000}, "updates": 4500, "gpu_hours": 0,
            "total_disk_bytes": 5_000_000, "memory_bytes": 1_000_000, "assumed": ["one"],
            "measured": {"seconds_an_update": 1.5},
        },
    )  # fmt: skip
    text = admin.get(first.url).content.decode()
    assert "2 h 1 min" in text and "4,500" in text and "4.8" in text
    refused = admin.post(reverse("outputs_score"), {"step": "measure"})
    assert refused.status_code in (200, 400)


def test_a_pipeline_can_be_cancelled_as_a_whole_and_says_where_it_is_stuck(admin, tmp_path):
    parallel(tmp_path)
    make_set(double=False)
    led_to = launch(admin, "system_train", **asked(testsets=["test"])).url
    assert led_to == reverse("run", args=[Run.objects.earliest("pk").pk]), "what works first is looked at"
    last = reverse("run", args=[Run.objects.latest("pk").pk])
    text = html.unescape(admin.get(last).content.decode())
    n = Run.objects.count()
    assert f"of {n} runs that belong together are done" in text
    assert "Waits for run" in text and "Nobody is working on the queue “default”" in text
    assert f"Cancel all {n} that belong together" in text
    change = reverse("run_change", args=[Run.objects.latest("pk").pk])
    answer = admin.post(change, {"action": "cancel_all"}, follow=True)
    assert f"{n} runs are cancelled or being stopped" in answer.content.decode()
    assert set(Run.objects.values_list("state", flat=True)) == {"cancelled"}
    answer = admin.post(change, {"action": "cancel_all"}, follow=True)
    assert "nothing changed" in answer.content.decode()
    admin.post(change, {"action": "resume"})
    work_all()
    assert set(Run.objects.values_list("state", flat=True)) == {"succeeded"}


def test_a_recipe_of_ones_own_travels_from_the_form_to_the_run(admin, tmp_path):
    parallel(tmp_path)
    toml = 'extends = "tiny-op"\nname = "my \\"own\\" <b>"\n[training]\nmax_updates = 77\n'
    toml += "[filters]\nduplicates = false\n"
    file = SimpleUploadedFile("own.toml", toml.encode())
    given = asked(toml=file, changes="training.seed = 9")
    text = preview(admin, "system_train", **given)
    assert "77" in text and 'my "own" <b>' in text
    file.seek(0)
    assert launch(admin, "system_train", **asked(toml=file, changes="training.seed = 9")).status_code == 302
    recipe = Run.objects.get(kind="train_model").options["recipe"]
    assert "max_updates = 77" in recipe and "seed = 9" in recipe
    kept = preview(admin, "system_train", status=400, **asked(toml_text=toml, name=""))
    assert "The recipe you sent is used" in kept
    forgotten = admin.post(reverse("system_train"), asked(toml_text=toml, step="forget")).content.decode()
    assert "The recipe you sent" not in forgotten and "max_updates = 77" not in forgotten


def test_changing_something_keeps_what_was_typed(admin, tmp_path):
    parallel(tmp_path)
    response = admin.post(reverse("system_train"), asked(step="change", seed="5"))
    text = response.content.decode()
    assert 'value="OP"' in text and 'value="5"' in text and re.search(r'value="par"[^>]* checked', text)
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"changes": "training.max_update = 3"}, "training.max_updates"),
        ({"changes": "training.max_updates = many"}, "a whole number"),
        ({"changes": "what is this"}, "is not a name, an equals sign and a value"),
        ({"changes": "model.heads = 7"}, "heads"),
        ({"recipe": "edunov-lm"}, "not one of the available choices"),
        ({"recipe": "tiny-bt"}, "translates text in the target language back"),
        ({"monolingual": ["mono"]}, "learns from parallel text only"),
        ({"corpora": []}, "required"),
        ({"corpora": ["none"]}, "not one of the available choices"),
        ({"name": "a|b"}, "joins merged systems"),
        ({"name": "x" * 119}, "at most 90"),
        ({"seed": "-1"}, "greater than or equal to 0"),
        ({"testsets": ["test"]}, "is de-en; en-de is needed"),
        ({"toml": b"\xff"}, "not UTF-8"),
        ({"toml": b"nothing ="}, "no TOML"),
        ({"toml": b'extends = "tiny-lm"'}, "of the kind LM"),
        ({"toml": b"x" * 70_000}, "no more than 64 KiB"),
    ],
)
@pytest.mark.parametrize("step", ["preview", "launch"])
def test_what_cannot_be_trained_is_refused_at_the_form(admin, tmp_path, given, said, step):
    parallel(tmp_path)
    mono(tmp_path)
    make_set(languages="de-en")
    given = dict(given)
    if "toml" in given:
        given["toml"] = SimpleUploadedFile("r.toml", given["toml"])
    response = admin.post(reverse("system_train"), asked(**given, step=step))
    assert response.status_code == 400
    text = html.unescape(response.content.decode())
    assert said in text, text
    assert not Run.objects.exists() and not System.objects.exists()


def test_a_language_model_is_previewed_trained_and_scores(admin, tmp_path):
    parallel(tmp_path)
    given = {"name": "lm", "recipe": "tiny-lm", "corpora": ["par"], "language": "de"}
    text = preview(admin, "lm_train", **given)
    assert "Train the language model “lm” on par (de)" in text and not Run.objects.exists()
    assert "Say which with “Language”" in preview(admin, "lm_train", status=400, **(given | {"language": ""}))
    assert "learns from corpora or from a system" in preview(
        admin, "lm_train", status=400, **(given | {"corpora": []})
    )
    first, second = launch(admin, "lm_train", **given), launch_again(admin, "lm_train", given)
    assert first.url == second.url and Run.objects.count() == 1
    work_all()
    lm = Run.objects.get()
    assert lm.state == "succeeded", lm.message
    assert f"Run {lm.pk} is the same already (succeeded)" in preview(admin, "lm_train", **given)
    assert "here is how it stands" in admin.get(launch(admin, "lm_train", **given).url).content.decode()
    other = given | {"changes": "training.seed = 5"}
    assert "There is a language model “lm” already" in preview(admin, "lm_train", status=400, **other)
    assert reverse("lm_score", args=[lm.pk]) in admin.get(reverse("systems")).content.decode()
    assert "Score par with the language model “lm”" in preview(admin, "lm_score", lm.pk, corpus="par")
    assert "test set" in preview(admin, "lm_score", lm.pk, status=400, version="ref")
    assert "score_lm lm --corpus par" in preview(admin, "lm_score", lm.pk, corpus="par")
    assert launch(admin, "lm_score", lm.pk, corpus="par").status_code == 302
    work_all()
    scored = Run.objects.get(kind="score_lm")
    assert scored.state == "succeeded", scored.message
    assert "Perplexity per word" in admin.get(reverse("run", args=[scored.pk])).content.decode()


def launch_again(admin, name, given):
    return admin.post(reverse(name), given | {"step": "launch"})


def test_translating_a_test_set_and_a_corpus_from_the_page(admin, tmp_path):
    source = parallel(tmp_path)
    launch(admin, "system_train", **asked())
    work_all()
    make_set()
    system = System.objects.get()
    text = preview(admin, "testset_translate", system.pk, testset="test")
    assert (
        "of the source of “test” with “OP”" in text
        and not Run.objects.filter(kind="translate_testset").exists()
    )
    assert "manage.py translate_testset OP test" in text
    assert "X****" in preview(
        admin, "testset_translate", system.pk, testset="test", inputs="X****", status=400
    )
    first, second = (launch(admin, "testset_translate", system.pk, testset="test") for _ in range(2))
    assert first.url == second.url and Run.objects.filter(kind="translate_testset").count() == 1
    work_all()
    assert SystemOutput.objects.count() == 2
    done = {"testset": "test"}
    assert "has translated “test” already" in preview(
        admin, "testset_translate", system.pk, status=400, **done
    )
    text = preview(admin, "corpus_translate", source.pk, system="OP", name="mine", shards="2")
    assert "Translate part 1 of 2 of “par” by “OP”" in text and "after 1, 2" in text
    first, second = (
        launch(admin, "corpus_translate", source.pk, system="OP", name="mine", shards="2") for _ in range(2)
    )
    assert first.url == second.url
    work_all()
    made = Corpus.objects.get(name="mine")
    assert made.n_lines == source.n_lines
    text = admin.get(reverse("corpus", args=[source.pk])).content.decode()
    assert reverse("corpus", args=[made.pk]) in text and "translation of a shard" in text


def test_scoring_from_the_page(admin, tmp_path):
    parallel(tmp_path)
    make_set(double=False)
    launch(admin, "system_train", **asked(testsets=["test"]))
    work_all()
    given = {
        "testset": "test", "metrics": ["bleu", "chrf"], "directions": ["all"], "resamples": "0", "seed": "1",
        "references": "ref",
    }  # fmt: skip
    text = preview(admin, "outputs_score", **given)
    assert "Score all outputs on “test” by bleu, chrf" in text
    assert "manage.py score_outputs test --metrics bleu,chrf --reference ref" in text
    for odd, said in (
        ({"pairs": "OP and BT"}, "not two systems with a bar"), ({"pairs": "OP | BT"}, "BT"),
        ({"references": "Y****"}, "Y****"), ({"metrics": []}, "required"), ({"resamples": "1"}, "resamples"),
        ({"directions": ["reverse"]}, "no reverse segment"),
    ):  # fmt: skip
        assert said in preview(admin, "outputs_score", status=400, **(given | odd)), odd
    assert not Run.objects.filter(kind="score_outputs").exists()
    first, second = (launch(admin, "outputs_score", **given) for _ in range(2))
    assert first.url == second.url
    work_all()
    assert MetricResult.objects.count() == 2
    text = admin.get(first.url).content.decode()
    assert "2 scores" in text and '<td class="n">' in text and "bleu" in text
    value = Run.objects.get(kind="score_outputs").result["results"][0]["value"]
    assert f"{value:.2f}" in text
    text = admin.get(reverse("system", args=[System.objects.get().pk])).content.decode()
    assert "bleu" in text and "chrf" in text


def test_pages_ask_a_fixed_number_of_questions_whatever_a_system_has(admin, tmp_path):
    parallel(tmp_path)
    make_set(double=False)
    launch(admin, "system_train", **asked(testsets=["test"]))
    work_all()
    counts = []
    for name in ("second", "third"):
        with CaptureQueriesContext(connection) as caught:
            admin.get(reverse("system", args=[System.objects.get().pk]))
        counts.append(len(caught))
        make_set(name, double=True)
        launch(admin, "testset_translate", System.objects.get().pk, testset=name)
        work_all()
    assert counts[0] == counts[1] <= 25
