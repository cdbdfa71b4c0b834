"""Judgements of others by the API: what the command imports, from a file that is sent."""

import gzip

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from rest_framework.test import APIClient

from annotation.models import AuditEvent, Campaign, Judgement, Study
from mtcore.models import System
from tests.factories.api import client_of
from tests.factories.campaigns import make_campaign
from tests.factories.commands import run
from tests.factories.counts import row_counts
from tests.paths import ROOT

pytestmark = pytest.mark.django_db
FILES = ROOT / "tests" / "files"
ADDRESS = "/api/v1/campaigns/import/"
DA = {"format": "csv", "protocol": "source_da", "languages": "en-de"}
WMT = "line,item_type,raw,sys,who,hit\n1,SYSTEM,70,A,r1,h\n1,SYSTEM,60,B,r1,h\n2,SYSTEM,50,A,r2,h\n"
MAP = "rater=who,system=sys,segment=line,kind=item_type,score=raw,group=hit"


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    cache.clear()


@pytest.fixture
def ann():
    return client_of("ann")


def send(client, file, status=201, *, key=None, **said):
    """Send a file by name, or (name, bytes)."""
    name, data = (file, (FILES / file).read_bytes()) if isinstance(file, str) else file
    headers = {"Idempotency-Key": key} if key else {}
    body = {"campaign": "others", **DA, **said, "file": SimpleUploadedFile(name, data)}
    answer = client.post(ADDRESS, body, format="multipart", headers=headers)
    assert answer.status_code == status, answer.content[:800]
    return answer.json()


def refused(client, file, status=400, **said):
    """Send a file that must be refused and leave the database as it was."""
    before = row_counts()
    answer = send(client, file, status, **said)
    assert row_counts() == before
    return answer


def test_the_same_judgements_as_by_the_command(ann):
    done = send(ann, "imp13_semicolon.csv")
    run("import_judgements", "by hand", FILES / "imp13_semicolon.csv", "--format", "csv",
        "--protocol", "source_da", "--languages", "en-de")  # fmt: skip
    mine, other = (Campaign.objects.get(name=name) for name in ("others", "by hand"))
    assert done["campaign"]["key"] == mine.key and done["campaign"]["state"] == "closed"
    assert (done["n_judgements"], done["n_raters"], done["n_systems"]) == (2, 1, 2)
    assert done["kinds"] == {"system": 2} and done["notices"] == []
    scores = [
        list(Judgement.objects.of_campaign(one.pk).order_by("pk").values_list("score", flat=True))
        for one in (mine, other)
    ]
    assert scores[0] == scores[1]
    assert (mine.study.name, mine.study.owner.username) == ("others", "ann")
    event = AuditEvent.objects.get(action="judgements.imported", campaign=mine)
    assert event.actor.username == "ann" and event.data["file"] == "imp13_semicolon.csv"


def test_a_foreign_table_packed_with_a_map_a_scale_and_a_study(ann):
    file = ("wmt.csv.gz", gzip.compress(WMT.encode()))
    done = send(ann, file, map=MAP, scale="0-100", study="Others' work")
    assert (done["n_judgements"], done["n_raters"], done["n_systems"]) == (3, 2, 2)
    assert done["campaign"]["scale"] == [0, 100] and done["campaign"]["study"] == "Others' work"
    more = ("more.csv", WMT.replace("h\n", "g\n").replace("r1", "r3").encode())
    assert send(ann, more, map=MAP)["n_judgements"] == 3
    assert Judgement.objects.count() == 6 and Campaign.objects.count() == 1
    scores = ann.get(done["campaign"]["scores"])
    assert {row["system"] for row in scores.json()["systems"]} == {"A", "B"}


@pytest.mark.parametrize("format", ["tsv", "jsonl", "parquet"])
def test_what_was_exported_comes_back(ann, format):
    send(ann, "exp02_ids.csv")
    key = Campaign.objects.get().key
    answer = ann.get(f"/api/v1/campaigns/{key}/judgements/file/", {"file": format})
    data = b"".join(answer.streaming_content)
    again = send(
        ann, (f"out.{format}", data), campaign="again", format=format, protocol="", languages="en-de"
    )
    first = Campaign.objects.get(name="others")
    assert again["n_judgements"] == Judgement.objects.of_campaign(first.pk).count() > 0


def test_a_bad_line_is_named_and_nothing_is_half_imported(ann):
    bad = ("bad.csv", b"rater,system,segment_id,score\nr1,A,1,70\nr1,A,2,much\n")
    answer = refused(ann, bad)
    assert "bad.csv" in answer["detail"] and "line 3" in answer["detail"] and "much" in answer["detail"]
    assert answer["remedy"] and answer["title"] == "This input cannot be used"
    text = "rater,system,segment_id,score\n" + "r1,A,1,70\n" * 3 + "r2,B|C|,1,10\n"
    assert "line" in refused(ann, ("odd.csv", text.encode()))["detail"]
    assert "of its own" in refused(ann, make_known(ann), 409, campaign="ours")["remedy"]


def make_known(client):
    """Make a campaign of this platform, and return a file that cannot go into it."""
    make_campaign(name="ours", owner=User.objects.get(username="ann"))
    return "exp02_ids.csv"


@pytest.mark.parametrize(
    ("said", "part"),
    [
        ({"campaign": "a|b"}, "|"), ({"scale": "100-0"}, "no scale"), ({"scale": "x" * 61}, ""),
        ({"languages": "xx yy zz"}, ""), ({"languages": ""}, "languages"),
        ({"testset": "nowhere"}, "nowhere"), ({"map": "rater=x"}, ""),
        ({"format": "appraise", "map": MAP}, "map"),
        ({"format": "xlsx"}, ""), ({"protocol": "guessing"}, ""), ({"campaign": ""}, ""),
        ({"unknown_kinds": "keep"}, ""), ({"study": "a|b"}, "|"),
    ],
)  # fmt: skip
def test_what_is_said_wrongly(ann, said, part):
    answer = refused(ann, "exp02_ids.csv", 404 if said.get("testset") else 400, **said)
    assert part in answer["detail"] and ("errors" in answer or "remedy" in answer)


