"""Every option of `create_campaign` has its field on the page and in the API, and means the same there."""

import json

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management.base import BaseCommand
from django.test import Client

from annotation.management.commands.create_campaign import Command
from annotation.models import Assignment, Campaign, Item
from tests.factories.campaigns import make_campaign
from tests.factories.commands import run

pytestmark = pytest.mark.django_db

FILES = {
    "raters.txt": "Ada\nBen\nCem\n",
    "guidelines.md": "# Look\n\nat *meaning*.\n",
    "de.md": "# Schau\n",
    "consent.txt": "I agree.\n\nFreely.\n",
    "practice.csv": 'source,translation,low,high,why\n"It, late",Es ist spät,2,5,**All** is there\n',
    "calibration.jsonl": '{"source": "Red", "translation": "Blau", "low": 1, "high": 4}\n',
    "attention.csv": "translation,low,high\nPlease give 4,4,4\n",
}
PRACTICE = [
    {"source": "It, late", "translation": "Es ist spät", "low": 2, "high": 5, "why": "**All** is there"}
]
CALIBRATION = [{"source": "Red", "translation": "Blau", "low": 1, "high": 4}]
PLAIN = {"raters": "3", "judgements": "2", "seed": "11"}
PAIRS = {"protocol": "pairwise_fluency"}

