"""Practice and calibration: shown, explained, repeated, kept, and counted nowhere."""

import json

import pytest

from annotation.models import Assignment, Item, Judgement, Participation
from annotation.services.people import people_read
from annotation.services.practice_items import CALIBRATION, PRACTICE, PracticeDraft
from annotation.services.records import ratings_read
from tests.factories.commands import refused, run
from tests.factories.people import (
    agree,
    asking,
    begin,
    join_address,
    newcomer,
    practise,
    scale_items,
    words,
)
from tests.factories.rating import answer, keys, participation_of, rater_client, send_form

pytestmark = pytest.mark.django_db
KINDS = ("bad_reference", "practice_item", "low", "high", "expected")


@pytest.fixture
def campaign():
    return asking(
        practice=scale_items(PRACTICE, (60, 100), (1, 50)),
        calibration=scale_items(CALIBRATION, (1, 20), (80, 90)),
    )


@pytest.fixture
def browser(campaign):
    browser, _ = newcomer(campaign)
    agree(browser, campaign)
    return browser


def test_practice_stands_before_the_first_item(campaign, browser):
    url = f"/rate/{campaign.key}/"
    rater = participation_of(campaign)
    real = list(rater.assignments.counted().values_list("key", flat=True))
    assert browser.get(url).url == f"{url}practice/" and browser.get(f"{url}finish").url == f"{url}practice/"
    assert browser.get(f"{url}item/{real[0]}").url == f"{url}practice/"
    assert browser.get(f"{url}screens").status_code == 409
    assert answer(browser, campaign, real[0]).status_code == 409
    form = {"assignment": real[0], "client_key": "key-00000001", "score": "64"}
    assert browser.post(url, form).status_code == 409
    assert browser.post(f"{url}practice/", form).status_code == 404  # a real item is no practice
    assert begin(browser, campaign).status_code == 409  # nothing is answered yet
    assert Judgement.objects.count() == 0


def test_each_answer_is_shown_beside_what_is_expected(campaign, browser):
    url = f"/rate/{campaign.key}/practice/"
    page = browser.get(url)
    assert "Practice 1 of 2" in words(page) and page.context["screen"]["answer"] is None
    first, second = practise(browser, campaign, "70", "70")
    told = words(browser.get(first.url))
    assert "As expected" in told and "Your answer 70" in told and "Expected 60 to 100" in told
    assert "Because of 1 ." in told and "Next practice item" in told
    told = words(browser.get(second.url))
    assert "Others see this differently" in told and "Expected 1 to 50" in told and "Go on" in told


def test_nothing_is_told_before_an_answer(campaign, browser):
    """What a rater receives before answering says neither what is expected nor what the item is."""
    for place in ("practice/", "practice/", "practice/"):
        page = browser.get(f"/rate/{campaign.key}/{place}").content.decode()
        assert "Because of" not in page and "expected_" not in page
        data = json.loads(page.split('<script id="screen" type="application/json">')[1].split("</script>")[0])
        assert not set(data) & {"kind", "low", "high", "expected", "why", "system", "id", "pk"}
        practise(browser, campaign, "70")
    # The third was calibration: no feedback of it can be had.
    key = participation_of(campaign).assignments.practice().get(position=3).key
    assert browser.get(f"/rate/{campaign.key}/practice/item/{key}").status_code == 409


def test_a_whole_practice_and_calibration(campaign, browser):
    replies = practise(browser, campaign, "70", "70", "10", "95")
    assert [reply.url.endswith("/practice/") for reply in replies] == [False, False, True, True]
    end = words(browser.get(f"/rate/{campaign.key}/practice/"))
    assert "Calibration" in end and "as expected" in end and "differs" in end and "80 to 90" in end
    kept = participation_of(campaign).settings
    assert kept["practice"] == {"n": 2, "inside": 1}
    assert kept["calibration"] == {
        "n": 2,
        "inside": 1,
        "rows": [{"answer": 10, "low": 1, "high": 20}, {"answer": 95, "low": 80, "high": 90}],
    }
    assert begin(browser, campaign).url == f"/rate/{campaign.key}/"
    assert browser.get(f"/rate/{campaign.key}/").context["screen"]["number"] == 1
    rows = people_read(campaign).rows
    assert (rows[0].practice, rows[0].calibration) == ((1, 2), (1, 2)) and rows[1].practice is None


def test_the_campaign_page_shows_where_raters_stand(campaign, browser, admin_client):
    practise(browser, campaign, "70", "70", "10", "95")
    browser.get(f"/rate/{campaign.key}/practice/")
    said = words(admin_client.get(f"/campaigns/{campaign.key}/"))
    assert "Practice as expected" in said and "Calibration as expected" in said and "1 of 2" in said