def test_a_remedy_calls_what_is_said_as_the_api_does(ann):
    told = refused(ann, ("map.csv", b"who,what,which,how\nR1,OP,1,50\n"))
    assert told["remedy"] == "Name the columns with “map”."


def test_files_that_are_none(ann, monkeypatch):
    assert refused(ann, ("empty.csv", b""))["errors"]["file"]
    assert "damaged" in refused(ann, ("x.csv.gz", b"\x1f\x8b" + b"x" * 90))["detail"]
    latin = "rater,system,segment_id,score\nJürg,A,1,1\n".encode("latin-1")
    assert "UTF-8" in refused(ann, ("latin.csv", latin))["detail"]
    body = {"campaign": "others", **DA, "file": "some text"}
    assert ann.post(ADDRESS, body, format="multipart").status_code == 400
    assert ann.post(ADDRESS, body, format="json").status_code == 415
    monkeypatch.setattr("annotation.services.judgement_upload.MOST_BYTES", 50)
    answer = refused(ann, "exp02_ids.csv")
    assert "more than" in answer["detail"] and "import_judgements" in answer["remedy"]
    monkeypatch.setattr("annotation.services.judgement_upload.MOST_UNPACKED", 2 * 1024**2)
    packed = gzip.compress(b"rater,system,segment_id,score\n" + b"r1,A,1,70\n" * 300_000)
    monkeypatch.setattr("annotation.services.judgement_upload.MOST_BYTES", 50_000)
    assert "unpacks to more than 2 MB" in refused(ann, ("bomb.csv.gz", packed))["detail"]


def test_sent_twice_is_imported_once(ann):
    first, again = (send(ann, "exp02_ids.csv", key="import-once-1") for _ in range(2))
    assert first == again
    n = Judgement.objects.count()
    other = ("exp02_ids.csv", (FILES / "exp02_ids.csv").read_bytes() + b"new,B,1,1\n")
    answer = send(ann, other, 409, key="import-once-1")
    assert "other content" in answer["detail"], "a file of the same name is not the same file"
    assert Judgement.objects.count() == n
    assert send(ann, "exp02_ids.csv", 409)["remedy"], "without a key, what is there already is refused"


def test_nobody_adds_to_what_belongs_to_others(ann):
    send(ann, "exp02_ids.csv", study="Ours")
    bob = client_of("bob")
    more = ("more.csv", b"rater,system,segment_id,score\nr9,A,1,70\n")
    assert "is taken" in refused(bob, more, 409)["detail"]
    assert "is taken" in refused(bob, more, 409, campaign="mine", study="Ours")["detail"]
    assert refused(APIClient(), more, 401)["status"] == 401
    Study.objects.get(name="Ours").researchers.add(User.objects.get(username="bob"))
    assert send(bob, more)["n_judgements"] == 1
    root = client_of("root", is_staff=True)
    assert send(root, ("x.csv", b"rater,system,segment_id,score\nr8,A,1,70\n"))["n_judgements"] == 1
    assert System.objects.filter(name="A").count() <= 1


def test_the_page_imports_the_same(ann):
    browser = Client()
    browser.force_login(User.objects.get(username="ann"))
    page = browser.get("/campaigns/import/").content.decode()
    assert 'enctype="multipart/form-data"' in page
    assert 'href="/campaigns/import/"' in browser.get("/campaigns/").content.decode()

    def fill(file, **said):
        name, data = (file, (FILES / file).read_bytes()) if isinstance(file, str) else file
        body = {"campaign": "others", **DA, "unknown_kinds": "refuse", **said}
        return browser.post("/campaigns/import/", {**body, "file": SimpleUploadedFile(name, data)})

    before = row_counts()
    for answer, part in (
        (fill(("bad.csv", b"rater,system,segment_id,score\nr1,A,1,70\nr1,A,2,much\n")), "line 3"),
        (fill("exp02_ids.csv", campaign="a|b"), "|"), (fill("exp02_ids.csv", scale="9-1"), "no scale"),
        (fill("exp02_ids.csv", testset="nowhere"), "nowhere"), (fill(("e.csv", b"")), "empty"),
        (fill("exp02_ids.csv", format="xlsx"), "xlsx"),
        (fill(("map.csv", WMT.encode())), "Name the columns with “Columns of a table of others”."),
        (fill(("s.csv", b"rater,system,segment_id,score\nr1,A,1,170\n")), "give the scale with “Scale”."),
    ):  # fmt: skip
        assert answer.status_code == 400 and part in answer.content.decode(), part
        assert 'value="en-de"' in answer.content.decode(), "what was typed stays"
    assert row_counts() == before
    made = fill(("wmt.csv", WMT.encode()), map=MAP)
    campaign = Campaign.objects.get(name="others")
    assert made.status_code == 302 and made.headers["Location"] == campaign.get_absolute_url()
    assert "3 judgements were imported." in browser.get(made.headers["Location"]).content.decode()
    assert AuditEvent.objects.get(action="judgements.imported").actor.username == "ann"
    bob = User.objects.create_user("bob")
    browser.force_login(bob)
    refused_page = fill(("more.csv", WMT.encode()), map=MAP)
    assert refused_page.status_code == 400 and "is taken" in refused_page.content.decode()
