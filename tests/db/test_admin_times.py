"""Moments in the admin carry their time zone."""

import re

import pytest
from django.urls import reverse

from annotation.models import AuditEvent, Judgement, Participation
from tests.factories.reports import rated

pytestmark = pytest.mark.django_db
MOMENT = r"[A-Z]\w+\.? \d{1,2}, \d{4}, (?:midnight|noon|\d[\d:]* [ap]\.m\.)"


def test_every_moment_in_the_admin_has_its_zone(admin_client):
    campaign = rated()
    rows = {
        "annotation_campaign": campaign,
        "annotation_judgement": Judgement.objects.first(),
        "annotation_participation": Participation.objects.first(),
        "annotation_auditevent": AuditEvent.objects.first(),
    }
    seen = 0
    for model, row in rows.items():
        for address in (
            reverse(f"admin:{model}_changelist"),
            reverse(f"admin:{model}_change", args=[row.pk]),
        ):
            response = admin_client.get(address)
            assert response.status_code == 200, address
            html = response.content.decode()
            seen += len(re.findall(rf"(?:{MOMENT}) UTC", html))
            assert re.findall(rf"(?:{MOMENT})(?! UTC)", html) == [], address
    assert seen > 20


def test_lists_sort_by_moments(admin_client):
    rated()
    html = admin_client.get(reverse("admin:annotation_campaign_changelist")).content.decode()
    assert re.search(r'class="sortable column-created_at', html)
