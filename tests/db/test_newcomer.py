"""What somebody who meets the platform for the first time reads: pages, tables, messages."""

import csv
import io
import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Assignment, AuditEvent, Campaign, Judgement, Participation
from annotation.services.invitations import invitation_url
from annotation.services.score_table import interval, number
from evalplatform.errors import Conflict
from tests.factories.answers import answer_all
from tests.factories.campaigns import invented_lines, make_campaign
from tests.factories.commands import refused, run
from tests.factories.files import write_lines
from tests.factories.people import words
from tests.factories.rating import answer, keys, participation_of, rater_client, rating_campaign, send_form

pytestmark = pytest.mark.django_db


@pytest.fixture
def root():
    client = Client()
    client.force_login(User.objects.create_superuser("root", password="harbour-root"))
    return client


@pytest.fixture
def texts(tmp_path):
    """Files of 8 lines: source, references, outputs for two inputs."""
    marks = ["src", "r1", "wmt", "back", "op", "bt", "op-back", "bt-back"]
    return {
        mark: write_lines(tmp_path / mark, invented_lines(8, seed=seed, mark=f"{mark} "))
        for seed, mark in enumerate(marks)
    }


def import_both_ways(texts):
    """Import a direct set with X and X**, and a reverse one with two X*."""
    double = ["--double-translation", f"source={texts['back']}", "--derived-from", "r1"]
    common = ["--languages", "en-de", "--reference", f"r1={texts['r1']}", f"wmt={texts['wmt']}"]
    out = run(
        "import_testset", "z-direct", *common, "--direction", "direct", "--source", texts["src"], *double
    )
    run(
        "import_testset", "a-reverse", "--languages", "en-de", "--direction", "reverse",
        "--source", f"r1={texts['src']}", f"wmt={texts['back']}", "--reference", texts["r1"],
    )  # fmt: skip
    for system in ("OP", "BT"):
        own = texts[system.lower()], texts[f"{system.lower()}-back"]
        for testset, inputs in (("z-direct", ("source", "double")), ("a-reverse", ("r1", "wmt"))):
            for path, version in zip(own, inputs, strict=True):
                run("import_output", testset, system, path, "--input", version)
    return out[0]


@pytest.fixture
def conditions(texts):
    """A scored campaign over four conditions."""
    import_both_ways(texts)
    run(
        "create_campaign", "four", "--protocol", "source_da", "--testset", "a-reverse", "z-direct",
        "--systems", "OP,BT", "--inputs", "source", "double", "r1", "wmt", "--raters", 2, "--judgements", 1,
    )  # fmt: skip
    campaign = Campaign.objects.get()
    answer_all(campaign)
    return campaign


def test_conditions_come_in_order_under_headings_of_their_own(conditions, root):
    table, _ = run("score_campaign", "four", "--by", "condition")
    headings = [line for line in table.split("\n") if " · " in line and line.startswith("X")]
    expected = ["X · z-direct", "X** · z-direct", "X* · a-reverse", "X* (wmt) · a-reverse"]
    assert headings == expected * 2  # systems, pairs
    assert "Condition" not in table and "Pooled" not in table
    page = root.get(reverse("campaign_results", args=[conditions.key]), {"by": "condition"}).content.decode()
    assert re.findall(r'scope="rowgroup">([^<]+)<', page) == expected * 2


def test_scores_over_several_conditions_say_so(conditions, root):
    table, _ = run("score_campaign", "four")
    assert "Note: Pooled over 4 conditions (X, X**, X*, X* (wmt)): see --by condition." in table
    page = root.get(reverse("campaign_results", args=[conditions.key]), {"seed": "7"}).content.decode()
    link = re.search(r'Pooled over 4 conditions .*?<a href="([^"]+)"', page)[1].replace("&amp;", "&")
    assert (
        "seed=7" in link
        and root.get(reverse("campaign_results", args=[conditions.key]) + link).context["result"]["options"][
            "by_condition"
        ]
    )


def test_one_condition_is_not_pooled():
    answer_all(make_campaign(name="one"))
    assert "Pooled" not in run("score_campaign", "one")[0]


def test_a_comparison_without_judgements_is_refused_like_a_rating(root):
    campaign = make_campaign("pairwise_fluency", name="fluency", n_segments=4, identical=(0, 1))
    assert "“fluency” has no judgements yet" in refused("score_campaign", "fluency")
    page = root.get(reverse("campaign_results", args=[campaign.key])).content.decode()
    assert "has no judgements yet" in page and "<table" not in page


