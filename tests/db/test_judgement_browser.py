"""The judgement browser: what it chooses, in which order, what it shows, and what its file holds."""

import csv
import io
import uuid

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.models import Assignment, AuditEvent, Judgement
from annotation.services.judgement_filter import Chosen, filter_read
from annotation.services.judging import judgement_save
from annotation.services.quality import rater_exclude
from tests.factories.campaigns import make_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann():
    return User.objects.create_user("ann")


@pytest.fixture
def campaign(ann):
    found = make_campaign(name="harbour", n_segments=12, owner=ann)
    answered(found)
    return found


def answered(campaign):
    """Answer everything at once: scores from 1 on, or left, right, equal by turns."""
    rated = campaign.protocol != "pairwise_fluency"
    rows = list(Assignment.objects.filter(item__campaign=campaign).order_by("pk"))
    Judgement.objects.bulk_create(
        Judgement(
            assignment=row, client_key=uuid.uuid4().hex, submitted_at=timezone.now(),
            **({"score": 1 + 37 * n % 100, "scale_low": 1, "scale_high": 100} if rated
               else {"choice": ("left", "right", "equal")[n % 3]}),
        )
        for n, row in enumerate(rows)
    )  # fmt: skip
    Assignment.objects.filter(item__campaign=campaign).update(state="done")
    campaign.participations.update(consented_at=timezone.now())


@pytest.fixture
def page(ann):
    client = Client()
    client.force_login(ann)

    def get(campaign, **query):
        return client.get(reverse("judgement_browser", args=[campaign.key]), query)

    return get


def chosen(campaign, **given):
    """Return the ids of the judgements that a filter chooses, in its order."""
    found = []
    for part in Chosen(campaign, filter_read(given)).parts():
        found += part.found.order_by(*part.order)[part.start : part.stop].values_list("pk", flat=True)
    return found


def expected(campaign, wanted):
    """Return the ids for which a function of the judgement is true, each looked at by itself."""
    rows = Judgement.objects.of_campaign(campaign.pk).current().select_related(
        "assignment__participation__rater", "assignment__item__segment__testset"
    )  # fmt: skip
    return {row.pk for row in rows if wanted(row)}


def systems_of(row):
    return {
        output.system.name for one in row.assignment.item.candidates.all() for output in one.outputs.all()
    }


FILTERS = [
    ({}, lambda row: True),
    ({"rater": "R2"}, lambda row: row.assignment.participation.rater.name == "R2"),
    ({"system": "BT"}, lambda row: "BT" in systems_of(row)),
    ({"segment": "3"}, lambda row: row.assignment.item.segment.key == "3"),
    ({"segment": "2-10"}, lambda row: 2 <= int(row.assignment.item.segment.key) <= 10),
    ({"low": "60", "high": "70,5"}, lambda row: 60 <= row.score <= 70.5),
    ({"kind": "repeat"}, lambda row: False),
    ({"testset": "harbour"}, lambda row: True),
    ({"testset": "other"}, lambda row: False),
    ({"rater": "R%"}, lambda row: False),
]


def test_a_filter_chooses_what_it_says(campaign):
    for given, wanted in FILTERS:
        found = chosen(campaign, **given)
        assert len(found) == len(set(found)) and set(found) == expected(campaign, wanted), given


def test_numbers_of_segments_are_keys_where_keys_are_numbers_else_places(campaign):
    testset = campaign.outputs.first().testset
    for segment in testset.segments.order_by("-position"):
        segment.key = {1: "40", 2: "a-1", 3: "7"}.get(segment.position, f"k{segment.position}")
        segment.save(update_fields=["key"])

    def places(text):
        pks = chosen(campaign, segment=text)
        rows = Judgement.objects.filter(pk__in=pks)
        return set(rows.values_list("assignment__item__segment__position", flat=True))

    assert places("40") == {1}
    assert places("a-1") == {2}
    assert places("7") == {3, 7}
    assert places("4 – 6") == {4, 5, 6}
    assert places("40-30") == set()


