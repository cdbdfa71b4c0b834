"""What the numbers of a study open where several campaigns are scored together."""

import csv
import json
import re
import shlex
from collections import Counter, defaultdict
from html import unescape
from io import StringIO
from statistics import fmean, stdev

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from rest_framework.test import APIClient

from annotation.models import Campaign, Study
from annotation.services.study_scores import study_options, study_score
from tests.factories.answers import answer_all
from tests.factories.commands import run
from tests.factories.pages import client_of
from tests.factories.reports import rated
from tests.factories.studies import RATERS, exclude

pytestmark = pytest.mark.django_db
WAYS = (
    {},
    {"scope": "campaign"},
    {"by": "condition"},
    {"repeats": "within_rater_first", "seed": "7", "resamples": "200"},
    {"population": "system_items", "disagreement": "pool"},
)


@pytest.fixture
def joined(tmp_path):
    """Return a study: two campaigns over the same text, one over another, one of another protocol."""
    owner = User.objects.create_user("ann")
    rated(owner, name="spring", study="ferries", n_segments=4, raters=RATERS, systems=("OP", "BT", "XL"))
    raters = tmp_path / "raters.txt"
    raters.write_text("\n".join(RATERS))
    run(
        "create_campaign", "autumn", "--protocol", "source_da", "--testset", "spring", "--systems", "OP,BT",
        "--raters", raters, "--judgements", "2", "--study", "ferries", "--seed", "3",
    )  # fmt: skip
    answer_all(Campaign.objects.get(name="autumn"), seed=5)
    rated(name="winter", study="ferries", n_segments=3, raters=RATERS[:2], seed=9)
    rated(name="by reference", study="ferries", n_segments=3, raters=RATERS, protocol="reference_da", seed=4)
    exclude(Campaign.objects.get(name="autumn"), RATERS[0], "asleep")
    return Study.objects.get(name="ferries")


def links(html):
    """Return the addresses of numbers in a page with what stands there."""
    found = re.findall(r'<a class="number" href="([^"]*)">([^<]*)</a>', html)
    return [(unescape(address), unescape(text)) for address, text in found]


def opened(client, address):
    """Return the rows behind a number."""
    response = client.get(f"{address}&format=csv")
    assert response.status_code == 200, address
    return list(csv.DictReader(StringIO(response.content.decode())))


def means(rows, key):
    """Average within segments, then over them."""
    cells = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row[key]:
            cells[row["testset"], row["segment"]][row["rater"]].append(float(row[key]))
    return cells


def averaged(rows, key, within):
    """Return the mean over segments, each rater counting once in a segment where that is asked."""
    cells = means(rows, key).values()
    if within:
        return fmean(fmean(fmean(own) for own in raters.values()) for raters in cells)
    return fmean(fmean(value for own in raters.values() for value in own) for raters in cells)


def address_of(study, given, row, **asked):
    """Return the address of a number of a row."""
    condition = {
        f"in_{key}": row[key] or ""
        for key in ("testset", "input", "reference", "direction")
        if row.get("testset") is not None
    }
    key = Campaign.objects.get(name="winter").key
    query = {"group": key, **given, **condition, **asked}
    return reverse("study_trace", args=[study.pk], query=query)


@pytest.mark.once
@pytest.mark.parametrize("given", WAYS, ids=lambda given: "-".join(given) or "usual")
def test_what_a_number_opens_makes_that_number_and_its_command_too(joined, given):
    client = client_of(joined.owner)
    result = study_score(study=joined, options=study_options(joined, given)).result
    group = next(one for one in result["groups"] if len(one["campaigns"]) > 1)
    assert group["campaigns"] == ["autumn", "spring", "winter"]
    within = given.get("repeats") == "within_rater_first"
    for row in group["systems"]:
        rows = opened(client, address_of(joined, given, row, system=row["system"], of="z_mean"))
        assert len(rows) == row["n_judgements"]
        assert averaged(rows, "z", within) == pytest.approx(row["z_mean"], abs=1e-12)
        assert averaged(rows, "score", within) == pytest.approx(row["raw_mean"], abs=1e-12)
        assert len({one["rater"] for one in rows}) == row["n_raters"]
        if "by" not in given:
            expected = {"spring"} if row["system"] == "XL" else {"autumn", "spring", "winter"}
            assert {one["campaign"] for one in rows} == expected
        segments = opened(client, address_of(joined, given, row, system=row["system"], of="n_segments"))
        assert len(segments) == row["n_segments"]
        assert fmean(float(one["z"]) for one in segments) == pytest.approx(row["z_mean"], abs=1e-12)
    for row in group["pairs"]:
        names = {"a": row["system_a"], "b": row["system_b"]}
        rows = opened(client, address_of(joined, given, row, **names))
        assert len(rows) == row["n_common"]
        difference = fmean(float(one["difference"]) for one in rows)
        assert difference == pytest.approx(row["z_difference"], abs=1e-12)
    for row in group["raters"]:
        rows = opened(client, address_of(joined, given, {}, rater=row["rater"]))
        kinds = ("system",) if "population" in given else ("system", "repeat", "reference", "bad reference")
        scores = [float(one["score"]) for one in rows if one["kind"] in kinds]
        assert (len(scores), fmean(scores)) == (row["n"], pytest.approx(row["mean"], abs=1e-12))
        assert stdev(scores) == pytest.approx(row["sd"], abs=1e-12)
        spread = {one["campaign"] for one in rows}
        assert ("by reference" in spread) == (given.get("scope") != "campaign")
    row = group["systems"][0]
    html = client.get(address_of(joined, given, row, system=row["system"])).content.decode()
    assert group["signature"] in unescape(html)
    command = shlex.split(unescape(re.search(r'<p class="command">([^<]*)</p>', html)[1]))
    assert command[:3] == ["manage.py", "score_study", "ferries"]
    again = json.loads(run(*command[1:], "--format", "json")[0])
    assert next(one for one in again["groups"] if len(one["campaigns"]) > 1) == group


