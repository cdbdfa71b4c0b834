"""Alive, ready, numbers; who gives too many wrong passwords waits."""

import json
import logging
import sys

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError
from prometheus_client.parser import text_string_to_metric_families

from annotation.services import monitoring
from evalplatform.logs import HideInvitations, JsonLines
from mtcore.models import Run

pytestmark = pytest.mark.django_db


def test_alive_asks_nothing(client, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert client.get("/health/live").content == b"ok\n"


def test_ready_says_what_is_wrong(client, monkeypatch, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    found = client.get("/health/ready")
    assert found.status_code == 200 and found.json()["ready"]
    assert found.json()["checks"]["database"] == found.json()["checks"]["migrations"] == "ok"
    assert found.json()["checks"]["workers"].startswith("warning: None has shown itself")
    settings.DATA_DIR = tmp_path / "gone"
    found = client.get("/health/ready")
    assert found.status_code == 503 and found.json()["checks"]["data_dir"].startswith("bad: ")

    def fail():
        raise DatabaseError("password=secret")

    monkeypatch.setattr(monitoring.connection, "cursor", fail)
    found = client.get("/health/ready")
    assert found.status_code == 503 and "secret" not in found.content.decode()
    assert "migrations" not in found.json()["checks"]


def test_numbers_are_for_who_has_the_token(client, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    assert client.get("/metrics").status_code == 404
    settings.METRICS_TOKEN = "a-token"
    assert client.get("/metrics").status_code == 404
    assert client.get("/metrics", headers={"Authorization": "Bearer another"}).status_code == 404
    Run.objects.create(kind="filter_corpus", state="failed")
    Run.objects.create(kind="filter_corpus", state="failed")
    found = client.get("/metrics", headers={"Authorization": "Bearer a-token"})
    assert found.headers["Content-Type"].startswith("text/plain")
    values = {
        (one.name, tuple(one.labels.values())): one.value
        for family in text_string_to_metric_families(found.content.decode())
        for one in family.samples
    }
    assert values["evalplatform_runs", ("filter_corpus", "failed")] == 2
    assert values["evalplatform_judgements", ()] == 0
    assert values["evalplatform_workers", ("gpu",)] == 0
    assert values["evalplatform_disk_free_bytes", ()] > 0


@pytest.mark.parametrize("address", ["/login/", "/admin/login/", "/api/v1/token/"])
def test_who_guesses_passwords_waits(client, address):
    User.objects.create_user("ada", password="right-horse-battery", is_staff=True)
    for _ in range(10):
        found = client.post(address, {"username": "ada", "password": "wrong"})
    assert found.status_code == 429
    right = {"username": "ada", "password": "right-horse-battery"}
    assert client.post(address, right).status_code == 429
    assert client.post(address, right, REMOTE_ADDR="10.0.0.9").status_code in (200, 302)
    assert "fifteen minutes" in client.post("/login/", right).content.decode()


def test_log_lines_are_json_without_tokens():
    try:
        raise ValueError("ouch")
    except ValueError:
        record = logging.LogRecord(
            "django.request", logging.ERROR, "", 1, "at %s\nnext", ("/invite/secret-token/",), sys.exc_info()
        )
    record.status_code = 500
    HideInvitations().filter(record)
    line = JsonLines().format(record)
    assert "\n" not in line and "secret-token" not in line
    said = json.loads(line)
    assert said["message"] == "at /invite/…/\nnext" and said["status"] == 500 and "ouch" in said["traceback"]
