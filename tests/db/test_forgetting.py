"""A rater is forgotten on request: nothing names the person any more, and every statistic stays."""

import json

import pytest
from django.apps import apps
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.test import Client

from annotation.models import Assignment, AuditEvent, Judgement, Participation, Rater
from annotation.services import forgetting
from annotation.services.campaigns import campaign_close
from annotation.services.forgetting import rater_forget
from annotation.services.invitations import invitation_url
from annotation.services.package_export import study_export
from annotation.services.scoring import campaign_score
from annotation.services.study_scores import study_options, study_score
from annotation.services.verify import study_verify
from annotation.services.withdrawal import rater_withdraw
from annotation.stats.options import ScoreOptions
from evalplatform.errors import Conflict
from tests.factories.campaigns import make_campaign
from tests.factories.commands import refused, run
from tests.factories.rating import participation_of, rater_client, rating_campaign
from tests.factories.studies import correct, study_with_everything

pytestmark = pytest.mark.django_db
GONE = "Bartholomew"
OPTIONS = ScoreOptions(resamples=100)


@pytest.fixture
def study():
    """A study in which one rater has left traces wherever there can be some."""
    found = study_with_everything()
    rater = found.raters.get(name=GONE)
    rater.profile = {"native": ["de"], "profession": "lighthouse keeper"}
    rater.save()
    one, other, *_rest = rater.participations.order_by("pk")
    correct(other.campaign, GONE, 7, comment="I, Bartholomew, live at the pier")
    one.eligibility = {"state": "admitted", "why": "Bartholomew's wife", "native": ["de"], "filled": True}
    one.settings = {"joined": True, "panel": {"person": "5f1c-panel-id"}}
    one.excluded_by = ""
    one.save()
    AuditEvent.note(
        "problem.reported", participation=one, campaign=one.campaign, study=found, assignment="x",
        text="My cat, the lighthouse",
    )  # fmt: skip
    AuditEvent.note("rater.withdrawn", campaign=one.campaign, study=found, given={GONE: 3}, short=["x"])
    LogEntry.objects.create(
        user=User.objects.create_user("ann", is_staff=True), action_flag=CHANGE, object_repr=GONE,
        content_type=ContentType.objects.get_for_model(Rater), object_id=str(rater.pk),
    )  # fmt: skip
    return found


def everything():
    """Return all that the database holds as one text."""
    rows = []
    for model in apps.get_models():
        rows += [repr(row) for row in model.objects.order_by().values_list()]
    return "\n".join(rows)


def scores(study, names):
    """Return all scores of a study under given names of its raters."""
    found = [campaign_score(campaign=one, options=OPTIONS).result for one in study.campaigns.order_by("pk")]
    found.append(study_score(study=study, options=study_options(study, {"resamples": "100"})).result)
    text = json.dumps(found, ensure_ascii=False)
    for old, new in names.items():
        text = text.replace(f'"{old}"', f'"{new}"').replace(f"{old} was", f"{new} was")
    return _in_order(json.loads(text))


def _in_order(value):
    """Put lists of raters, which stand in order of their names, into one order whatever the names."""
    if isinstance(value, list):
        return [_in_order(one) for one in value]
    if isinstance(value, dict):
        return {
            name: sorted(one, key=lambda row: row["rater"])
            if name == "raters" and one and isinstance(one[0], dict)
            else _in_order(one)
            for name, one in value.items()
        }  # fmt: skip
    return value


def test_nothing_names_the_person_and_every_score_stays(study, tmp_path, settings):
    writes = settings.DATA_DIR / "writes"
    writes.mkdir(parents=True)
    (writes / "a.json").write_text(json.dumps({"data": [{"rater": GONE, "link": "x"}]}))
    (writes / "b.json").write_text(json.dumps({"data": [{"rater": "Cosima", "link": "x"}]}))
    rater = study.raters.get(name=GONE)
    study_export(study=study, output=tmp_path / "before")
    n = Judgement.objects.count()
    done = rater_forget(rater=rater)
    assert GONE not in everything() and "lighthouse" not in everything() and "panel-id" not in everything()
    assert [one.name for one in writes.iterdir()] == ["b.json"]
    assert (Judgement.objects.count(), study.raters.count()) == (n, 3)
    event = AuditEvent.objects.first()
    assert (event.action, event.data) == ("rater.forgotten", {"rater": done.pseudonym})
    told = AuditEvent.objects.filter(action="rater.withdrawn").order_by("pk")[0]
    assert told.data["given"] == {done.pseudonym: 3}

    study_export(study=study, output=tmp_path / "after")
    left = _files(tmp_path / "after")
    before = _files(tmp_path / "before")
    assert set(left) == set(before)
    same = {name for name in left if left[name] == before[name]}
    changed = {name for name in left if name not in same}
    assert not {name for name in changed if "/scores/" in name or name.startswith(("scores/", "human"))}
    assert {name.rpartition("/")[2] for name in changed} <= {
        "audit.jsonl", "judgements.csv", "manifest.json", "study.json",
    }  # fmt: skip
    text = (tmp_path / "after" / "audit.jsonl").read_text("utf-8")
    assert "lighthouse" not in text and GONE not in text
    assert not study_verify(tmp_path / "after").differences