def test_zero_has_no_minus_sign():
    assert (number(-0.0004, 3), number(-0.0005001, 3), number(-0.0, 0)) == ("0.000", "−0.001", "0")
    assert interval([-0.00001, 0.2], 2) == "0.00 … 0.20"


def test_many_pairs_are_folded(root):
    campaign = make_campaign(name="many", n_segments=2, systems=[f"S{n}" for n in range(6)])
    answer_all(campaign)
    page = root.get(reverse("campaign_results", args=[campaign.key])).content.decode()
    assert "Show the 15 pairs" in page and page.index("Systems") < page.index('<details class="fold"')


@pytest.mark.parametrize("query", [{"sed": "3"}, {"population": "everyone"}])
def test_unknown_options_are_400_on_the_page_as_in_the_api(query, root):
    campaign = make_campaign(name="c")
    answer_all(campaign)
    for name in ("campaign_results", "api_scores"):
        assert root.get(reverse(name, args=[campaign.key]), query).status_code == 400


def test_reports_and_comments_reach_the_researcher(root):
    campaign = rating_campaign()
    rater = participation_of(campaign)
    browser = rater_client(rater)
    first, second, *_ = keys(rater)
    answer(browser, campaign, first, comment="A <b>word</b> is missing.")
    for text in ("The source is cut off.", "Wrong language!"):
        sent = {"assignment": second, "text": text}
        browser.post(f"/rate/{campaign.key}/problem", sent, content_type="application/json")
    page = root.get(reverse("campaign", args=[campaign.key])).content.decode()
    assert '<a href="#problems">2</a>' in page and 'id="problems"' in page
    assert page.index("Wrong language!") < page.index("The source is cut off.")
    assert "A &lt;b&gt;word&lt;/b&gt; is missing." in page
    segment = Assignment.objects.get(key=second).item.segment.key
    row = re.search(r"<tr>(?:(?!</tr>).)*Wrong language!", page, re.DOTALL)[0]
    link = re.search(r'href="([^"]+)"', row)[1].replace("&amp;", "&")
    assert "Text 1 of segment" in root.get(link).content.decode()
    assert "R1" in row and f">{segment}</a> " in row and re.search(r"\d\d:\d\d UTC", row)


def test_what_raters_pass_over_and_why_reaches_the_researcher(root, tmp_path):
    campaign = make_campaign(n_segments=8, raters=4, judgements=2)
    campaign.settings = {"can_skip": True}
    campaign.save()
    answer_all(campaign, share=0.5)
    rater = participation_of(campaign)
    browser = rater_client(rater)
    for key, reason in zip(keys(rater)[-2:], ("I do not know <b>this</b> dialect.", ""), strict=True):
        sent = {"assignment": key, "reason": reason}
        browser.post(f"/rate/{campaign.key}/skip", sent, content_type="application/json")
    page = root.get(reverse("campaign", args=[campaign.key])).content.decode()
    assert '<a href="#skips">2</a>' in page and 'id="skips"' in page
    row = re.search(r"<tr>(?:(?!</tr>).)*I do not know &lt;b&gt;this&lt;/b&gt; dialect", page, re.DOTALL)[0]
    segment = AuditEvent.objects.filter(action="assignment.skipped").earliest("pk").data["segment"]
    assert "R1" in row and f">{segment}</a> " in row
    assert page.count("Passed over") == 1 and '<td class="n">2</td>' in page
    report, _ = run("report_campaign", campaign.name)
    assert "passed over: 2" in report
    run("export_study", campaign.study.name, "--output", tmp_path / "package")
    trail = (tmp_path / "package" / "audit.jsonl").read_text("utf-8")
    assert trail.count('"assignment.skipped"') == 2 and f'"segment": "{segment}"' in trail


def test_a_campaign_without_remarks_has_no_such_sections(root):
    page = root.get(reverse("campaign", args=[make_campaign().key])).content.decode()
    assert "passed over" not in page.lower()
    assert "Reported problems" not in page and "Comments of raters" not in page


@pytest.fixture
def plain(texts):
    """The arguments of a campaign from plain text."""
    outputs = ["--output", f"OP={texts['op']}", "--output", f"BT={texts['bt']}"]
    return ["--protocol", "source_da", "--languages", "en-de", "--source", texts["src"], *outputs]


