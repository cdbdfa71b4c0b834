"""Every address, every method, every role: allowed or refused exactly as access_matrix.tsv says.

Words in the file: ok (allowed; what is asked for may still be incomplete), login (sign in or open an
invitation first), no (this person may not, or must not know that it is there), - (there is no such method).
"""

import csv
import re
from html import unescape
from pathlib import Path
from urllib.parse import urljoin

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.urls import NoReverseMatch, URLResolver, get_resolver, reverse

from annotation.models import AuditEvent
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.joining import joining_url
from annotation.services.links import campaign_links
from annotation.services.studies import study_create
from mtcore.models import Run, System, SystemOutput, TestSet
from mtcore.services.corpora import corpus_register
from mtcore.services.corpora_import import corpus_import
from mtcore.services.run_context import run_directory
from tests.factories.answers import answer_all
from tests.factories.campaigns import make_campaign

pytestmark = pytest.mark.django_db

FILE = Path(__file__).with_name("access_matrix.tsv")
ROLES = ("anonymous", "rater", "stranger", "researcher", "owner", "admin")
METHODS = ("get", "post")


def names(resolver=None):
    """Yield the name of every address but those of Django's own admin, which has a test of its own."""
    for one in (resolver or get_resolver()).url_patterns:
        if isinstance(one, URLResolver):
            if one.namespace != "admin":
                yield from names(one)
        else:
            yield one.name


def rows():
    with FILE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@pytest.fixture
def world(settings, tmp_path):
    """A rated campaign of a study with an owner and a researcher, a pool, runs, a corpus, another study."""
    settings.DATA_DIR = tmp_path
    cache.clear()
    users = {name: User.objects.create_user(name, is_staff=name == "admin") for name in ROLES[2:]}
    campaign = make_campaign(name="harbour", n_segments=4, owner=users["owner"])
    campaign.study.researchers.add(users["researcher"])
    answer_all(campaign)
    study_create(name="other", owner=users["stranger"])
    settings_of = CampaignSettings(joins=True)
    pool = make_campaign(
        name="pool", n_segments=4, owner=users["owner"], pool=True, raters=0, study=campaign.study.name,
        systems=("A", "B"), settings=settings_of,
    )  # fmt: skip
    run = Run.objects.create(kind="filter_corpus", name="x", state="failed")
    folder = run_directory(run.pk).create()
    folder.say("a line")
    with folder.staged() as staged:
        (staged / "text.txt").write_text("made")
    lm = Run.objects.create(kind="train_lm", name="lm", state="succeeded", options={"name": "lm"})
    texts = {tag: tmp_path / f"text.{tag}" for tag in ("en", "de")}
    for path in texts.values():
        path.write_text("One boat.\nTwo boats.\n")
    corpus, _created = corpus_register(
        corpus_import(
            name="c", languages=["en", "de"], sources=[str(texts["en"])], targets=[str(texts["de"])]
        )
    )
    output = SystemOutput.objects.first()
    assignment = campaign.items.first().assignments.first()
    link = dict(campaign_links(campaign=campaign))[assignment.participation.rater.name]
    token = link.rstrip("/").rpartition("/")[2]
    mine = {"campaign_key": campaign.key}
    one = {"key": campaign.key}
    pk = {"pk": run.pk}
    own = {
        "invite": {"token": token}, "join": {"token": joining_url(pool).rstrip("/").rpartition("/")[2]},
        "practice_item": {**mine, "key": "none"}, "rate_item": {**mine, "key": assignment.key},
        "run_data": {**pk, "what": "options"}, "run_history": {**pk, "what": "history"},
        "run_file": {**pk, "name": "text.txt"}, "recipe": {"name": "tiny-op"},
        "api_recipe": {"name": "tiny-op"}, "api_run_file": {**pk, "name": "text.txt"},
        "testset_translate": {"pk": System.objects.first().pk},
        **{name: {"pk": users["stranger"].pk} for name in ("user", "user_change")},
        "password_set": {"uidb64": "MQ", "token": "spent"},
        "campaign_judgements": {**one, "format": "csv"},
        "api_study_report_table": {"pk": campaign.study_id, "name": "campaigns"},
        "api_study_report_figure": {"pk": campaign.study_id, "name": "group-1"},
        "api_study_tables": {"pk": campaign.study_id, "which": "edunov"},
        "api_report_table": {**one, "name": "ranking"}, "api_report_figure": {**one, "name": "ranking"},
        "study_tables_of": {"pk": campaign.study_id, "which": "edunov"},
        "study_tables_file": {"pk": campaign.study_id, "which": "edunov", "format": "csv"},
        **{
            name: {"pk": output.pk}
            for name in ("output", "output_file", "api_output", "api_output_lines", "api_output_text")
        },
        "study_table_cell": {"pk": campaign.study_id, "name": "edunov-1", "row": 0, "column": 0},
    }  # fmt: skip
    by_group = {
        "study": {"pk": campaign.study_id}, "corpus": {"pk": corpus.pk}, "run": pk, "lm": {"pk": lm.pk},
        "testset": {"pk": TestSet.objects.first().pk}, "output": {"pk": TestSet.objects.first().pk},
        "system": {"pk": System.objects.first().pk}, "user": {"pk": users["stranger"].pk},
    }  # fmt: skip
    links = found_links(users["owner"], campaign)
    guesses = [{}, mine, one]

    def address(name):
        if name in links:
            return links[name]
        if name in own:
            return reverse(name, kwargs=own[name])
        plain = name.removeprefix("api_")
        for kwargs in (*guesses, *(found for group, found in by_group.items() if plain.startswith(group))):
            try:
                return reverse(name, kwargs=kwargs)
            except NoReverseMatch:  # another shape of address
                continue
        raise AssertionError(f"the world of this test has nothing for “{name}”")

    def client_of(role):
        client = Client(raise_request_exception=False)
        if role == "rater":
            client.post(f"/invite/{token}/")
            client.post(reverse("consent", kwargs=mine), {"agree": "on"})
        elif role != "anonymous":
            client.force_login(users[role])
        return client

    return address, client_of


