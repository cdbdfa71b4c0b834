"""Dockerfile and compose.yaml: no engine is needed to hold them to what the platform really is.

What they run is run here: the same commands, with the environment they set, on the services of this machine.
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
import time
import urllib.request

import pytest
import yaml

from tests import server as servers
from tests.paths import ROOT
from tests.reachable import REDIS, postgres, redis

COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
KNOWN = set(re.findall(r"^# ?([A-Z_]+)=", (ROOT / ".env.example").read_text("utf-8"), re.MULTILINE))


def instructions(name):
    return re.findall(rf"^{name} (.*)$", DOCKERFILE, re.MULTILINE)


def command(text):
    return json.loads(text) if text.startswith("[") else shlex.split(text)


def test_every_file_that_is_copied_is_there_and_every_variable_is_known():
    for source in ("requirements.txt", "manage.py", "evalplatform/wsgi.py"):
        assert (ROOT / source).is_file()
    for line in instructions("ENV"):
        names = {part.partition("=")[0] for part in line.split()}
        assert names <= KNOWN | {"PYTHONUNBUFFERED"}
    for name, service in COMPOSE["services"].items():
        if "build" in service:
            assert set(service["environment"]) <= KNOWN, name
    assert re.fullmatch(r"python:3\.1[1-3]-\S+", instructions("FROM")[0])


def test_services_wait_for_what_is_there_and_volumes_are_declared():
    services = COMPOSE["services"]
    for service in services.values():
        assert set(service.get("depends_on", {})) <= set(services)
        for volume in service.get("volumes", []):
            assert volume.split(":")[0] in COMPOSE["volumes"]
    assert services["server"]["ports"] == ["127.0.0.1:8000:8000"], "only a proxy on this machine reaches it"
    assert "USER platform" in DOCKERFILE, "nothing runs as root"


@pytest.mark.process
@pytest.mark.skipif(postgres() is None, reason="no PostgreSQL server answers on 127.0.0.1:5432")
@pytest.mark.skipif(redis() is None, reason="no Redis server answers on 127.0.0.1:6379")
def test_the_commands_of_the_file_run(tmp_path):
    """Migrate, serve, be healthy and do a run through the broker, each by the very command of the files."""
    services = COMPOSE["services"]
    with servers.own_postgres() as url:
        values = {
            "DATABASE_URL": url, "CELERY_BROKER_URL": REDIS, "SECRET_KEY": "x" * 50, "HTTPS": "False",
            "ALLOWED_HOSTS": "127.0.0.1,localhost", "CSRF_TRUSTED_ORIGINS": "",
            "BASE_URL": "http://127.0.0.1:8000", "LOG_FORMAT": "json",
        }  # fmt: skip
        assert set(values) == set(services["server"]["environment"])
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "DATA_DIR": str(tmp_path / "data"), **values}

        def start(words, **more):
            words = [sys.executable if one == "python" else one for one in words]
            return subprocess.Popen(words, cwd=ROOT, env=environment, start_new_session=True, **more)

        assert start(services["migrate"]["command"]).wait(timeout=120) == 0
        port = servers.free_port()
        serve = [one.replace("0.0.0.0:8000", f"127.0.0.1:{port}") for one in command(instructions("CMD")[-1])]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        running = [start(serve, **quiet), start(services["worker"]["command"], **quiet)]
        try:
            health = re.search(r'CMD (\["python".*\])', DOCKERFILE)[1]
            words = [one.replace(":8000", f":{port}") for one in json.loads(health)]
            check = [sys.executable, *words[1:]]
            until = time.monotonic() + 90
            while subprocess.run(check, capture_output=True).returncode != 0:
                assert time.monotonic() < until, "the server was not healthy in time"
                time.sleep(0.5)
            while True:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/health/ready", timeout=20) as answer:
                    found = json.load(answer)
                if found["checks"]["workers"] == "ok" or time.monotonic() > until:
                    break
                time.sleep(0.5)
            assert found["ready"] and found["checks"] == dict.fromkeys(found["checks"], "ok")
        finally:
            for process in running:
                process.terminate()
            for process in running:
                process.wait(timeout=60)


@pytest.mark.skipif(shutil.which("docker") is None, reason="there is no Docker here to ask")
def test_docker_reads_the_file():
    asked = subprocess.run(
        ["docker", "compose", "config", "--quiet"], cwd=ROOT, capture_output=True, text=True,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "SECRET_KEY": "x", "POSTGRES_PASSWORD": "y"},
    )  # fmt: skip
    if "is not a docker command" in asked.stderr or "unknown" in asked.stderr:
        pytest.skip("this Docker has no compose")
    assert asked.returncode == 0, asked.stderr
