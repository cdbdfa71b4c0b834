"""What programs may read and decide beside campaigns themselves: reports, files, raters, rounds, studies."""

import csv
import io
import json
import re
import zipfile
from xml.etree import ElementTree

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.management import call_command

from annotation.models import Assignment, AuditEvent, Campaign, Participation, Study
from annotation.services.campaign_settings import CampaignSettings
from mtcore.models import MetricResult
from tests.factories.answers import answer_all
from tests.factories.api import client_of
from tests.factories.campaigns import make_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    cache.clear()


@pytest.fixture
def ann():
    return client_of("ann")


@pytest.fixture
def bob():
    return client_of("bob")


@pytest.fixture
def campaign(ann):
    """A rated campaign of Ann's, with one segment judged far apart."""
    found = make_campaign(name="harbour", n_segments=6, owner=User.objects.get(username="ann"))
    answer_all(found)
    return found


def get(client, campaign, part, status=200, **query):
    response = client.get(f"/api/v1/campaigns/{campaign.key}/{part}", query)
    assert response.status_code == status, getattr(response, "content", b"")[:500]
    return response


def send(client, address, body, status=200):
    response = client.post(f"/api/v1/{address}", body, format="json")
    assert response.status_code == status, response.content[:500]
    return response.json()


def text_of(response):
    parts = response.streaming_content if response.streaming else [response.content]
    return b"".join(parts)


def test_a_report_with_its_tables_and_figures(ann, campaign, capsys):
    """The numbers are those of the command; tables come as JSON and as the very files of the pages."""
    report = get(ann, campaign, "report/", seed="3").json()
    scores = get(ann, campaign, "scores/", seed="3").json()
    assert report["signature"] == scores["signature"] and "seed:3" in report["signature"]
    assert report["methods"] and report["headline"] != ["12", "24"]
    sections = {one["name"]: one for one in report["sections"]}
    assert {"ranking", "agreement"} <= set(sections)
    rows = {row["system"]: row["z_mean"] for row in sections["ranking"]["tables"][0]["rows"]}
    assert rows == {row["system"]: row["z_mean"] for row in scores["systems"]}
    table = get(ann, campaign, "report/tables/ranking/", seed="3")
    assert table["Content-Type"] == "application/json"
    assert table.json()["rows"] == sections["ranking"]["tables"][0]["rows"]
    for ending in ("csv", "md", "tex"):
        own = get(ann, campaign, "report/tables/ranking/", file=ending, seed="3")
        page = ann.get(f"/campaigns/{campaign.key}/report/ranking.{ending}", {"seed": "3"})
        assert own.content == page.content and "attachment" in own["Content-Disposition"], ending
    figure = sections["ranking"]["figures"][0]
    assert "seed=3" in figure["svg"]
    svg = ann.get(figure["svg"], headers={"Accept": "image/svg+xml"})
    assert svg["Content-Type"].startswith("image/svg+xml")
    assert ElementTree.fromstring(svg.content.decode()).tag.endswith("svg")
    events = AuditEvent.objects.filter(action="report.exported", campaign=campaign)
    assert events.filter(actor__username="ann").exists()


def test_what_a_report_does_not_have(ann, campaign):
    assert get(ann, campaign, "report/tables/none/", 404).json()["remedy"]
    assert get(ann, campaign, "report/figures/none/", 404).json()["status"] == 404
    refused = get(ann, campaign, "report/tables/ranking/", 400, file="xls")
    assert refused["Content-Type"] == "application/problem+json" and "json, csv" in refused.json()["remedy"]
    get(ann, campaign, "report/tables/ranking/", 400, file="csv", flavour="odd")
    assert "no option" in get(ann, campaign, "report/", 400, sede="1").json()["detail"]
    empty = make_campaign(name="empty", owner=User.objects.get(username="ann"))
    assert "no judgements yet" in get(ann, empty, "report/", 409).json()["detail"]


def test_what_is_behind_a_number(ann, campaign):
    found = get(ann, campaign, "trace/", system="OP", of="z_mean").json()
    assert {row["rater"] for row in found["rows"]} <= {"R1", "R2", "R3"} and found["value"]
    tested = get(ann, campaign, "scores/").json()["pairs"][0]
    pair = get(ann, campaign, "trace/", a=tested["system_a"], b=tested["system_b"]).json()
    assert pair["rows"] and pair["signature"] == found["signature"]
    rows = list(
        csv.reader(io.StringIO(get(ann, campaign, "trace/", rater="R1", file="csv").content.decode()))
    )
    assert len(rows) > 3
    get(ann, campaign, "trace/", 400)
    get(ann, campaign, "trace/", 404, system="nobody")