#: Option → cases: (arguments of the command, fields of the page, body of the API). "@" is a file.
OPTIONS = {
    "name": [([], {}, {})],
    "protocol": [(["--protocol", "pairwise_fluency"], PAIRS, PAIRS)],
    "testset": [(["--testset", "more"], {"testsets": ["texts", "more"]}, {"testsets": ["texts", "more"]})],
    "systems": [(["--systems", "OP"], {"systems": ["OP"]}, {"systems": ["OP"]})],
    "inputs": [(["--inputs", "X"], {"inputs": "X"}, {"inputs": ["X"]})],
    "references": [
        (
            ["--protocol", "reference_da", "--references", "reference"],
            {"protocol": "reference_da", "versions": "reference"},
            {"protocol": "reference_da", "versions": ["reference"]},
        )
    ],
    "raters": [
        (["--raters", "4"], {"raters": "4"}, {"raters": 4}),
        (["--raters", "@raters.txt"], {"raters": "@raters.txt"}, {"raters": ["Ada", "Ben", "Cem"]}),
    ],
    "judgements": [(["--judgements", "3"], {"judgements": "3"}, {"judgements": 3})],
    "segments": [(["--segments", "2-4"], {"segments": "2-4"}, {"segments": "2-4"})],
    "pairs": [
        (
            ["--protocol", "pairwise_fluency", "--pairs", "OP"],
            PAIRS | {"pairs": "OP"},
            PAIRS | {"pairs": "OP"},
        )
    ],
    "spread": [(["--spread"], {"spread": "on"}, {"spread": True})],
    "scale": [(["--scale", "0-6"], {"scale_low": "0", "scale_high": "6"}, {"scale": [0, 6]})],
    "seed": [(["--seed", str(2**63 - 1)], {"seed": str(2**63 - 1)}, {"seed": 2**63 - 1})],
    "low_label": [(["--low-label", "bad"], {"low_label": "bad"}, {"settings": {"low_label": "bad"}})],
    "high_label": [(["--high-label", "good"], {"high_label": "good"}, {"settings": {"high_label": "good"}})],
    "context_segments": [
        (["--context-segments", "0"], {"context_segments": "0"}, {"settings": {"context_segments": 0}})
    ],
    "allow_skip": [(["--allow-skip"], {"can_skip": "on"}, {"settings": {"can_skip": True}})],
    "break_after": [(["--break-after", "0"], {"break_after": "0"}, {"settings": {"break_after": 0}})],
    "bad_references": [
        (["--bad-references", "0.5"], {"bad_references": "0.5"}, {"settings": {"bad_references": 0.5}})
    ],
    "repeats": [(["--repeats", "0.5"], {"repeats": "0.5"}, {"settings": {"repeats": 0.5}})],
    "quality_control": [
        (
            ["--quality-control"],
            {"bad_references": "0.5", "repeats": "0.3"},
            {"settings": {"bad_references": 0.5, "repeats": 0.3}},
        )
    ],
    "reference_as_system": [
        (
            ["--reference-as-system"],
            {"reference_as_system": "on"},
            {"settings": {"reference_as_system": True}},
        )
    ],
    "sealed": [(["--sealed"], {"sealed": "on"}, {"settings": {"sealed": True}})],
    "attention": [
        (
            ["--attention", "@attention.csv"],
            {"attention": "@attention.csv"},
            {"settings": {"attention": [{"translation": "Please give 4", "low": 4, "high": 4}]}},
        )
    ],
    "native": [
        (["--native", "target", "fr"], {"native": "target, fr"}, {"settings": {"native": ["target", "fr"]}})
    ],
    "fluent": [(["--fluent", "source"], {"fluent": "source"}, {"settings": {"fluent": ["source"]}})],
    "require": [
        (
            ["--require", "paper", "--native", "fr"],
            {"paper": "on", "native": "fr"},
            {"settings": {"native": ["target", "fr"], "fluent": ["source"]}},
        ),
        (
            ["--require", "paper", "--protocol", "pairwise_fluency"],
            PAIRS | {"paper": "on"},
            PAIRS | {"settings": {"native": ["target"]}},
        ),
    ],
    "ask_profile": [(["--ask-profile"], {"asks_profile": "on"}, {"settings": {"asks_profile": True}})],
    "practice": [
        (["--practice", "2"], {"practice": "2"}, {"practice": 2}),
        (["--practice", "@practice.csv"], {"practice_items": "@practice.csv"}, {"practice": PRACTICE}),
    ],
    "calibration": [
        (["--calibration", "2"], {"calibration": "2"}, {"calibration": 2}),
        (
            ["--calibration", "@calibration.jsonl"],
            {"calibration_items": "@calibration.jsonl"},
            {"calibration": CALIBRATION},
        ),
    ],
    "joins": [(["--joins"], {"joins": "on"}, {"settings": {"joins": True}})],
    "joins_an_hour": [(["--joins-an-hour", "7"], {"joins_an_hour": "7"}, {"settings": {"joins_an_hour": 7}})],
    "return_url": [
        (
            ["--return-url", "https://panel.example.org/?cc={code}"],
            {"return_url": "https://panel.example.org/?cc={code}"},
            {"settings": {"return_url": "https://panel.example.org/?cc={code}"}},
        )
    ],
    "pool": [
        (["--pool", "--joins"], {"pool": "on", "joins": "on"}, {"pool": True, "settings": {"joins": True}})
    ],
    "lease_minutes": [
        (
            ["--pool", "--lease-minutes", "5"],
            {"pool": "on", "lease_minutes": "5"},
            {"pool": True, "settings": {"lease_minutes": 5}},
        )
    ],
    "most_items": [
        (
            ["--pool", "--most-items", "9"],
            {"pool": "on", "most_items": "9"},
            {"pool": True, "settings": {"most_items": 9}},
        )
    ],
    "reading": [(["--reading", "pairwise"], {"reading": "pairwise"}, {"settings": {"reading": "pairwise"}})],
    "points": [(["--points", "12.5"], {"points": "12.5"}, {"settings": {"points": 12.5}})],
    "treatment": [(["--treatment", "pool"], {"treatment": "pool"}, {"settings": {"treatment": "pool"}})],
    "guidelines": [
        (
            ["--guidelines", "@guidelines.md", "de=@de.md"],
            {"guidelines": "@guidelines.md", "guidelines_de": "@de.md"},
            {"guidelines": FILES["guidelines.md"], "settings": {"guidelines": {"de": FILES["de.md"]}}},
        )
    ],
    "consent": [
        (["--consent", "@consent.txt"], {"consent": "@consent.txt"}, {"consent": FILES["consent.txt"]})
    ],
    "study": [(["--study", "both"], {"study": "both"}, {"study": "both"})],
    "draft": [(["--draft"], {"action": "draft"}, {"opened": False})],
}
ELSEWHERE = {
    "source": "texts are imported on the pages of test sets, which the form leads to",
    "reference": "as the source",
    "output": "outputs are imported on the page of their test set",
    "direction": "it is said where the test set is imported",
    "languages": "they stand beside each test set that can be ticked",
    "owner": "who is signed in owns a study that is made",
    "base_url": "links on pages begin with the address of the page",
    "dry_run": "the button that checks; nothing is written before the next one",
}
"""Options without a field, and where a page has what they do."""


def options_of(command):
    return {one.dest for one in command.create_parser("manage.py", "create_campaign")._actions}


def test_every_option_is_in_the_table():
    class Bare(BaseCommand):
        pass

    assert options_of(Command()) - options_of(Bare()) == OPTIONS.keys() | ELSEWHERE.keys()
    assert not OPTIONS.keys() & ELSEWHERE.keys()


