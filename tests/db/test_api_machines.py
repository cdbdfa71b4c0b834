"""What administrators' programs may do: corpora, launches, runs and what they leave, scores of metrics."""

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from mtcore.models import Corpus, MetricResult, Run, SystemOutput
from mtcore.services.run_context import run_directory
from tests.factories.campaigns import make_campaign

pytestmark = pytest.mark.django_db

SOURCE = [f"Boat {n} leaves the harbour at noon." for n in range(40)]
TARGET = [f"Boot {n} verlässt den Hafen am Mittag." for n in range(40)]
CORPUS = {"name": "harbour", "languages": "en-de", "source": SOURCE, "target": TARGET}


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    cache.clear()


@pytest.fixture
def root():
    client = APIClient()
    client.force_login(User.objects.create_user("root", is_staff=True))
    return client


def send(client, address, body, status=201, **headers):
    response = client.post(f"/api/v1/{address}", body, format="json", headers=headers)
    assert response.status_code == status, response.content[:800]
    return response.json()


def get(client, address, status=200, **query):
    response = client.get(f"/api/v1/{address}", query)
    assert response.status_code == status, getattr(response, "content", b"")[:800]
    return response


def test_a_corpus_by_text_and_by_file(root):
    made = send(root, "corpora/", CORPUS)
    assert made["corpus"]["n_lines"] == 40 and made["run"] is None
    assert send(root, "corpora/", CORPUS, 409)["remedy"]
    files = {
        "name": "by file", "languages": "en",
        "sources": SimpleUploadedFile("en.txt", "".join(f"{one}\n" for one in SOURCE).encode()),
    }  # fmt: skip
    taken = root.post("/api/v1/corpora/", files, format="multipart")
    assert taken.status_code == 201 and taken.json()["corpus"]["source_language"] == "en", taken.content
    assert send(root, "corpora/", {**CORPUS, "name": "b", "target": TARGET[:-1]}, 400)["detail"]
    assert "fit" in send(root, "corpora/", {**CORPUS, "name": "b", "languages": "en"}, 400)["detail"]
    assert send(root, "corpora/", {"name": "b", "languages": "en-de"}, 400)
    listed = get(root, "corpora/", q="harb", kind="parallel").json()
    assert [one["name"] for one in listed["results"]] == ["harbour"]
    assert Corpus.objects.count() == 2


def test_a_corpus_is_looked_at(root):
    pk = send(root, "corpora/", CORPUS)["corpus"]["id"]
    lines = get(root, f"corpora/{pk}/lines/", first=3, limit=2).json()["lines"]
    assert lines == [{"line": n, "texts": [SOURCE[n - 1], TARGET[n - 1]]} for n in (3, 4)]
    get(root, f"corpora/{pk}/lines/", 400, limit="many")
    assert get(root, f"corpora/{pk}/overlap/").json()["counts"] == {}
    send(root, f"corpora/{pk}/check/", {}, 200)


def test_corpora_are_made_of_others(root):
    pk = send(root, "corpora/", CORPUS)["corpus"]["id"]
    key = {"Idempotency-Key": "filter-it-once"}
    first = send(root, f"corpora/{pk}/filter/", {"name": "clean", "max_ratio": 2}, **key)
    assert first["kind"] == "filter_corpus" and first["options"]["filters"]["max_ratio"] == 2
    assert send(root, f"corpora/{pk}/filter/", {"name": "clean", "max_ratio": 2}, **key)["id"] == first["id"]
    assert send(root, f"corpora/{pk}/filter/", {"name": "clean", "max_ratio": 2}, 200)["id"] == first["id"]
    assert (
        "fewer" in send(root, f"corpora/{pk}/split/", {"rest": "a", "held": "b", "lines": 40}, 400)["remedy"]
    )
    held = send(root, f"corpora/{pk}/split/", {"rest": "a", "held": "b", "lines": 5})
    assert held["options"]["held_out"] == 5
    assert send(root, "corpora/mix/", {"name": "m", "parts": []}, 400)["errors"]["parts"]
    parts = [{"corpus": "harbour", "copies": 2, "tag": "<BT>"}]
    assert send(root, "corpora/mix/", {"name": "m", "parts": parts})["options"]["parts"] == parts
    assert send(root, "corpora/mix/", {"name": "harbour", "parts": parts}, 409)
    assert Run.objects.count() == 3


def test_recipes(root):
    names = [one["name"] for one in get(root, "recipes/").json()["recipes"]]
    assert "tiny-op" in names
    found = get(root, "recipes/tiny-op/").json()
    assert found["figures"]["kind"] == "OP" and "[training]" in found["toml"]
    get(root, "recipes/none/", 404)