def _files(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_scores_are_computed_anew_with_the_same_numbers(study):
    before = scores(study, {})
    done = rater_forget(rater=study.raters.get(name=GONE))
    assert scores(study, {done.pseudonym: GONE}) == before


def test_what_others_wrote_about_the_person_is_renamed_and_the_rest_is_theirs(study):
    done = rater_forget(rater=study.raters.get(name=GONE))
    comments = set(Judgement.objects.exclude(comment="").values_list("comment", flat=True))
    assert comments == {f"{done.pseudonym} sat beside me"}
    one = Participation.objects.filter(rater__name=done.pseudonym).order_by("pk")[0]
    assert one.eligibility == {"state": "admitted", "filled": True} and one.settings == {"joined": True}
    second = rater_forget(rater=study.raters.get(name="Cosima"))
    study.refresh_from_db()
    assert study.description == f"Asked by {second.pseudonym} and others."
    assert Participation.objects.exclude(excluded_by="").get().excluded_by == f"{second.pseudonym} was asleep"


def test_forgetting_twice_is_forgetting_once(study):
    rater = study.raters.get(name=GONE)
    done = rater_forget(rater=rater)
    before = everything()
    again = rater_forget(rater=study.raters.get(pk=rater.pk))
    assert (again.pseudonym, again.again) == (done.pseudonym, True)
    assert everything() == before
    name = study.campaigns.order_by("pk")[0].name
    assert "before" in run("forget_rater", name, done.pseudonym)[0]


def test_links_and_sessions_end_and_open_work_goes_to_others():
    campaign = make_campaign(name="Quay", n_segments=4, judgements=1, raters=("Dora", "Emil"))
    rater = participation_of(campaign, "Dora")
    link = invitation_url(rater)
    address = link.removeprefix("http://127.0.0.1:8000")
    browser = rater_client(rater)
    n_open = rater.assignments.open().count()
    assert n_open and browser.get(f"/rate/{campaign.key}/").status_code in (200, 302)
    done = rater_forget(rater=rater.rater)
    assert Client().get(address).status_code == 404
    assert browser.get(f"/rate/{campaign.key}/").status_code == 401
    rater.refresh_from_db()
    assert rater.state == "left" and not rater.assignments.open().exists()
    assert participation_of(campaign, "Emil").assignments.open().count() == campaign.items.count()
    assert "Dora" not in everything() and done.pseudonym in everything()


def test_who_leaves_at_that_moment_is_forgotten_all_the_same(monkeypatch):
    campaign = make_campaign(name="Quay", n_segments=4, judgements=1, raters=("Dora", "Emil"))
    rater = participation_of(campaign, "Dora").rater

    def somebody_is_faster(pk):
        monkeypatch.undo()
        rater_withdraw(campaign=campaign, rater="Dora")

    monkeypatch.setattr(forgetting, "turn_take", somebody_is_faster)
    done = rater_forget(rater=rater)
    assert not done.again and "Dora" not in everything()
    assert AuditEvent.objects.filter(action="rater.withdrawn").count() == 1


def test_forgetting_that_fails_in_one_campaign_has_changed_none(monkeypatch):
    one = make_campaign(name="Quay", n_segments=4, judgements=1, raters=("Dora", "Emil"))
    other = make_campaign(
        name="Pier", n_segments=4, judgements=1, raters=("Dora", "Emil"), study=one.study.name
    )

    def fails_in_the_second(*, campaign, **more):
        if campaign.pk == other.pk:
            raise Conflict("The pier is closed.", "Wait.")
        return rater_withdraw(campaign=campaign, **more)

    before = everything()
    monkeypatch.setattr(forgetting, "rater_withdraw", fails_in_the_second)
    rater = Rater.objects.get(name="Dora")
    with pytest.raises(Conflict, match="pier"):
        rater_forget(rater=rater)
    assert everything() == before
    monkeypatch.undo()
    rater_forget(rater=rater)
    assert "Dora" not in everything()
    assert Participation.objects.filter(rater=rater, state="left").count() == 2


def test_in_a_closed_campaign_nothing_is_dealt_on():
    campaign = make_campaign(name="Quay", n_segments=4, judgements=1, raters=("Dora", "Emil"))
    campaign_close(campaign=campaign)
    before = list(Assignment.objects.order_by("pk").values_list("pk", "participation", "state"))
    rater_forget(rater=Rater.objects.get(name="Dora"))
    assert list(Assignment.objects.order_by("pk").values_list("pk", "participation", "state")) == before
    assert "Dora" not in everything()


def test_a_name_that_is_a_number_is_renamed_where_names_stand():
    campaign = rating_campaign()
    rater = participation_of(campaign).rater
    rater.name = "7"
    rater.save()
    AuditEvent.note("rater.excluded", campaign=campaign, study=campaign.study, rater="7", pk="7")
    done = rater_forget(rater=rater)
    event = AuditEvent.objects.get(action="rater.excluded")
    assert event.data == {"rater": done.pseudonym, "pk": "7"}


def test_the_page_says_what_goes_and_asks_twice(study):
    campaign = study.campaigns.order_by("pk")[0]
    address = f"/campaigns/{campaign.key}/forget/"
    browser = Client()
    browser.force_login(User.objects.get(username="ann"))
    assert address in browser.get(f"/campaigns/{campaign.key}/").content.decode()
    page = browser.get(address, {"rater": GONE})
    assert page.context["traces"].comments == 1 and "1 comment beside an answer" in page.content.decode()
    assert browser.get(address, {"rater": "Nobody"}).status_code == 404
    assert browser.post(address, {"rater": GONE}).status_code == 400
    assert Rater.objects.filter(name=GONE).exists()
    assert browser.post(address, {"rater": GONE, "sure": "yes"}).status_code == 302
    assert not Rater.objects.filter(name=GONE).exists()
    event = AuditEvent.objects.first()
    assert (event.action, event.actor.username) == ("rater.forgotten", "ann")
    assert browser.get(address, {"rater": event.data["rater"]}).context["is_forgotten"]


def test_the_command_says_what_would_go(study):
    name = study.campaigns.order_by("pk")[0].name
    before = everything()
    assert "Nothing was changed" in run("forget_rater", name, GONE, "--dry-run")[0]
    assert everything() == before
    assert "no rater" in refused("forget_rater", name, "Nobody")
    assert "pseudonym" in run("forget_rater", name, GONE)[0]
    assert AuditEvent.objects.first().data["command"] == "forget_rater"
    assert GONE not in everything()


def test_the_api_says_what_would_go_and_forgets(study):
    root = Client()
    root.force_login(User.objects.create_user("root", is_staff=True))
    campaign = study.raters.get(name=GONE).participations.order_by("pk")[0].campaign
    address = f"/api/v1/campaigns/{campaign.key}/raters/forget/"
    told = root.get(address, {"rater": GONE}).json()
    assert (told["rater"], told["forgotten"], told["has_profile"], told["has_panel_id"]) == (
        GONE,
        False,
        True,
        True,
    )
    assert told["judgements"] > 0 and told["comments"] > 0 and told["remarks"] > 0
    assert study.raters.filter(name=GONE).exists(), "nothing is changed by looking"
    key = {"HTTP_IDEMPOTENCY_KEY": "forget-him-once"}
    done, again = (root.post(address, {"rater": GONE}, "application/json", **key).json() for _ in range(2))
    assert done == again and done["again"] is False
    assert GONE not in everything() and study.raters.filter(name=done["pseudonym"]).exists()
    assert AuditEvent.objects.filter(action="file.taken", data__asked__rater=done["pseudonym"]).count() == 1
    once_more = root.post(address, {"rater": done["pseudonym"]}, "application/json").json()
    assert once_more == {"pseudonym": done["pseudonym"], "again": True, "handed_over": []}
    assert root.get(address, {"rater": done["pseudonym"]}).json()["forgotten"] is True
    for body in ({"rater": GONE}, {"rater": "nobody"}):
        answer = root.post(address, body, "application/json")
        assert answer.status_code == 404 and "Its raters are" in answer.json()["remedy"]
    assert root.get(address).status_code == 404
    assert root.post(address, {}, "application/json").status_code == 400


def test_only_administrators_forget_by_the_api(study):
    owner = User.objects.create_user("cleo")
    study.owner = owner
    study.save()
    client = Client()
    client.force_login(owner)
    campaign = study.raters.get(name=GONE).participations.order_by("pk")[0].campaign
    address = f"/api/v1/campaigns/{campaign.key}/raters/forget/"
    assert client.get(address, {"rater": GONE}).status_code == 403
    assert client.post(address, {"rater": GONE}, "application/json").status_code == 403
    assert study.raters.filter(name=GONE).exists()