PLACES = {
    "report_figure": (r"report/[-\w]+\.svg", "campaign_report"),
    "report_table": (r"campaigns/[^\"/]+/report/[-\w]+\.csv", "campaign_report"),
    "campaign_segment": (r"campaigns/[^\"/]+/segment/\?[^\"]+", "trace"),
    "study_file": (r"studies/\d+/report/[-\w]+\.csv", "study_report"),
}
"""Addresses with names that pages make up → how such a link looks, and where it stands."""


def found_links(owner, campaign):
    """Follow the links that pages really show."""
    client = Client()
    client.force_login(owner)
    pages = {
        "campaign_report": reverse("campaign_report", args=[campaign.key]),
        "study_report": reverse("study_report", args=[campaign.study_id]),
    }
    texts = {name: client.get(address).content.decode() for name, address in pages.items()}
    trace = re.search(r'href="(/campaigns/[^"/]+/trace/\?[^"]+)"', texts["campaign_report"])[1]
    texts["trace"] = client.get(unescape(trace)).content.decode()
    found = {}
    for name, (pattern, page) in PLACES.items():
        links = [unescape(one) for one in re.findall(r'(?:href|src)="([^"]+)"', texts[page])]
        fitting = [urljoin(pages.get(page, trace), one) for one in links if re.search(pattern, one)]
        assert fitting, f"no link like {pattern} on the page {page}"
        found[name] = fitting[0]
    correlation = reverse("campaign_correlation", args=[campaign.key])
    score = reverse("correlation_score", args=[campaign.key])
    client.post(score, {"metric": "chrf"})
    found["correlation_file"] = f"{correlation}points.csv"
    found["campaign_forget"] = f"{reverse('campaign_forget', args=[campaign.key])}?rater=R1"
    found["api_rater_forget"] = f"{reverse('api_rater_forget', args=[campaign.key])}?rater=R1"
    found["campaign_dossier"] = (
        f"{reverse('campaign_dossier', args=[campaign.key])}?testset=harbour&segment=1"
    )
    return found