def test_a_new_campaign_says_its_size_and_where_it_is(plain, settings):
    settings.BASE_URL = "http://127.0.0.1:8000"
    out, err = run("create_campaign", "c", *plain, "--raters", 1, "--judgements", 1, "--segments", 1)
    assert len(out.splitlines()) == 1
    campaign = Campaign.objects.get()
    assert re.search(r"“c”: 2 items, 2 judgements; links work until \d+ \w{3} \d{4}, \d\d:\d\d UTC\.", err)
    assert f"http://127.0.0.1:8000/campaigns/{campaign.key}/" in err and "this machine only" in err
    _, err = run("create_campaign", "d", *plain, "--raters", 3, "--base-url", "https://x.example")
    assert "https://x.example/campaigns/" in err and "this machine only" not in err


def test_singular_and_plural_of_an_estimate(plain):
    one = ["--raters", 1, "--judgements", 1, "--segments", 1, "--dry-run"]
    out, err = run("create_campaign", "c", *plain, "--protocol", "pairwise_fluency", *one)
    assert out.splitlines() == ["items\t1", "judgements\t1", "R1\t1 judgement\tabout 1 minute"]
    assert "Power: 1 segment, 60 % of them decided" in err and "too few to find any preference in 80 %" in err


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ("5-2", "“5-2” goes backwards. Write 2-5"),
        ("0", "“0” asks for no segment. Give at least 1"),
        ("0-3", "begins before the first segment. Segments count from 1"),
        ("sample:0", "asks for no segment"),
        ("9", "has 8"),
    ],
)
def test_segments_that_cannot_be(plain, wish, message):
    assert message in refused("create_campaign", "c", *plain, "--raters", 3, "--segments", wish)


def test_who_comes_second_with_a_name_hears_of_the_campaign(monkeypatch):
    from tests.factories import campaigns as factory

    draft_of = factory.campaign_draft

    def slow(**arguments):
        draft = draft_of(**arguments)
        factory.campaign_create(draft=draft)  # somebody else is faster
        return draft

    monkeypatch.setattr(factory, "campaign_draft", slow)
    with pytest.raises(Conflict, match="A campaign “same” exists already"):
        make_campaign(name="same")
    assert Campaign.objects.count() == 1


def test_images_of_other_hosts_are_told_and_long_texts_refused(plain, tmp_path):
    guide = tmp_path / "guide.md"
    guide.write_text("# Read\n\n![scale](https://img.example/a.png) ![ok](data:image/png;base64,AA==)\n")
    arguments = ["create_campaign", "c", *plain, "--raters", 3, "--guidelines", guide]
    _, err = run(*arguments, "--dry-run")
    assert "1 image on other hosts (img.example), which raters will not be shown" in err
    guide.write_text("x" * 100_001)
    assert "guidelines has 100,001 characters; 100,000 are possible" in refused(*arguments)
    assert "consent text has" in refused(*arguments[:-2], "--consent", guide)


def test_a_line_that_nobody_reads_is_refused_with_its_number(texts, tmp_path):
    lines = [*invented_lines(7, seed=1), "x" * 20_001]
    long = write_lines(tmp_path / "long", lines)
    common = ["--languages", "en-de", "--source"]
    assert "long, line 8 has 20,001 characters" in refused("import_testset", "t", *common, long)
    run("import_testset", "t", *common, texts["src"])
    assert "long, line 8 has 20,001 characters" in refused("import_output", "t", "S", long)


@pytest.mark.parametrize(("name", "shown"), [("a\tb", "a<U+0009>b"), ("a|b", "a|b"), ("x" * 201, "1–200")])
def test_document_ids_are_checked_like_names(texts, tmp_path, name, shown):
    ids = write_lines(tmp_path / "ids", ["first", *[name] * 7])
    message = refused(
        "import_testset", "t", "--languages", "en-de", "--source", texts["src"], "--documents", ids
    )
    assert "ids, line 2:" in message and shown in message


def test_versions_say_what_they_are_taken_to_come_from(texts):
    rows = [line.split() for line in import_both_ways(texts).split("\n")[2:] if line]
    kinds = {row[-4]: row for row in rows}
    assert len(rows) == 4, kinds
    text = [re.sub(" +", " ", " ".join(row)) for row in rows]
    assert text[0].startswith("source written first source X 8 ")
    assert text[1].startswith("source double translation double X** r1 8 ")
    assert text[2].startswith("target translation r1 Y* source (assumed) 8 ")
    assert text[3].startswith("target alternative translation wmt Y* (wmt) source (assumed) 8 ")