def test_a_segment_and_all_that_is_known_of_it(ann, campaign):
    found = get(ann, campaign, "dossier/", testset="harbour", segment="1").json()
    assert {one["system"] for one in found["outputs"]} == {"OP", "BT"}
    assert sum(len(item["rows"]) for item in found["campaigns"][0]["items"]) == 4
    get(ann, campaign, "dossier/", 404, testset="harbour", segment="99")


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "parquet"])
def test_judgements_as_files(ann, campaign, form):
    own = get(ann, campaign, "judgements/file/", file=form)
    page = ann.get(f"/campaigns/{campaign.key}/judgements.{form}")
    assert own.streaming and text_of(own) == text_of(page) and own["Content-Type"] == page["Content-Type"]
    assert f"harbour.judgements.{form}" in own["Content-Disposition"]


def test_files_that_cannot_be(ann, campaign):
    refused = get(ann, campaign, "judgements/file/", 400, file="xlsx")
    assert "file" in refused.json()["errors"]
    get(ann, campaign, "judgements/file/", 400, population="odd")
    plan = list(csv.reader(io.StringIO(text_of(get(ann, campaign, "plan/")).decode())))
    assert len(plan) == 1 + 24
    get(ann, campaign, "plan/", 400, flavour="odd")


def test_what_is_known_of_raters(ann, campaign):
    found = get(ann, campaign, "reliability/").json()
    assert [one["rater"] for one in found["raters"]] == ["R1", "R2", "R3"]
    assert all(one["state"] == "undecided" and one["evidence"]["reason"] for one in found["raters"])
    hours = get(ann, campaign, "timesheets/").json()
    assert sum(one["items"] for one in hours["raters"]) == 24
    table = text_of(get(ann, campaign, "timesheets/", file="csv")).decode()
    assert table.splitlines()[0].startswith("rater,")
    assert AuditEvent.objects.filter(action="hours.exported").count() == 2
    assert get(ann, campaign, "before/").json() == {"asks": False, "needs": [], "raters": []}


def test_a_rater_is_excluded_and_taken_in_again(ann, campaign):
    address = f"campaigns/{campaign.key}/raters/exclude/"
    before = get(ann, campaign, "scores/").json()
    assert send(ann, address, {"rater": "R1"}, 400)["errors"]["why"]
    assert send(ann, address, {"rater": "nobody", "why": "asleep"}, 404)
    send(ann, address, {"rater": "R1", "why": "asleep"})
    assert send(ann, address, {"rater": "R1", "why": "asleep"}, 409)
    assert Participation.objects.get(campaign=campaign, rater__name="R1").excluded_by == "asleep"
    assert AuditEvent.objects.get(action="rater.excluded").actor.username == "ann"
    assert get(ann, campaign, "scores/").json()["systems"] != before["systems"]
    send(ann, f"campaigns/{campaign.key}/raters/include/", {"rater": "R1"})
    assert get(ann, campaign, "scores/").json()["systems"] == before["systems"]


def test_a_rater_leaves_and_others_take_over(ann):
    found = make_campaign(name="leaving", owner=User.objects.get(username="ann"), judgements=1)
    open_items = found.participations.get(rater__name="R2").assignments.live().count()
    done = send(ann, f"campaigns/{found.key}/raters/withdraw/", {"rater": "R2"})
    assert done["released"] == open_items and sum(done["given"].values()) == open_items
    assert send(ann, f"campaigns/{found.key}/raters/withdraw/", {"rater": "R2"}, 409)