@pytest.mark.parametrize("given", [{}, {"by": "condition"}], ids=lambda given: "-".join(given) or "usual")
@pytest.mark.once
def test_every_number_of_the_report_opens_with_what_is_written_there(joined, given):
    client = client_of(joined.owner)
    page = client.get(reverse("study_report", args=[joined.pk]), given).content.decode()
    numbers = [(address, text) for address, text in links(page) if "/trace/" in address]
    own = [(address, text) for address, text in numbers if address.startswith("/studies/")]
    assert {re.search(r"of=(\w+)", address)[1] for address, _ in own} == {
        "raw_mean", "z_mean", "n_segments", "n_judgements", "n_raters", "wins",
    }  # fmt: skip
    seen = Counter()
    for address, text in dict(reversed(numbers)).items():  # an interval opens what its mean opens
        quantity = re.search(r"of=(\w+)", address)[1]
        seen[quantity] += 1
        if seen[quantity] > 2:  # two of each kind will do
            continue
        html = client.get(address).content.decode()
        assert f'<p class="value">{text}</p>' in html, address
        for further, _ in [one for one in links(html) if "/trace/" in one[0] or "/segment/" in one[0]][:2]:
            assert client.get(further).status_code == 200, further


def test_preferences_of_several_campaigns_open_their_comparisons():
    campaign = rated(
        User.objects.create_user("ann"), name="one", study="S", n_segments=4, protocol="pairwise_fluency"
    )
    rated(name="two", study="S", n_segments=4, protocol="pairwise_fluency", seed=8, identical=(1,))
    study, client = campaign.study, client_of(campaign.study.owner)
    (group,) = study_score(study=study, options=study_options(study, {})).result["groups"]
    page = client.get(reverse("study_report", args=[study.pk])).content.decode()
    addresses = {address for address, _ in links(page) if address.startswith("/studies/")}
    assert len(addresses) == 8  # two systems, four numbers each
    fitted = {address for address in addresses if "of=strength" in address or "of=rank_range" in address}
    assert len(fitted) == 4 and all(len(opened(client, address)) == 1 for address in fitted)
    for address in addresses - fitted:
        system = re.search(r"system=(\w+)", address)[1]
        row = next(one for one in group["systems"] if one["system"] == system)
        rows = opened(client, address)
        assert len(rows) == row["n"] and {one["campaign"] for one in rows} == {"one", "two"}
        points = [1 if one["winner"] == system else one["winner"] == "equal" and 0.5 for one in rows]
        assert fmean(points) == pytest.approx(row["win_rate"], abs=1e-12)
    (pair,) = group["pairs"]
    asked = {"group": campaign.key, "a": pair["system_a"], "b": pair["system_b"]}
    rows = opened(client, reverse("study_trace", args=[study.pk], query=asked))
    assert sum(one["winner"] == pair["system_a"] for one in rows) == pair["a_better"]
    html = client.get(reverse("study_trace", args=[study.pk], query=asked)).content.decode()
    resampled = {"preference_resamples": "500", **asked}
    told = client.get(reverse("study_trace", args=[study.pk], query=resampled)).content.decode()
    assert "--preference-resamples 500" in told and "--preference-resamples" not in html
    rater = {"group": campaign.key, "rater": "R1"}
    assert (
        len(opened(client, reverse("study_trace", args=[study.pk], query=rater))) == group["raters"][0]["n"]
    )


def test_the_api_opens_the_same(joined):
    result = study_score(study=joined, options=study_options(joined, {})).result
    group = next(one for one in result["groups"] if len(one["campaigns"]) > 1)
    row, client = group["systems"][0], APIClient()
    client.force_login(joined.owner)
    address = reverse("api_study_trace", args=[joined.pk])
    asked = {"group": Campaign.objects.get(name="autumn").key, "system": row["system"], "of": "n_judgements"}
    found = client.get(address, asked).json()
    assert found["value"] == f"{row['n_judgements']:,}" and len(found["rows"]) == row["n_judgements"]
    assert found["campaigns"] == group["campaigns"] and found["signature"] == group["signature"]
    assert found["options"]["scope"] == "study" and {one["campaign"] for one in found["rows"]} > {"autumn"}
    written = client.get(address, asked | {"file": "csv"}).content.decode()
    assert len(list(csv.reader(StringIO(written)))) == row["n_judgements"] + 1
    assert client.get(address, {"system": "OP"}).status_code == 400
    assert client.get(address, asked | {"group": "nowhere"}).status_code == 404
    assert client.get(address, asked | {"system": "nobody"}).status_code == 404


def test_strangers_and_moved_campaigns_open_nothing(joined):
    row = {"testset": None}
    address = address_of(joined, {}, row, system="OP")
    assert client_of(User.objects.create_user("eve")).get(address).status_code == 404
    Campaign.objects.filter(name="winter").update(study=Study.objects.create(name="elsewhere"))
    assert client_of(joined.owner).get(address).status_code == 404
