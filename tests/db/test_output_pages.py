"""An output is read beside source and reference, by page and API, and comes back as it was imported."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from mtcore.models import SystemOutput
from tests.factories.api import client_of as api_of
from tests.factories.commands import run
from tests.factories.files import write_lines
from tests.factories.pages import client_of

pytestmark = pytest.mark.django_db

SOURCES = [f"The {n}th boat leaves the harbour in the evening." for n in range(1, 31)]
OUTPUTS = [f"Das {n}. Boot verlässt den Hafen am <b>Abend</b>." for n in range(1, 31)]
OUTPUTS[4] = ""
OUTPUTS[5] = SOURCES[5]
OUTPUTS[6] = "Boot " * 60
OUTPUTS[7] = "Boot"


@pytest.fixture
def output(tmp_path):
    """Thirty lines, four of them odd, of which the first ten are direct."""
    files = {
        "s": SOURCES,
        "r": [f"Am Abend läuft Boot {n} aus." for n in range(1, 31)],
        "w": [f"Boot {n} fährt abends." for n in range(1, 31)],
        "o": OUTPUTS,
        "d": ["direct"] * 10 + ["reverse"] * 20,
    }
    at = {name: write_lines(tmp_path / name, lines) for name, lines in files.items()}
    run("import_testset", "Pier", "--languages", "en-de", "--source", at["s"], "--reference", f"r={at['r']}",
        f"w={at['w']}", "--direction", at["d"])  # fmt: skip
    run("import_output", "Pier", "OP", at["o"])
    return SystemOutput.objects.get()


@pytest.fixture
def ann():
    return client_of(User.objects.create_user("ann"))


def page_of(client, output, **query):
    answer = client.get(reverse("output", args=[output.pk]), query)
    assert answer.status_code == 200, answer.content
    return answer


def lines_of(answer):
    return [row["line"].segment.position for row in answer.context["lines"]]


def test_a_test_set_leads_to_its_outputs_and_a_system_too(output, ann):
    address = reverse("output", args=[output.pk])
    assert f'href="{address}"' in ann.get(reverse("testset", args=[output.testset_id])).content.decode()
    admin = client_of(User.objects.create_superuser("root"))
    assert f'href="{address}"' in admin.get(reverse("system", args=[output.system_id])).content.decode()


def test_lines_stand_beside_source_and_reference_and_markup_is_text(output, ann):
    answer = page_of(ann, output)
    text = answer.content.decode()
    assert lines_of(answer) == list(range(1, 26))
    for shown in (
        SOURCES[0],
        "Das 1. Boot verlässt den Hafen am &lt;b&gt;Abend&lt;/b&gt;.",
        "Am Abend läuft Boot 1 aus.",
    ):
        assert shown in text
    assert "<b>Abend" not in text and "Boot 1 fährt abends." not in text
    assert "Boot 1 fährt abends." in page_of(ann, output, reference="w").content.decode()
    assert ann.get(reverse("output", args=[output.pk]), {"reference": "none"}).status_code == 404
    assert f"{output.sha256}" in text and ">o<" in text, "checksum and name of the file"


def test_pages_go_on_from_a_line_within_what_is_chosen(output, ann):
    assert lines_of(page_of(ann, output, line=28)) == [28, 29, 30]
    assert page_of(ann, output, line=28).context["look"].previous == 3
    first = page_of(ann, output)
    assert (first.context["look"].previous, first.context["look"].next) == (0, 26)
    assert lines_of(page_of(ann, output, direction="direct")) == list(range(1, 11))
    assert lines_of(page_of(ann, output, direction="reverse", line=5)) == list(range(11, 31))[:25]
    assert lines_of(page_of(ann, output, line="x")) == list(range(1, 26))
    assert "is like that" in page_of(ann, output, line=99).content.decode()
    assert ann.get(reverse("output", args=[output.pk]), {"check": "odd"}).status_code == 400


def test_each_check_finds_its_line_and_no_other(output, ann):
    looks = {
        check: lines_of(page_of(ann, output, check=check)) for check in ("blank", "copied", "long", "short")
    }
    assert looks == {"blank": [5], "copied": [6], "long": [7], "short": [8]}
    assert page_of(ann, output, check="lost").context["look"].n_found == 0
    output.lines.filter(segment__position=5).update(status="too_long")
    assert lines_of(page_of(ann, output, check="lost")) == [5]
    assert page_of(ann, output, direction="reverse").context["look"].counts["copied"] == 0


def test_the_file_is_what_was_imported(output, ann, tmp_path):
    answer = ann.get(reverse("output_file", args=[output.pk]))
    again = tmp_path / "again.txt"
    again.write_bytes(b"".join(answer.streaming_content))
    assert again.read_text("utf-8") == "".join(f"{line}\n" for line in OUTPUTS)
    run("import_output", "Pier", "OP", again)
    assert SystemOutput.objects.get() == output
    assert 'filename="Pier.OP.source.txt"' in answer["Content-Disposition"]


def test_the_api_says_the_same(output):
    ann = api_of("bob")
    answer = ann.get(reverse("api_output_lines", args=[output.pk]), {"first": 5, "limit": 2})
    body = answer.json()
    assert (body["count"], body["previous"], body["next"]) == (30, 3, 7)
    assert body["checks"] == {"blank": 1, "copied": 1, "long": 1, "short": 1, "lost": 0}
    assert body["lines"][0] == {
        "line": 5, "segment": "5", "document": None, "direction": "direct", "source": SOURCES[4], "text": "",
        "reference": "Am Abend läuft Boot 5 aus.", "status": "blank", "checks": ["blank"],
    }  # fmt: skip
    for query in ({"check": "odd"}, {"first": 0}, {"limit": 1001}, {"lines": 3}):
        assert ann.get(reverse("api_output_lines", args=[output.pk]), query).status_code == 400, query
    text = b"".join(ann.get(reverse("api_output_text", args=[output.pk])).streaming_content)
    assert text.decode() == "".join(f"{line}\n" for line in OUTPUTS)


def test_names_of_corpora_are_for_administrators(output, ann):
    output.provenance = {"recipe": "op", "corpora": [{"name": "secret-corpus"}], "checkpoints": ["ab12"]}
    output.save()
    api = reverse("api_output", args=[output.pk])
    admin = client_of(User.objects.create_superuser("root"))
    for client, is_told in ((ann, False), (admin, True)):
        text = page_of(client, output).content.decode()
        assert "ab12" in text and ("secret-corpus" in text) is is_told
        for address in (api, reverse("api_outputs", args=[output.testset_id])):
            assert ("secret-corpus" in client.get(address).content.decode()) is is_told


def test_right_to_left_text_runs_so(tmp_path, ann):
    source = write_lines(tmp_path / "s", ["The boat is here."])
    made = write_lines(tmp_path / "o", ["القارب هنا."])
    run("import_testset", "Dhow", "--languages", "en-ar", "--source", source)
    run("import_output", "Dhow", "OP", made)
    text = page_of(ann, SystemOutput.objects.get()).content.decode()
    assert '<td lang="ar" dir="rtl" class="own" data-label="OP">القارب هنا.' in text
    assert '<td lang="en" dir="ltr" data-label="source:source">The boat is here.' in text