def test_words_are_taken_as_they_are(campaign):
    first, second = Judgement.objects.of_campaign(campaign.pk).order_by("pk")[:2]
    Judgement.objects.filter(pk=first.pk).update(comment="about 50% of it")
    Judgement.objects.filter(pk=second.pk).update(comment="about 50 of it, a_b")
    assert chosen(campaign, q="50%") == [first.pk]
    assert chosen(campaign, q="A_B") == [second.pk]
    assert chosen(campaign, q="%") == [first.pk] and chosen(campaign, q="_") == [second.pk]
    assert set(chosen(campaign, comment="yes")) == {first.pk, second.pk}
    source = expected(campaign, lambda row: row.assignment.item.segment.key == "4")
    assert set(chosen(campaign, q="source 4 ")) == source
    assert set(chosen(campaign, q="referenz 4 ")) == source
    assert set(chosen(campaign, q="satz 4 ")) == source


def test_remarks_corrections_and_excluded_raters(campaign):
    assignment = campaign.participations.first().assignments.order_by("position").first()
    save = {"participation": assignment.participation, "assignment_key": assignment.key}
    judgement_save(**save, client_key=uuid.uuid4().hex, answers={"score": 3})
    AuditEvent.note("problem.reported", campaign=campaign, assignment=assignment.key, text="Cut off.")
    (corrected,) = chosen(campaign, corrected="yes")
    assert chosen(campaign, problem="yes") == [corrected]
    assert Judgement.objects.get(pk=corrected).score == 3
    rater_exclude(campaign=campaign, rater="R3", why="clicked through")
    own = expected(campaign, lambda row: row.assignment.participation.rater.name == "R3")
    assert set(chosen(campaign, excluded="yes")) == own
    assert set(chosen(campaign, excluded="no")) == expected(campaign, lambda row: row.pk not in own)


def test_raters_far_apart_come_first_and_slices_fit_together(campaign, monkeypatch):
    monkeypatch.setattr("annotation.services.judgement_filter.BATCH", 5)
    found = chosen(campaign, order="spread")
    scores = dict(Judgement.objects.values_list("pk", "score"))
    items = dict(Judgement.objects.values_list("pk", "assignment__item"))
    spreads = {}
    for item in set(items.values()):
        own = [scores[pk] for pk in found if items[pk] == item]
        spreads[item] = max(own) - min(own)
    order = [spreads[items[pk]] for pk in found]
    assert order == sorted(order, reverse=True) and len(set(order)) > 3
    assert len(found) == len(set(found)) == 48
    whole = Chosen(campaign, filter_read({"order": "spread", "system": "BT"}))
    by_threes = []
    for start in range(0, whole.count(), 3):
        for part in whole.parts(start, start + 3):
            rows = part.found.order_by(*part.order)[part.start : part.stop]
            by_threes += rows.values_list("pk", flat=True)
    assert by_threes == chosen(campaign, order="spread", system="BT")


def test_preferences_are_chosen_whichever_side_they_stood_on(ann, page):
    campaign = make_campaign("pairwise_fluency", name="fluency", n_segments=8, raters=4, owner=ann)
    answered(campaign)

    def better(row):
        position = 1 if (row.choice == "left") != row.assignment.swap else 2
        names = row.assignment.item.candidates.get(position=position).outputs.values_list(
            "system__name", flat=True
        )
        return "equal" if row.choice == "equal" else "".join(names)

    every = []
    for wanted in ("OP", "BT", "equal"):
        found = chosen(campaign, prefers=wanted)
        assert set(found) == expected(campaign, lambda row, wanted=wanted: better(row) == wanted)
        every += found
    assert len(every) == 16
    text = page(campaign, prefers="BT").content.decode()
    assert text.count("BT better") == len(chosen(campaign, prefers="BT")) and "OP better" not in text
    assert "differ from the most frequent answer" in page(campaign, order="spread").content.decode()
    rows = csv_rows(page(campaign, format="csv"))
    texts = {one.text: {o.system.name for o in one.outputs.all()} for one in candidates(campaign)}
    for row in rows:
        assert texts[row["left_text"]] == {row["left"]} and texts[row["right_text"]] == {row["right"]}
    assert {row["left"] for row in rows} == {"OP", "BT"}


def candidates(campaign):
    return [one for item in campaign.items.all() for one in item.candidates.all()]