def test_an_imported_campaign_has_no_links(tmp_path):
    table = tmp_path / "j.csv"
    table.write_text("rater,system,segment,score\nr1,A,1,50\nr1,B,1,60\n")
    run(
        "import_judgements", "old", table, "--format", "csv", "--protocol", "source_da",
        "--languages", "en-de",
    )  # fmt: skip
    assert "“old” were imported: it has no invitation links" in refused("campaign_links", "old")


def test_messages_quote_names():
    make_campaign(name="spring, part one")
    assert run("close_campaign", "spring, part one")[0] == "Campaign “spring, part one” is closed.\n"
    assert "The campaigns are: “spring, part one”." in refused("close_campaign", "nothing like it")


def test_what_a_leaver_leaves_is_counted_in_words():
    make_campaign(name="c", n_segments=2, judgements=1, raters=2)
    out, _ = run("withdraw_rater", "c", "R1")
    assert out.splitlines() == [
        "“R1” has left: 0 answers kept, 2 items taken back.",
        "2 items more for “R2”.",
    ]


def test_a_plan_can_be_opened_in_a_spreadsheet(root, tmp_path):
    campaign = make_campaign(name="c", n_segments=2, systems=("=1+1", "BT"))
    exact, _ = run("export_plan", "c")
    assert "=1+1" in {row["left"] for row in csv.DictReader(io.StringIO(exact))}
    address = reverse("campaign_plan", args=[campaign.key])
    sent = b"".join(root.get(address, {"flavour": "spreadsheet"}).streaming_content).decode("utf-8-sig")
    assert {row["left"] for row in csv.DictReader(io.StringIO(sent))} == {"'=1+1", "BT"}
    file = tmp_path / "plan.csv"
    run("export_plan", "c", "--flavour", "spreadsheet", "--output", file)
    assert file.read_bytes() == b"".join(root.get(address, {"flavour": "spreadsheet"}).streaming_content)
    assert root.get(address, {"flavour": "vanilla"}).status_code == 400
    assert "flavour=spreadsheet" in root.get(reverse("campaign", args=[campaign.key])).content.decode()


def test_a_returning_rater_is_welcomed_back_and_a_finished_one_gets_the_code():
    campaign = rating_campaign(n_segments=1)
    rater = participation_of(campaign)
    link = invitation_url(rater, base_url="")
    browser = rater_client(rater)
    send_form(browser, campaign)
    page = Client().get(link).content.decode()
    assert "Welcome back" in page and "1 of 2 done." in page and "Go on rating" in page
    assert Client().post(link).url == f"/rate/{campaign.key}/"
    send_form(browser, campaign)
    page = Client().get(link).content.decode()
    assert "2 of 2 done." in page and "Go on rating" not in page
    other = Client()
    finish = other.post(link).url
    assert finish == f"/rate/{campaign.key}/finish"
    assert campaign.completion_code in other.get(finish).content.decode()


def test_the_invitation_names_the_end_of_the_link_with_its_zone():
    campaign = rating_campaign(consented=False)
    rater = participation_of(campaign)
    rater.link_expires_at = timezone.now() + timedelta(days=3)
    rater.save()
    page = Client().get(invitation_url(rater, base_url="")).content.decode()
    assert re.search(r"The link works until \d+ \w{3} \d{4}, \d\d:\d\d UTC\.<", page)
    assert "Welcome back" not in page


@pytest.mark.parametrize(
    ("n", "said"), [(0, "Nothing is asked"), (1, "Your answer is saved."), (2, "Your 2 answers are saved.")]
)
def test_a_closed_campaign_speaks_of_answers_only_where_there_are_some(n, said):
    campaign = rating_campaign()
    rater = participation_of(campaign)
    browser = rater_client(rater)
    for place, key in enumerate(keys(rater)[:n]):
        answer(browser, campaign, key, client_key=f"key-0000000{place}")
    assert Judgement.objects.count() == n
    Campaign.objects.update(state="closed")
    page = Client().get(invitation_url(rater, base_url="")).content.decode()
    assert said in page and ("saved" in page) == (n > 0)