def test_practice_can_be_repeated_and_calibration_cannot(campaign, browser):
    url = f"/rate/{campaign.key}/practice/"
    assert browser.post(url, {"action": "repeat"}).status_code == 409
    practise(browser, campaign, "70", "70", "10", "95")
    browser.get(url)
    assert browser.post(url, {"action": "repeat"}).url == url
    page = browser.get(url)
    assert "Practice 1 of 2" in words(page) and page.context["screen"]["answer"] is None
    practise(browser, campaign, "80", "20")
    browser.get(url)
    kept = participation_of(campaign).settings
    assert kept["practice"] == {"n": 2, "inside": 2} and kept["calibration"]["inside"] == 1
    assert Judgement.objects.count() == 6  # nothing was overwritten
    begin(browser, campaign)
    browser.post(url, {"action": "repeat"})  # also later, beside the work
    assert browser.get(f"/rate/{campaign.key}/").status_code == 200


def test_a_calibration_changed_after_its_result_was_seen_stays_as_it_was(campaign, browser):
    practise(browser, campaign, "70", "70", "10", "95")
    browser.get(f"/rate/{campaign.key}/practice/")
    key = participation_of(campaign).assignments.practice().get(position=4).key
    assert answer(browser, campaign, key, score=85).status_code == 200
    browser.get(f"/rate/{campaign.key}/practice/")
    assert participation_of(campaign).settings["calibration"]["rows"][1]["answer"] == 95


def test_who_never_looks_at_the_result_of_a_calibration_has_it_kept_all_the_same(campaign, browser):
    practise(browser, campaign, "70", "70", "10", "95")
    assert participation_of(campaign).settings["calibration"]["inside"] == 1
    assert begin(browser, campaign).url == f"/rate/{campaign.key}/"
    kept = participation_of(campaign).settings
    assert kept["practised"] and kept["practice"]["n"] == 2
    assert [row["answer"] for row in kept["calibration"]["rows"]] == [10, 95]


def test_a_calibration_answered_without_the_page_is_kept_at_its_last_answer(campaign, browser):
    """Answers sent by a script's address, and changed before any page was opened: the first ones are kept."""
    browser.get(f"/rate/{campaign.key}/practice/")
    rows = list(participation_of(campaign).assignments.practice().order_by("position"))
    for row, score in zip(rows, (70, 70, 10, 95), strict=True):
        assert answer(browser, campaign, row.key, f"key-{row.key}", score=score).status_code == 200
    assert answer(browser, campaign, rows[3].key, "changed-0001", score=85).status_code == 200
    begin(browser, campaign)
    assert participation_of(campaign).settings["calibration"]["rows"][1]["answer"] == 95


@pytest.mark.parametrize("value", ["", "101", "abc", "72,5"])
def test_a_faulty_answer_comes_back(campaign, browser, value):
    """UI-05 and UI-11 hold in practice too."""
    reply = practise(browser, campaign, value)[0]
    assert reply.status_code == 400 and b'role="alert"' in reply.content
    assert Judgement.objects.count() == 0


def test_a_long_comment_is_refused_and_a_replay_is_one_answer(campaign, browser):
    """UI-01."""
    url = f"/rate/{campaign.key}/practice/"
    key = browser.get(url).context["screen"]["key"]
    form = {"assignment": key, "client_key": "key-00000009", "score": "70"}
    assert browser.post(url, form | {"comment": "x" * 100_000}).status_code == 400
    assert browser.post(url, form).status_code == browser.post(url, form).status_code == 302
    assert Judgement.objects.count() == 1


def test_nobody_elses_practice(campaign, browser):
    """SEC-08."""
    other, _ = newcomer(campaign, "R2")
    agree(other, campaign)
    other.get(f"/rate/{campaign.key}/practice/")
    theirs = participation_of(campaign, "R2").assignments.practice()[0].key
    url = f"/rate/{campaign.key}/practice/"
    form = {"assignment": theirs, "client_key": "key-00000001", "score": "64"}
    assert browser.post(url, form).status_code == 404
    assert browser.get(f"{url}item/{theirs}").status_code == 404
    assert answer(browser, campaign, theirs).status_code == 404 and Judgement.objects.count() == 0