def test_somebody_new_comes_for_a_rater_who_leaves(ann):
    found = make_campaign(name="leaving", owner=User.objects.get(username="ann"))
    address = f"campaigns/{found.key}/raters/withdraw/"
    before = Assignment.objects.filter(item__campaign=found).live().count()
    for body, status in (
        ({"rater": "nobody", "replacement": "Zoe"}, 404), ({"rater": "R2", "replacement": "R3"}, 409),
        ({"rater": "R2", "replacement": "a|b"}, 400), ({"rater": "R2", "replacement": "x" * 121}, 400),
    ):  # fmt: skip
        refused = send(ann, address, body, status)
        assert refused.get("remedy") or refused["detail"], body
    assert found.participations.count() == 3 and not found.participations.filter(state="left").exists()
    done = send(ann, address, {"rater": "R2", "replacement": "Zoe"})
    assert done["given"]["Zoe"] > 0 and sum(done["given"].values()) == done["released"] > 0
    assert done["short"] == []
    assert Assignment.objects.filter(item__campaign=found).live().count() == before
    assert [one["rater"] for one in get(ann, found, "links/", rater="Zoe").json()] == ["Zoe"]
    again = send(ann, address, {"rater": "R2", "replacement": "Yan"}, 409)
    assert "left" in again["detail"] and not found.participations.filter(rater__name="Yan").exists()


def test_raters_are_added_to_a_running_campaign(ann, bob):
    found = make_campaign(name="growing", owner=User.objects.get(username="ann"), raters=2, judgements=2)
    send(ann, f"campaigns/{found.key}/raters/withdraw/", {"rater": "R2"})
    address = f"campaigns/{found.key}/raters/add/"
    key = {"Idempotency-Key": "add-zoe-and-yan"}
    body = {"raters": ["Zoe", "Yan"]}
    answers = [
        ann.post(f"/api/v1/{address}", body, format="json", headers=key) for _ in range(2)
    ]  # fmt: skip
    assert [one.status_code for one in answers] == [201, 201]
    done = answers[0].json()
    assert done == answers[1].json() and done["raters"] == ["Zoe", "Yan"]
    assert len(done["short"]) == 1 and "Loads" in done["short"][0]
    assert set(done["given"]) == {"Zoe", "Yan"} and found.participations.count() == 4
    assert AuditEvent.objects.get(action="rater.added").actor.username == "ann"
    for wrong, status in (
        ({"raters": ["Zoe"]}, 409), ({"raters": []}, 400), ({}, 400), ({"raters": ["a|b"]}, 400),
        ({"raters": ["New", "New"]}, 400), ({"raters": "New"}, 400), ({"raters": [" "]}, 400),
    ):  # fmt: skip
        send(ann, address, wrong, status)
    send(bob, address, {"raters": ["New"]}, 404)
    found.study.researchers.add(User.objects.get(username="bob"))
    send(bob, address, {"raters": ["New"]}, 201)
    assert get(bob, found, "links/", 403)
    Campaign.objects.filter(pk=found.pk).update(state="closed")
    assert "closed" in send(ann, address, {"raters": ["Late"]}, 409)["detail"]
    assert found.participations.count() == 5


def test_who_lacks_a_language_is_let_in(ann):
    wish = CampaignSettings(native=("target",))
    found = make_campaign(name="asks", owner=User.objects.get(username="ann"), settings=wish)
    assert get(ann, found, "before/").json()["asks"]
    assert send(ann, f"campaigns/{found.key}/raters/admit/", {"rater": "R1", "why": ""}, 400)
    send(ann, f"campaigns/{found.key}/raters/admit/", {"rater": "R1", "why": "lives there"})
    assert get(ann, found, "before/").json()["raters"][0]["admitted"] == "lives there"


def test_the_link_by_which_others_join(ann, bob, campaign):
    campaign.study.researchers.add(User.objects.get(username="bob"))
    off = {"joins": False, "link": None, "free_places": None, "an_hour": 200, "joined_last_hour": 0}
    assert get(ann, campaign, "joining/").json() == off
    get(bob, campaign, "joining/", 403)
    address = f"campaigns/{campaign.key}/joining/"
    send(bob, address, {"joins": True}, 403)
    first = send(ann, address, {"joins": True, "an_hour": 5})
    assert "/join/" in first["link"]
    again = send(ann, address, {"joins": True, "renew": True})
    assert again["link"] != first["link"] and again["an_hour"] == 5
    assert Campaign.objects.get(pk=campaign.pk).settings["joins_an_hour"] == 5
    send(ann, address, {"joins": True, "an_hour": -1}, 400)
    assert send(ann, address, {"joins": False})["link"] is None


def test_items_far_apart_are_judged_again(ann, campaign):
    draft = get(ann, campaign, "round/", points="0.5").json()
    assert draft["apart"] > 0 and draft["before"] == [] and draft["words"]
    made = send(ann, f"campaigns/{campaign.key}/round/", {"points": 0.5})
    assert made["n_judgements"] == draft["n_judgements"]
    assert len(get(ann, campaign, "round/", points="0.5").json()["before"]) == 1
    get(ann, campaign, "round/", 400, reading="odd")


