"""What is made on the page for a new campaign is what was checked there."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotation.models import Assignment, Campaign
from tests.factories.campaigns import make_campaign

pytestmark = pytest.mark.django_db


def test_the_seed_that_a_check_drew_makes_the_campaign():
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    make_campaign(name="texts", n_segments=7)
    wish = {
        "name": "made", "protocol": "source_da", "testsets": ["texts"], "systems": ["OP", "BT"],
        "raters": "3", "judgements": "2", "seed": "", "bad_references": "0.5", "repeats": "0.3",
        "scale_low": "1", "scale_high": "100", "practice": "0", "calibration": "0", "action": "check",
    }  # fmt: skip
    page = client.post("/campaigns/new/", wish).content.decode()
    found = re.search(r'<input type="number" name="seed" value="(\d+)"', page)
    assert found, page
    judgements = re.search(r"<dt>Judgements</dt><dd>([\d,]+)</dd>", page)
    answer = client.post("/campaigns/new/", wish | {"action": "draft", "seed": found.group(1)})
    assert answer.status_code == 302, answer.content.decode()
    made = Campaign.objects.get(name="made")
    assert made.seed == int(found.group(1))
    assert judgements and Assignment.objects.filter(item__campaign=made).count() == int(judgements.group(1))