def test_practice_counts_nowhere(campaign, browser, tmp_path):
    """Not in progress, overview, plan, exports, scores, mean and spread, nor in a package."""
    campaign.settings |= {"guidelines": {"de": "Lies **alles**."}}
    campaign.save()
    before = run("export_plan", campaign.name)[0]
    n_items = len(before.split("\n")) - 2
    practise(browser, campaign, "70", "70", "10", "95")
    begin(browser, campaign)
    rater = participation_of(campaign)
    page = browser.get(f"/rate/{campaign.key}/")
    assert page.context["progress"]["done"] == 0
    assert page.context["progress"]["total"] == rater.assignments.counted().count()
    for _ in range(page.context["progress"]["total"]):
        assert send_form(browser, campaign, score="50")[1].status_code == 302
    assert participation_of(campaign).state == Participation.State.FINISHED
    assert run("export_plan", campaign.name)[0] == before and n_items > 0
    rows, _ = run("export_judgements", campaign.name, "--format", "csv")
    assert "practice" not in rows and "Übung" not in rows and "70" not in rows.split("\n")[1:][0].split(",")
    assert set(ratings_read(campaign).table.score.tolist()) == {50.0}
    scores = json.loads(run("score_campaign", campaign.name, "--format", "json")[0])
    assert sum(row["n_judgements"] for row in scores["systems"]) == rater.assignments.counted().count()
    assert run("export_study", campaign.study.name, "--output", str(tmp_path / "x.zip"))
    assert "equal" in run("verify_study", str(tmp_path / "x.zip"))[0]


def test_practice_items_are_items_of_their_kind_that_need_nobody(campaign):
    made = Item.objects.filter(campaign=campaign, kind=Item.Kind.PRACTICE)
    assert made.count() == 4 and not made.exclude(wanted=0, given=0).exists()
    assert campaign.study.testsets.filter(segments__items__in=made).count() == 0
    assert Assignment.objects.practice().count() == 0  # given when somebody comes


def test_a_choice_is_practised_too():
    drafts = (
        PracticeDraft(PRACTICE, "", ("gut", "schlecht"), choice="left", why="The *right* one breaks off."),
        PracticeDraft(PRACTICE, "", ("eins", "eins"), choice="equal"),
    )
    campaign = asking("Flow", "pairwise_fluency", practice=drafts)
    browser, _ = newcomer(campaign)
    agree(browser, campaign)
    page = browser.get(f"/rate/{campaign.key}/practice/")
    assert [text["text"] for text in page.context["screen"]["candidates"]] == ["gut", "schlecht"]
    first, second = practise(browser, campaign, "left", "right", field="choice")
    told = words(browser.get(first.url))
    assert "As expected" in told and "Your answer A" in told and "The right one breaks off." in told
    assert "Expected Equal" in words(browser.get(second.url))
    assert "1 of 2" not in words(browser.get(f"/rate/{campaign.key}/practice/"))
    assert begin(browser, campaign).status_code == 302


@pytest.mark.parametrize("protocol", ["source_da", "reference_da", "pairwise_fluency"])
def test_practice_is_made_from_the_test_set(protocol):
    """Half human translations, half damaged ones; from segments that are not judged while there are any."""
    campaign = asking("Made", protocol, practice=4, calibration=2, n_segments=12, segments="5")
    items = list(Item.objects.filter(campaign=campaign, kind="practice").order_by("occurrence"))
    assert [item.group for item in items] == ["practice"] * 4 + ["calibration"] * 2
    expected = campaign.settings["expected"]
    texts = [[one.text for one in item.candidates.order_by("position")] for item in items]
    if protocol == "pairwise_fluency":
        assert sorted(one["choice"] for one in expected) == ["left"] * 3 + ["right"] * 3
        assert all(left != right for left, right in texts)
    else:
        assert sum(one["low"] == 60 for one in expected) == 3
        assert sum(one["high"] == 50 for one in expected) == 3
        contexts = {item.context_version.name for item in items}
        assert contexts == {"source" if protocol == "source_da" else "reference"}
    judged = set(
        Item.objects.filter(campaign=campaign, kind="system").values_list("segment__position", flat=True)
    )
    human = list(
        campaign.study.testsets.get()
        .versions.get(side="target")
        .texts.values_list("segment__position", "text")
    )
    used = {position for position, text in human if any(text in pair for pair in texts)}
    assert used and not used & judged


def test_the_same_seed_makes_the_same_practice_and_another_plan_is_not_disturbed():
    plain = asking("Plain", n_segments=12, segments="5", seed=7)
    made = asking("Made", practice=3, n_segments=12, segments="5", seed=7)
    again = asking("Again", practice=3, n_segments=12, segments="5", seed=7)
    assert made.settings["expected"] == again.settings["expected"]

    def plan(campaign):
        lines = run("export_plan", campaign.name)[0].split("\n")[1:-1]
        return [line.split(",")[1:4] + line.split(",")[5:] for line in lines]

    assert plan(plain) == plan(made)