def test_looks_are_recorded(ann, campaign):
    address = f"campaigns/{campaign.key}/looks/"
    assert get(ann, campaign, "looks/").json() == {"looks": []}
    assert send(ann, address, {"alpha": 7}, 400)["errors"]["alpha"]
    first = send(ann, address, {})
    assert first["look"] == 1 and {first["pairs"][0]["system_a"], first["pairs"][0]["system_b"]} == {
        "OP",
        "BT",
    }
    assert send(ann, address, {"alpha": 0.01}, 400)
    (taken,) = get(ann, campaign, "looks/").json()["looks"]
    assert (taken["look"], taken["by"], taken["alpha"]) == (1, "ann", 0.05)
    assert taken["n_judgements"] == first["n_judgements"] and taken["at"]


def test_metrics_beside_people(ann, campaign):
    address = f"campaigns/{campaign.key}/correlation/"
    assert send(ann, address, {"metrics": ["comet"]}, 400)["errors"]["metrics"]
    done = send(ann, address, {"metrics": ["chrf"]})
    assert done["scored"] == ["harbour"] and not done["runs"]
    assert MetricResult.objects.filter(metric="chrf").count() == 2
    found = get(ann, campaign, "correlation/", metric="chrf").json()
    assert {one["metric"] for one in found["results"]} == {"chrf"} and "signature" in found
    for ending in ("csv", "tex"):
        query = {"metric": "chrf", "table": "points", "file": ending}
        own = get(ann, campaign, "correlation/", **query)
        page = ann.get(f"/campaigns/{campaign.key}/correlation/points.{ending}", {"metric": "chrf"})
        assert own.content == page.content
    get(ann, campaign, "correlation/", 400, scores="odd")
    get(ann, campaign, "correlation/", 400, table="odd")


def test_two_campaigns_side_by_side(ann, bob, campaign):
    other = make_campaign(
        "reference_da", name="by reference", n_segments=6, owner=User.objects.get(username="ann")
    )
    answer_all(other, seed=2)
    found = get(ann, campaign, "compare/", **{"with": other.key}).json()
    assert {row["system"] for row in found["systems"]} == {"OP", "BT"}
    get(ann, campaign, "compare/", 404, **{"with": "none"})
    hidden = make_campaign(name="hidden", owner=User.objects.get(username="bob"))
    get(ann, campaign, "compare/", 404, **{"with": hidden.key})


def study(client, found, part, status=200, **query):
    response = client.get(f"/api/v1/studies/{found.pk}/{part}", query)
    assert response.status_code == status, getattr(response, "content", b"")[:500]
    return response


def test_a_study_grows_and_reports(ann, campaign, capsys):
    other = make_campaign(name="second", n_segments=4, owner=User.objects.get(username="ann"))
    answer_all(other, seed=2)
    address = f"studies/{campaign.study_id}/members/"
    assert "“same_raters”" in send(ann, address, {"campaigns": ["second"]}, 409)["remedy"]
    added = send(ann, address, {"campaigns": ["second"], "same_raters": True})
    assert added["moved"] == [["second", "second"]]
    assert send(ann, address, {"systems": ["none"]}, 404) and send(ann, address, {}, 400)
    call_command("score_study", campaign.study.name, "--format", "json")
    printed = json.loads(capsys.readouterr().out)
    assert study(ann, campaign.study, "scores/").json() == printed
    report = study(ann, campaign.study, "report/").json()
    tables = [table["name"] for one in report["sections"] for table in one["tables"]]
    assert "campaigns" in tables and "group-1" in tables
    assert study(ann, campaign.study, "report/tables/group-1/", file="csv").content
    figures = [figure for one in report["sections"] for figure in one["figures"]]
    assert ann.get(figures[0]["svg"]).status_code == 200
    study(ann, campaign.study, "report/tables/none/", 404)


def test_campaigns_of_others_cannot_be_taken(ann, bob, campaign):
    theirs = make_campaign(name="theirs", owner=User.objects.get(username="bob"))
    address = f"studies/{campaign.study_id}/members/"
    assert "no campaign" in send(ann, address, {"campaigns": ["theirs"]}, 404)["detail"]
    theirs.study.researchers.add(User.objects.get(username="ann"))
    assert send(ann, address, {"campaigns": ["theirs"], "same_raters": True}, 403)
    assert Campaign.objects.get(pk=theirs.pk).study_id == theirs.study_id


