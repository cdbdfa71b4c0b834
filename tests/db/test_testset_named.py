"""Named test sets come from sacrebleu's cache; without it and without network that is said."""

import os
import re
import time

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from mtcore.models import TestSet
from mtcore.services import testset_named
from tests.factories.api import client_of as api_of
from tests.factories.commands import refused, run
from tests.factories.named_sets import REFERENCES, SOURCES, cache_raw, cache_texts
from tests.factories.pages import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache of sacrebleu's, on a machine whose way to the network is a closed door."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("SACREBLEU", str(folder))
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return folder


def check(testset):
    """It has the texts of the cache, with direction and document of each segment."""
    texts = {one.side: list(one.texts.order_by("segment__position").values_list("text", flat=True))
             for one in testset.versions.all()}  # fmt: skip
    assert texts == {"source": SOURCES, "target": REFERENCES}
    known = testset.segments.order_by("position").values_list("direction", "document__name")
    assert list(known) == [("direct", "harbour.1"), ("direct", "harbour.1"), ("reverse", "gull.2")]


def test_the_command_takes_it_from_the_texts_of_the_cache(cache):
    cache_texts(cache)
    said, _notes = run("import_testset", "News", "--sacrebleu", "wmt19", "--languages", "en-de")
    assert "News: en → de" in said
    check(TestSet.objects.get(name="News"))
    assert "already there" in run("import_testset", "News", "--sacrebleu", "wmt19", "--languages", "en-de")[0]


def test_the_page_takes_it_from_what_sacrebleu_has_unpacked(cache):
    cache_raw(cache)
    ann = client_of(User.objects.create_user("ann"))
    page = ann.get(reverse("testset_import")).content.decode()
    assert '<option value="wmt19 en-de">wmt19 · en-de</option>' in page
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids)), "fields of the two forms are told apart"
    answer = ann.post(reverse("testset_import"), {"named": "wmt19 en-de", "name": ""})
    found = TestSet.objects.get(name="wmt19-en-de")
    assert answer.url == reverse("testset", args=[found.pk])
    check(found)


def test_the_api_lists_and_takes_it(cache):
    cache_texts(cache)
    ann = api_of("ann")
    address = reverse("api_testsets_named")
    listed = {one["name"]: one["pairs"] for one in ann.get(address).json()}
    assert "en-de" in listed["wmt19"]
    asked = {"name": "News", "sacrebleu": "wmt19", "languages": "en-de"}
    made = [ann.post(address, asked, format="json") for _ in range(2)]
    assert [one.status_code for one in made] == [201, 200]
    check(TestSet.objects.get(pk=made[0].json()["id"]))


def test_several_references_become_versions(cache, monkeypatch):
    cache_texts(cache)
    files = {field: str(path) for path in (cache / "wmt19").iterdir() for field in [path.suffix[1:]]}
    both = {
        "src": files["src"],
        "ref:A": files["ref"],
        "ref:B": files["genre"],
        "origlang": files["origlang"],
    }
    monkeypatch.setattr(testset_named, "_files", lambda *_asked: both)
    run("import_testset", "News", "--sacrebleu", "wmt19", "--languages", "en-de")
    names = TestSet.objects.get().versions.filter(side="target").values_list("name", flat=True)
    assert sorted(names) == ["refA", "refB"]


def test_without_network_it_is_said_and_nothing_is_left(cache):
    said = refused("import_testset", "News", "--sacrebleu", "wmt19", "--languages", "en-de")
    assert "wmt19 is not in sacrebleu's cache" in said and "reached no network" in said
    assert "Upload its files" in said
    assert list(cache.rglob("*")) == []
    answer = client_of(User.objects.create_user("ann")).post(
        reverse("testset_import"), {"named": "wmt19 en-de", "name": "News"}
    )
    assert answer.status_code == 400 and "reached no network" in answer.content.decode()
    asked = {"name": "News", "sacrebleu": "wmt19", "languages": "en-de"}
    told = api_of("bob").post(reverse("api_testsets_named"), asked, format="json")
    assert told.status_code == 409 and "reached no network" in told.json()["detail"]
    assert list(cache.rglob("*")) == [] and not TestSet.objects.exists()


def test_a_download_that_takes_too_long_is_stopped_and_leaves_nothing(cache):
    with pytest.raises(testset_named.Conflict, match=r"took more than 0\.01 seconds"):
        testset_named.named_draft(name="News", named="wmt19", languages="en-de", seconds=0.01)
    assert list(cache.rglob("*")) == []


def test_what_a_killed_download_left_goes_with_the_next_one(cache):
    for name, age in ((".fetching-old", 100_000), (".fetching-now", 10)):
        (cache / name / "wmt19").mkdir(parents=True)
        then = time.time() - age
        os.utime(cache / name, (then, then))
    refused("import_testset", "News", "--sacrebleu", "wmt19", "--languages", "en-de")
    assert [one.name for one in cache.iterdir()] == [".fetching-now"]


def test_what_was_fetched_is_put_into_the_cache_once_it_is_whole(cache, tmp_path):
    fetched = tmp_path / "fetched"
    cache_raw(fetched)
    (cache / "wmt19").mkdir(parents=True)
    (cache / "wmt19" / "kept").write_text("mine")
    testset_named._put(fetched, cache)
    assert (cache / "wmt19" / "kept").read_text() == "mine"
    run("import_testset", "News", "--sacrebleu", "wmt19", "--languages", "en-de")
    check(TestSet.objects.get())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--sacrebleu", "wmt1", "--languages", "en-de"), "no test set “wmt1”"),
        (("--sacrebleu", "wmt19", "--languages", "en-fr"), "no language pair “en-fr”"),
        (("--sacrebleu", "wmt19", "--languages", "en-de", "--source", "x"), "--source cannot go with"),
        (("--sacrebleu", "wmt19", "--languages", "en-de", "--direction", "direct"), "--direction cannot go"),
    ],
)
def test_what_there_is_not_is_said(cache, arguments, said):
    assert said in refused("import_testset", "News", *arguments)
    assert not cache.exists()