CSV = "source,translation,low,high,why\n"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (CSV + "A,B,1,200,\n", "line 2: high (200) is outside the scale 1-100"),
        (CSV + "A,B,90,10,\n", "low (90) is above high (10)"),
        (CSV + "A,,1,20,\n", "translation is empty"),
        (CSV + ",B,1,20,\n", "source is empty"),
        (CSV + "A,B,x,20,\n", "low is no whole number"),
        (CSV + f"A,B,1,20,{'x' * 2001}\n", "explanation has 2,001 characters"),
        (CSV, "holds no item"),
        ("source,translation,low,high,secret\nA,B,1,2,3\n", "column “secret”"),
        (CSV + "A,B,1\n", "3 fields, 5 expected"),
        (CSV + "A,B,1,20,\n" * 51, "more than 50"),
    ],
)
def test_faulty_files_of_practice_are_refused_with_line_and_reason(content, says, tmp_path, files):
    path = tmp_path / "practice.csv"
    path.write_text(content)
    said = refused("create_campaign", "Bad", *files, "--practice", path)
    assert says in said


def test_files_of_all_kinds_give_the_same_items(tmp_path, files):
    (tmp_path / "a.csv").write_text(CSV + '"A, b",B,1,20,"Because **x**, y"\n')
    (tmp_path / "b.tsv").write_text("source\ttranslation\tlow\thigh\twhy\nA, b\tB\t1\t20\tBecause **x**, y\n")
    row = {"source": "A, b", "translation": "B", "low": 1, "high": 20, "why": "Because **x**, y"}
    (tmp_path / "c.jsonl").write_text(json.dumps(row) + "\n\n")
    found = []
    for place, name in enumerate(("a.csv", "b.tsv", "c.jsonl")):
        run("create_campaign", f"F{place}", *files, "--calibration", tmp_path / name, "--study", f"S{place}")
        item = Item.objects.get(campaign__name=f"F{place}", kind="practice")
        found.append((item.group, item.candidates.get().text, item.campaign.settings["expected"]))
    assert found == [("calibration", "B", [{"low": 1, "high": 20, "why": "Because **x**, y"}])] * 3


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"source":"a","source":"c","translation":"b","low":1,"high":5}', "the key “source” stands twice"),
        ('{"source":"a","translation":"b","low":1,"high":5,"why":{"a":1}}', "why is no text"),
        ('{"source":"a","translation":"b","low":1,"high":5,"why":7}', "why is no text"),
        ('{"source":"a","translation":"b","low":1.5,"high":5}', "low is no whole number"),
    ],
)
def test_json_lines_that_cannot_be_used(line, says, tmp_path, files):
    (tmp_path / "p.jsonl").write_text(line + "\n")
    assert says in refused("create_campaign", "Bad", *files, "--practice", tmp_path / "p.jsonl")


def test_practice_needs_a_human_translation_to_be_made_from(files):
    without = [part for part in files if "reference" not in str(part)]
    assert "no human translation" in refused("create_campaign", "Bare", *without, "--practice", "2")
    assert "cannot be made" in refused("create_campaign", "Few", *files, "--practice", "40")
    assert "cannot be used" in refused("create_campaign", "Many", *files, "--practice", "51")


@pytest.fixture
def files(tmp_path):
    def written(name, line):
        path = tmp_path / name
        path.write_text("".join(f"{line} {n} {n * n} ends here.\n" for n in range(6)))
        return path

    return [
        "--protocol", "source_da", "--languages", "en-de", "--raters", "2", "--judgements", "1",
        "--source", written("source", "Ship of the line"),
        "--reference", written("reference", "Das Schiff der Linie"),
        "--output", f"A={written('a', 'Schiff Linie')}",
    ]  # fmt: skip


def test_who_joins_practises_as_well(settings):
    settings.SECRET_KEY = "x" * 50
    campaign = asking("Joined", practice=scale_items(PRACTICE, (60, 100)), joins=True)
    from django.test import Client

    browser = Client()
    browser.post(join_address(campaign), {"PROLIFIC_PID": "abc"})
    agree(browser, campaign)
    practise(browser, campaign, "70")
    assert begin(browser, campaign).url == f"/rate/{campaign.key}/"
    assert browser.get(f"/rate/{campaign.key}/").status_code == 200
    assert rater_client(participation_of(campaign, "R2")) is not None and keys(
        participation_of(campaign, "R2")
    )


@pytest.mark.parametrize(
    "option", ["--practice", "--calibration", "--guidelines", "--consent", "--raters", "--attention"]
)
@pytest.mark.parametrize("content", [b"\xff\xfe\x00\xd8\x00", b"a\x00b\n", b"\x1f\x8b\x08broken", None])
def test_files_that_hold_no_text_are_refused_in_one_line(option, content, tmp_path, files):
    path = tmp_path / "odd.csv"
    path.mkdir() if content is None else path.write_bytes(content)
    without = [part for part in files if part not in ("--raters", "2")] if option == "--raters" else files
    assert refused("create_campaign", "Bad", *without, option, path)