NO_EXPORTS = {
    "favicon", "health_live", "health_ready", "metrics", "run_live", "screens", "previous", "practice_item",
    "api", "api_schema", "api_docs", "api_studies", "api_study", "api_campaigns", "api_campaign",
    "api_testsets", "api_testset", "api_outputs", "api_output", "api_systems", "api_corpora", "api_corpus",
    "api_runs", "api_run", "api_recipes", "api_recipe", "api_machine", "api_run_files",
    "api_users", "api_user", "api_looks", "api_testsets_named",
}  # fmt: skip
"""What answers with something else than a page and takes no data out: signals, lists of what there is."""


def check_trail(name, response):
    """Whoever takes a file or data is in the audit trail, whatever page or list of the API they came from."""
    kind = response.headers.get("Content-Type", "").partition(";")[0]
    if name in NO_EXPORTS or response.status_code != 200 or kind == "text/html":
        return
    event = AuditEvent.objects.first()
    assert event is not None, f"{name} sends {kind} and the audit trail does not say so"
    assert event.actor or event.participation, f"{name} sends {kind} to nobody"
    EXPORTED.add(name)


EXPORTED = set()
"""Addresses that the tests of this module have seen to send data."""


def outcome(client, method, address, name=""):
    """Send a request, undo what it did, and say how it was met."""
    with transaction.atomic():
        AuditEvent.objects.all().delete()
        response = getattr(client, method)(address)
        if method == "get":
            check_trail(name, response)
        transaction.set_rollback(True)
    assert response.status_code < 500, f"{method} {address}: {response.status_code}"
    kept = response.headers["Cache-Control"]
    assert "private" in kept and "no-store" in kept, f"{method} {address} may be kept on the way: {kept}"
    if response.status_code == 405:
        return "-"
    to_login = "/login/" in response.headers.get("Location", "") and address != reverse("logout")
    if response.status_code == 401 or to_login:
        return "login"
    return "no" if response.status_code in (403, 404) else "ok"


def test_every_address_is_in_the_file():
    known = {(row["address"], row["method"]) for row in rows()}
    assert len(known) == len(rows()), "a line stands there twice"
    assert known == {(name, method) for name in names() for method in METHODS}


@pytest.mark.parametrize("role", ROLES)
def test_every_role_at_every_address(world, role):
    address, client_of = world
    wrong = []
    usual = client_of(role)
    for row in rows():
        client = client_of(role) if row["address"] in ("logout", "login", "invite", "join") else usual
        found = outcome(client, row["method"], address(row["address"]), row["address"])
        if found != row[role]:
            wrong.append(f"{row['method']} {row['address']}: {found}, the file says {row[role]}")
    assert not wrong, "\n".join(wrong)
    if role == "admin":
        assert {
            "campaign_hours", "campaign_plan", "campaign_judgements", "report_figure", "report_table",
            "study_file", "study_tables_file", "correlation_file", "run_log", "run_data", "run_history",
            "run_file", "output_file", "api_output_lines", "api_output_text",
            "api_scores", "api_judgements", "api_raters", "api_links",
        } <= EXPORTED, "addresses that are known to send data"  # fmt: skip


@pytest.mark.parametrize("role", ROLES)
def test_the_admin_is_for_administrators(world, role):
    """Staff without a permission of Django's own see no table there; anybody else is asked to sign in."""
    _address, client_of = world
    client = client_of(role)
    for model in ("auth/user", "annotation/judgement", "annotation/participation", "mtcore/run"):
        assert client.get(f"/admin/{model}/").status_code == (403 if role == "admin" else 302), model