def test_a_training_is_planned_then_launched(root, monkeypatch):
    monkeypatch.setattr("mtcore.services.training.engine_checked", lambda *given, **more: ["fairseq"])
    send(root, "corpora/", CORPUS)
    wish = {"name": "OP", "recipe": "tiny-op", "corpora": ["harbour"], "test_segments": "keep"}
    assert send(root, "launch/train/", {**wish, "recipe": "none"}, 400)["remedy"]
    assert send(root, "launch/train/", {**wish, "changes": {"training.odd": "1"}}, 400)["detail"]
    assert send(root, "launch/train/", {"name": "OP", "corpora": ["harbour"]}, 400)["remedy"]
    planned = send(root, "launch/train/", {**wish, "dry_run": True}, 200)
    assert planned["steps"] and not planned["runs"] and not Run.objects.exists()
    made = send(root, "launch/train/", {**wish, "changes": {"training.max_updates": "7"}})
    assert [run["kind"] for run in made["runs"]][-1] == "train_model" and len(made["steps"]) == len(
        made["runs"]
    )
    again = send(root, "launch/train/", {**wish, "changes": {"training.max_updates": "7"}}, 200)
    assert [run["id"] for run in again["runs"]] == [run["id"] for run in made["runs"]] and not again[
        "created"
    ]
    assert send(root, "launch/train/", {**wish, "changes": {"training.max_updates": "8"}}, 409)
    send(root, "launch/translate-testset/", {"system": "none", "testset": "x"}, 404)
    send(root, "launch/translate-corpus/", {"system": "none", "corpus": "harbour"}, 404)
    send(root, "launch/score-lm/", {"lm": "none", "corpus": "harbour"}, 404)


def test_outputs_are_scored_and_measured(root):
    make_campaign(name="harbour", n_segments=4)
    assert send(root, "launch/score/", {"testset": "none"}, 404)["remedy"]
    assert send(root, "launch/score/", {"testset": "harbour", "metrics": ["odd"]}, 400)["errors"]["metrics"]
    wish = {"testset": "harbour", "metrics": ["chrf"], "systems": ["OP"], "pairs": []}
    tried = send(root, "launch/score/", {**wish, "dry_run": True}, 200)
    assert tried["steps"] == ["score_outputs (queue default)"] and not Run.objects.exists()
    made = send(root, "launch/score/", wish)
    assert send(root, "launch/score/", wish, 200)["runs"] == made["runs"]
    assert send(root, "launch/diversity/", {}, 400)["remedy"]
    measured = send(root, "launch/diversity/", {"testsets": ["harbour"], "measures": ["ttr"], "resamples": 0})
    assert measured["runs"][0]["options"]["options"]["measures"] == ["ttr"]


def test_scores_of_metrics_are_listed(root):
    campaign = make_campaign(name="harbour", n_segments=4)
    address = f"campaigns/{campaign.key}/correlation/"
    send(root, address, {"metrics": ["chrf", "bleu"]}, 200)
    pk = SystemOutput.objects.first().testset_id
    found = get(root, f"testsets/{pk}/metrics/", metric="chrf", system="OP").json()
    assert found["count"] == 1 and found["results"][0]["signature"]
    assert found["results"][0]["value"] == MetricResult.objects.get(pk=found["results"][0]["id"]).value
    assert get(root, f"testsets/{pk}/metrics/").json()["count"] == 4


def test_what_a_run_left(root):
    run = Run.objects.create(kind="filter_corpus", state="failed", history=[{"at": "t", "progress": 0.5}])
    folder = run_directory(run.pk).create()
    get(root, f"runs/{run.pk}/log/", 404)
    folder.say("what happened")
    with folder.staged() as staged:
        (staged / "text.txt").write_text("made")
    log = get(root, f"runs/{run.pk}/log/")
    assert b"what happened" in b"".join(log.streaming_content)
    assert get(root, f"runs/{run.pk}/history/").json()["points"][0]["progress"] == 0.5
    names = [one["name"] for one in get(root, f"runs/{run.pk}/files/").json()["files"]]
    assert names == ["text.txt"]
    assert b"".join(get(root, f"runs/{run.pk}/files/text.txt").streaming_content) == b"made"
    for name in ("../log.txt", "manifest.json", "none"):
        assert root.get(f"/api/v1/runs/{run.pk}/files/{name}").status_code == 404, name


def test_a_run_is_begun_anew(root):
    send(root, "corpora/", CORPUS)
    options = {"corpus": "harbour", "name": "clean", "filters": {}}
    run = Run.objects.create(kind="filter_corpus", name="clean", state="failed", options=options)
    new = send(root, f"runs/{run.pk}/again/", {})
    assert new["id"] != run.pk and new["options"] == options
    assert send(root, f"runs/{run.pk}/again/", {}, 200)["id"] == new["id"]
    assert send(root, f"runs/{new['id']}/again/", {}, 400)["remedy"]
    send(root, f"runs/{new['id']}/cancel/", {"children": True}, 200)
    assert Run.objects.get(pk=new["id"]).state == "cancelled"


def test_who_works_where(root):
    found = get(root, "machine/").json()
    assert found["workers"] == [] and found["disk"]["total"] > 0