def test_a_rater_who_left_without_answers_is_not_told_of_saved_ones():
    campaign = rating_campaign()
    rater = participation_of(campaign)
    browser = rater_client(rater)
    Participation.objects.filter(pk=rater.pk).update(state="left")
    page = words(browser.get(f"/rate/{campaign.key}/finish"))
    assert "You have left" in page and "saved" not in page


def test_times_below_a_second_are_not_zero(root):
    campaign = rating_campaign()
    rater = participation_of(campaign)
    browser = rater_client(rater)
    key = keys(rater)[0]
    browser.get(f"/rate/{campaign.key}/")
    Assignment.objects.filter(key=key).update(shown_at=timezone.now() - timedelta(minutes=1))
    answer(browser, campaign, key, active_ms=300)
    page = root.get(reverse("campaign", args=[campaign.key])).content.decode()
    assert "&lt;1 s" in page and ">0 s" not in page


def test_the_admin_lists_judgements_with_their_people_in_a_fixed_number_of_queries(
    root, django_assert_max_num_queries
):
    campaign = make_campaign(name="harbour", n_segments=8)
    answer_all(campaign)
    address = reverse("admin:annotation_judgement_changelist")
    with django_assert_max_num_queries(12):
        page = root.get(address, {"q": "R2"}).content.decode()
    rows = re.findall(r'class="field-rater">([^<]+)<', page)
    assert set(rows) == {"R2"} and len(rows) == Judgement.objects.count() // 3
    assert 'class="field-campaign">harbour<' in page
    assert "Human evaluation · administration" in page and "favicon.svg" in page
    with django_assert_max_num_queries(12):
        assert root.get(reverse("admin:annotation_assignment_changelist")).status_code == 200


def test_browsers_that_ask_for_favicon_ico_find_one():
    assert Client().get("/favicon.ico").url.endswith("/static/favicon.svg")


def test_the_api_lists_what_it_has(root):
    cache.clear()  # others in this process may have asked for tokens within the minute
    campaign = make_campaign(name="c")
    answer_all(campaign)
    found = root.get("/api/v1/").json()
    assert Client().get("/api/v1/").status_code in (401, 403)
    for name in ("campaigns", "campaign", "scores", "judgements"):
        assert root.get(found[name].replace("{key}", campaign.key)).status_code == 200, name
    assert Client().post(found["token"], {}).status_code == 400


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=-1", "limit=x", "limit=", "offset=-1", "offset=1e3", "offset=²"]
)
def test_a_page_of_nonsense_is_400(root, query):
    campaign = make_campaign(name="c")
    answer_all(campaign)
    for address in ("/api/v1/campaigns/", f"/api/v1/campaigns/{campaign.key}/judgements/"):
        response = root.get(f"{address}?{query}")
        assert response.status_code == 400 and "whole number" in response.json()["remedy"]
        assert response["Content-Type"] == "application/problem+json"


def test_serving_on_another_port_says_how_links_get_it(monkeypatch, settings):
    from annotation.management.commands import serve

    settings.BASE_URL = "http://127.0.0.1:8000"
    monkeypatch.setattr(serve, "free_port", lambda wanted, host: 8003)
    monkeypatch.setattr(serve, "serve", lambda *, port, host, base_url: None)
    out, _ = run("serve")
    assert "Port 8000 is taken; using 8003." in out
    assert "  BASE_URL=http://127.0.0.1:8003\n" in out
    assert "campaign_links NAME --base-url http://127.0.0.1:8003\n" in out
    settings.BASE_URL = "https://rate.example.org"
    assert "BASE_URL=" not in run("serve")[0]


def test_serving_a_local_network_is_asked_for_and_explained(monkeypatch, settings):
    from annotation.management.commands import serve

    settings.ALLOWED_HOSTS = ["rating.lan"]
    served = []
    monkeypatch.setattr(serve, "serve", lambda *, port, host, base_url: served.append(host))
    assert "ALLOWED_HOSTS" not in run("serve")[0]
    out, _ = run("serve", "--host", "0.0.0.0")
    assert "rating.lan" in out and "without TLS" in out and "Serving on http://127.0.0.1:" in out
    assert served == ["127.0.0.1", "0.0.0.0"]
    assert "no address “203.0.113.7”" in refused("serve", "--host", "203.0.113.7")
    assert "no address “no host”" in refused("serve", "--host", "no host")