def csv_rows(response):
    text = b"".join(response.streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def test_the_page_shows_texts_answers_and_what_was_before(campaign, page):
    assignment = campaign.participations.first().assignments.order_by("position").first()
    old = assignment.judgements.get().score
    save = {"participation": assignment.participation, "assignment_key": assignment.key}
    judgement_save(**save, client_key=uuid.uuid4().hex, answers={"score": 2}, comment="<i>slip</i>")
    AuditEvent.note("problem.reported", campaign=campaign, assignment=assignment.key, text="Cut & off")
    text = page(campaign, corrected="yes").content.decode()
    key = assignment.item.segment.key
    assert "1 judgement" in text and f"before: {old:g}" in text and "<b>2</b>" in text
    assert f"Source {key} " in text and f"Referenz {key} " in text and f"Satz {key} " in text
    assert "&lt;i&gt;slip&lt;/i&gt;" in text and "Cut &amp; off" in text
    assert f"/dossier/?testset=harbour&amp;segment={key}" in text
    assert "points apart" in page(campaign, order="spread").content.decode()
    assert "No judgement is like that." in page(campaign, rater="Nobody").content.decode()


def test_pages_ask_a_fixed_number_of_questions(campaign, page, django_assert_max_num_queries):
    with django_assert_max_num_queries(28):
        page(campaign, q="satz", order="spread", system="BT", excluded="no")
    with django_assert_max_num_queries(28):
        assert "48 judgements" in page(campaign, page="99").content.decode()


BAD = (
    {"low": "abc"}, {"high": "inf"}, {"low": "nan"}, {"order": "spead"}, {"kind": "odd"},
    {"excluded": "maybe"}, {"comment": "1"}, {"q": "x" * 201}, {"format": "csv", "flavour": "vanilla"},
)  # fmt: skip


def test_bad_input_is_explained(campaign, page):
    for query in BAD:
        response = page(campaign, **query)
        assert response.status_code == 400 and b'role="alert"' in response.content, query
    assert page(campaign, q="a\0b").status_code == 400


def test_the_file_holds_what_the_page_shows_and_no_formula(campaign, page, ann):
    judgement = Judgement.objects.of_campaign(campaign.pk).order_by("pk").first()
    Judgement.objects.filter(pk=judgement.pk).update(comment="=HYPERLINK(1)")
    safe = csv_rows(page(campaign, comment="yes", format="csv", flavour="spreadsheet"))
    exact = csv_rows(page(campaign, comment="yes", format="csv"))
    assert [row["comment"] for row in safe] == ["'=HYPERLINK(1)"]
    assert [row["comment"] for row in exact] == ["=HYPERLINK(1)"]
    segment = judgement.assignment.item.segment.key
    assert exact[0]["source_text"].startswith(f"Source {segment} ")
    assert exact[0]["reference_text"].startswith(f"Referenz {segment} ")
    assert exact[0]["left_text"].startswith(f"Satz {segment} ")
    event = AuditEvent.objects.filter(action="judgements.exported", actor=ann).first()
    assert event.data["judgements"] == 1 and event.data["chosen"]["comment"] == "yes"
    by_spread = csv_rows(page(campaign, order="spread", format="csv"))
    keys = Judgement.objects.filter(pk__in=chosen(campaign)).values_list("pk", "assignment__key")
    assert [row["judgement"] for row in by_spread] == [
        dict(keys)[pk] for pk in chosen(campaign, order="spread")
    ]


def test_the_api_takes_the_same_filters(campaign, ann):
    api = APIClient()
    api.force_login(ann)
    address = f"/api/v1/campaigns/{campaign.key}/judgements/"
    found = api.get(address, {"system": "BT", "segment": "2-4", "order": "spread"}).json()
    keys = dict(Judgement.objects.values_list("pk", "assignment__key"))
    wanted = [keys[pk] for pk in chosen(campaign, system="BT", segment="2-4", order="spread")]
    assert found["count"] == len(wanted) == 6
    assert [row["judgement"] for row in found["results"]] == wanted
    assert {tuple(row["left"]) for row in found["results"]} == {("BT",)}
    bad = api.get(address, {"order": "spead"})
    assert bad.status_code == 400 and "spread" in bad.json()["remedy"]