def test_people_of_a_study(ann, bob, campaign):
    address = f"studies/{campaign.study_id}/researchers/"
    send(bob, address, {"add": ["bob"]}, 404)
    assert send(ann, address, {"add": ["nobody"]}, 404) and send(ann, address, {}, 400)
    assert send(ann, address, {"add": ["bob"]})["researchers"] == ["bob"]
    get(bob, campaign, "report/")
    send(bob, address, {"add": ["ann"]}, 403)
    assert send(ann, address, {"remove": ["bob"]})["researchers"] == []
    get(bob, campaign, "report/", 404)
    assert AuditEvent.objects.filter(action="study.researchers").count() == 2


def test_what_a_study_asks(ann, bob, campaign):
    address = f"studies/{campaign.study_id}/description/"
    assert send(ann, address, {"description": "Does BT help?"})["description"] == "Does BT help?"
    assert send(ann, address, {}, 400)
    campaign.study.researchers.add(User.objects.get(username="bob"))
    send(bob, address, {"description": "Mine"}, 403)
    assert send(ann, address, {"description": ""})["description"] == ""
    assert AuditEvent.objects.filter(action="study.described", actor__username="ann").count() == 2


def test_the_tables_of_published_studies(ann, campaign):
    found = study(ann, campaign.study, "tables/edunov/").json()
    assert found["tables"][0]["name"].startswith("edunov-")
    cells = [cell for one in found["tables"] for row in one["rows"] for cell in row["cells"]]
    assert any(cell["value"] is None and cell["commands"] for cell in cells)
    assert study(ann, campaign.study, "tables/edunov/", file="md").content
    study(ann, campaign.study, "tables/none/", 404)
    study(ann, campaign.study, "tables/edunov/", 400, protocol="odd")
    rows = send(ann, f"studies/{campaign.study_id}/texts/", {"rows": {"NMT": ["OP"]}})
    assert rows == {"corpora": {}, "translations": {}, "rows": {"NMT": ["OP"]}}
    assert study(ann, campaign.study, "texts/").json() == rows


def test_the_package_of_a_study(ann, bob, campaign, tmp_path, capsys):
    campaign.study.researchers.add(User.objects.get(username="bob"))
    packed = text_of(study(bob, campaign.study, "package/"))
    study(bob, campaign.study, "package/", 403, identities="true")
    place = tmp_path / "package.zip"
    place.write_bytes(packed)
    with zipfile.ZipFile(place) as made:
        texts = b"".join(made.read(name) for name in made.namelist())
    assert not re.search(rb"\bR1\b", texts)
    call_command("verify_study", str(place))
    assert "equal" in capsys.readouterr().out.lower()
    assert Study.objects.get(pk=campaign.study_id)


def test_what_is_sealed_stays_sealed_at_every_address(ann):
    wish = CampaignSettings(sealed=True)
    found = make_campaign(name="sealed", owner=User.objects.get(username="ann"), settings=wish)
    answer_all(found)
    other = make_campaign("reference_da", name="open", owner=User.objects.get(username="ann"))
    answer_all(other)
    address = f"campaigns/{found.key}/looks/"
    assert send(ann, address, {}, 409)["title"] == "Sealed until closing"
    for part in (
        "scores/", "report/", "report/tables/ranking/", "report/figures/ranking/", "trace/?system=OP",
        "trace/?system=OP&of=n_judgements", "trace/?rater=R1", "trace/?a=OP&b=BT", "correlation/?metric=chrf",
        f"compare/?with={other.key}", "judgements/file/",
    ):  # fmt: skip
        answer = ann.get(f"/api/v1/campaigns/{found.key}/{part}")
        assert answer.status_code == 409 and answer.json()["title"] == "Sealed until closing", part
    dossier = get(ann, found, "dossier/", testset="sealed", segment="1").json()
    assert dossier["campaigns"][0]["sealed"] and not dossier["campaigns"][0]["items"]
    for part in ("scores/", "report/", "report/tables/group-1/", "package/"):
        assert ann.get(f"/api/v1/studies/{found.study_id}/{part}").status_code == 409, part
    send(ann, f"campaigns/{found.key}/state/", {"state": "closed"})
    assert get(ann, found, "trace/", rater="R1").json()["rows"]