def kept(name):
    """Return all that is stored of a campaign, without its name and keys."""
    found = Campaign.objects.get(name=name)
    columns = (
        "protocol", "source_language", "target_language", "state", "mode", "judgements", "scale_low",
        "scale_high", "seed", "spread", "pairs", "guidelines", "consent", "settings", "notes",
    )  # fmt: skip
    items = Item.objects.filter(campaign=found).order_by("kind", "pk")
    texts = items.values_list("kind", "group", "candidates__text", "segment__position")
    dealt = Assignment.objects.filter(item__campaign=found)
    return {
        **{column: getattr(found, column) for column in columns},
        "texts": sorted(map(str, texts)),
        "raters": list(found.participations.order_by("pk").values_list("rater__name", flat=True)),
        "plan": sorted(map(str, dealt.values_list("participation__rater__name", "position", "swap"))),
        "study": found.study.name.replace(name, "NAME"),
    }


@pytest.fixture
def world(tmp_path, settings):
    settings.DATA_DIR = tmp_path
    cache.clear()
    make_campaign(name="texts", n_segments=5)
    make_campaign(name="more", n_segments=5)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    return client, tmp_path


def by_command(folder, name, arguments):
    base = {"--protocol": ["source_da"], "--systems": ["OP,BT"], "--raters": ["3"], "--judgements": ["2"]}
    given = [one for one in base if one not in arguments]
    rest = [word for one in given for word in (one, *base[one])]
    seed = [] if "--seed" in arguments else ["--seed", "11"]
    told = [one.replace("@", f"{folder}/") for one in arguments]
    run("create_campaign", name, *rest, *seed, "--testset", "texts", *told)


def by_page(client, name, fields):
    files = {
        f"{field}_file": SimpleUploadedFile(text[1:], FILES[text[1:]].encode())
        for field, text in fields.items()
        if isinstance(text, str) and text.startswith("@")
    }
    asked = PLAIN | {
        "name": name, "protocol": "source_da", "testsets": ["texts"], "systems": ["OP", "BT"],
        "bad_references": "0", "repeats": "0", "scale_low": "1", "scale_high": "100", "practice": "0",
        "calibration": "0", "action": "open",
    }  # fmt: skip
    given = {field: text for field, text in fields.items() if f"{field}_file" not in files}
    answer = client.post("/campaigns/new/", asked | given | files)
    assert answer.status_code == 302, answer.context["form"].errors


def by_api(client, name, body):
    asked = {"name": name, "protocol": "source_da", "testsets": ["texts"], "systems": ["OP", "BT"]}
    asked |= {"raters": 3, "judgements": 2, "seed": 11} | body
    answer = client.post("/api/v1/campaigns/", json.dumps(asked), content_type="application/json")
    assert answer.status_code == 201, answer.content.decode()


def apart(fields):
    """Tell whether a case cannot be joined with any other."""
    return not {"protocol", "pool"}.isdisjoint(fields)


def united():
    """Give groups of cases that can be asked for at once: (options, arguments, fields, body)."""
    groups = []
    for option, cases in OPTIONS.items():
        for arguments, fields, body in cases:
            free = (one for one in groups if option not in one[0] and fields.keys().isdisjoint(one[2]))
            group = next((one for one in free if not apart(fields) and not apart(one[2])), None)
            if group is None:
                groups.append(([option], list(arguments), dict(fields), json.loads(json.dumps(body))))
                continue
            names, words, named, asked = group
            names.append(option)
            words += arguments
            named |= fields
            more = asked.setdefault("settings", {})
            more |= body.get("settings", {})
            asked |= {key: value for key, value in body.items() if key != "settings"}
    return groups


GROUPS = [pytest.param(*group, id=group[0][0]) for group in united()]


@pytest.mark.parametrize(("options", "arguments", "fields", "body"), GROUPS)
def test_command_page_and_api_store_the_same(world, options, arguments, fields, body):
    client, folder = world
    by_command(folder, "by command", arguments)
    by_page(client, "by page", fields)
    by_api(client, "by api", body)
    wanted = kept("by command")
    assert kept("by page") == wanted
    assert kept("by api") == wanted
    asked = body.get("settings", {}).keys() - {"attention", "guidelines"}
    assert all(wanted["settings"][name] == body["settings"][name] for name in asked)


@pytest.mark.parametrize(("options", "arguments", "fields", "body"), GROUPS)
def test_a_new_one_is_made_from_one_that_is_there(world, options, arguments, fields, body):
    client, folder = world
    by_command(folder, "first", arguments)
    first = Campaign.objects.get(name="first")
    form = client.get(f"/campaigns/new/?from={first.key}").context["form"]
    shown = {name: form[name].value() for name in form.fields}
    sent = {name: value for name, value in shown.items() if value is not None and value is not False}
    action = "draft" if first.state == "draft" else "open"
    sent |= {"name": "second", "seed": first.seed, "action": action}
    answer = client.post("/campaigns/new/", sent)
    assert answer.status_code == 302, answer.context["form"].errors
    assert kept("second") | {"study": ""} == kept("first") | {"study": ""}
