"""Backup while raters work, restore elsewhere: all that was acknowledged before is there."""

import json
import re
import secrets
import subprocess
import sys
import tarfile
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from annotation.services.backup import backup_make, unpack
from evalplatform.errors import BadInput, Conflict
from tests import server as servers
from tests.db.test_rating_race import Browser
from tests.paths import ROOT
from tests.reachable import postgres

SEGMENTS, RATERS = 40, 4


class Rater(threading.Thread):
    """Rates on and on; notes what was acknowledged, and when."""

    def __init__(self, url: str, link: str, seed: int) -> None:
        super().__init__(daemon=True)
        self.browser, self.link = Browser(url, seed), link
        self.acknowledged: list[tuple[float, str]] = []
        self.done = threading.Event()

    def run(self) -> None:
        _, page = self.browser.send("GET", self.browser.enter(self.link))
        config, screen = (
            json.loads(re.search(rf'<script id="{name}"[^>]*>(.*?)</script>', page)[1])
            for name in ("config", "screen")
        )
        self.browser.token = config["csrf"]
        for score in range(1, 10_000):
            if self.done.is_set():
                return
            key = secrets.token_urlsafe(16)
            body = {
                "assignment": screen["key"], "client_key": key, "answers": {"score": score % 100 + 1},
                "active_ms": 900,
            }  # fmt: skip
            reply, _ = self.browser.post(config["urls"]["answers"], body)
            if reply.status == 200:
                self.acknowledged.append((time.monotonic(), key))


def stored(server):
    code = (
        "import json; from annotation.models import *; print(json.dumps({"
        "'keys': list(Judgement.objects.values_list('client_key', flat=True)),"
        "'links': [p.link_version for p in Participation.objects.all()]}))"
    )
    return json.loads(server.manage("shell", "--verbosity", "0", "-c", code))


def back_up_under_load(tmp_path, database_url="", target_url=""):
    with servers.running(tmp_path, database_url=database_url) as server:
        source = server.write("source.txt", [f"Sentence {n}." for n in range(SEGMENTS)])
        output = server.write("output.txt", [f"Satz {n}." for n in range(SEGMENTS)])
        links = server.campaign(
            "Busy", "--protocol", "source_da", "--languages", "en-de", "--source", source,
            "--output", f"A={output}", "--judgements", str(RATERS), raters=RATERS,
        )  # fmt: skip
        raters = [Rater(server.url, link, n) for n, link in enumerate(links.values())]
        for rater in raters:
            rater.start()
        while sum(len(rater.acknowledged) for rater in raters) < 30:
            time.sleep(0.05)
        before = time.monotonic()
        said = server.manage("backup", str(tmp_path / "whole.tar"))
        after = time.monotonic()
        for rater in raters:
            rater.done.set()
        for rater in raters:
            rater.join()
        told = [one for rater in raters for one in rater.acknowledged]
        assert any(before < at < after for at, _ in told), "nobody rated during the backup"
        environment = server.environment
    other = dict(environment) | {"DATA_DIR": str(tmp_path / "elsewhere"), "DATABASE_URL": target_url}
    restored = servers.Server(server.url, tmp_path, other, server.command)
    assert "Back as of" in restored.manage("restore", str(tmp_path / "whole.tar"))
    found = stored(restored)
    assert {key for at, key in told if at < before} <= set(found["keys"])
    assert set(found["keys"]) <= {key for _, key in told}
    assert "key of all links" in said
    assert (tmp_path / "elsewhere" / "secret_key").read_text() == (
        tmp_path / "data" / "secret_key"
    ).read_text()
    return restored, links


@pytest.mark.process
def test_backup_under_load_on_sqlite(tmp_path):
    restored, links = back_up_under_load(tmp_path)
    restored.start()
    try:
        path = urlsplit(next(iter(links.values()))).path
        assert Browser(restored.url, 9).form(path).startswith("/rate/")
    finally:
        restored.stop()


@pytest.mark.long
@pytest.mark.process
@pytest.mark.skipif(postgres() is None, reason="no PostgreSQL server answers on 127.0.0.1:5432")
def test_backup_under_load_on_postgresql(tmp_path):
    with servers.own_postgres() as url, servers.own_postgres() as target:
        back_up_under_load(tmp_path, url, target)


@pytest.fixture
def installation(tmp_path):
    """An installation of its own, and another that is empty."""
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "PYTHONUTF8": "1", "DATABASE_URL": ""}
    own, other = (
        servers.Server("", tmp_path, environment | {"DATA_DIR": str(tmp_path / name)}, [])
        for name in ("own", "other")
    )
    own.manage("migrate", "--verbosity", "0")
    own.manage("create_study", "Harbour")
    return own, other


def refused(server, *arguments):
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=server.environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.process
def test_what_a_backup_refuses_and_leaves_out(installation, tmp_path):
    own, other = installation
    data = tmp_path / "own"
    for name in (
        "runs/1/result/a.txt",
        "runs/1" + "/work" + "/big.bin",
        "workers/x.json",
        "runs/2/.staged-x/y",
    ):
        (data / name).parent.mkdir(parents=True, exist_ok=True)
        (data / name).write_text(name)
    place = tmp_path / "b.tar.gz"
    own.manage("backup", str(place))
    with tarfile.open(place) as tar:
        assert tar.getnames() == [
            "database.sqlite3", "files/runs/1/result/a.txt", "files/secret_key", "manifest.json",
        ]  # fmt: skip
    assert place.stat().st_mode & 0o077 == 0
    assert "it holds 1 study" in refused(own, "restore", str(place))
    key = "a key of its own, as every new installation makes one"
    taken = tmp_path / "other" / "runs" / "1" / "result" / "a.txt"
    taken.parent.mkdir(parents=True)
    taken.write_text("mine")
    (tmp_path / "other" / "secret_key").write_text(key)
    assert "is there already" in refused(other, "restore", str(place))
    assert taken.read_text() == "mine" and (tmp_path / "other" / "secret_key").read_text() == key
    taken.unlink()
    other.manage("restore", str(place))
    assert taken.read_text() == "runs/1/result/a.txt"
    assert not list((tmp_path / "other").glob(".restore-*"))
    damaged_backups(place, tmp_path)


def damaged_backups(place, folder):
    """Hold what unpacking says of files that are no backup, were cut short or changed."""

    def said(file):
        with pytest.raises(BadInput) as error:
            unpack(file, folder / "there")
        return str(error.value)

    (folder / "there").mkdir()
    assert "no whole backup" in said(Path(__file__))
    assert "There is no file" in said(folder / "none.tar")
    (folder / "short.tar.gz").write_bytes(place.read_bytes()[:-200])
    assert "no whole backup" in said(folder / "short.tar.gz")
    forged = repack(place, folder, "files/runs/1/result/a.txt", b"forged")
    assert "missing or was changed" in said(forged)
    with pytest.raises(Conflict, match="overwrites nothing"):
        backup_make(place=place)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("files/../../out", tarfile.REGTYPE), ("/out", tarfile.REGTYPE), ("files/link", tarfile.SYMTYPE)],
)
def test_a_link_or_a_way_out_is_refused(tmp_path, name, kind):
    place, folder = tmp_path / "evil.tar", tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    with tarfile.open(place, "w") as tar:
        info = tarfile.TarInfo(name)
        info.type, info.linkname = kind, "/etc/passwd"
        tar.addfile(info)
    with pytest.raises(BadInput):
        unpack(place, folder)
    assert not (tmp_path / "out").exists() and not Path("/out").exists()


def repack(place, folder, name, data):
    """Write the backup again with one file changed."""
    unpacked, forged = folder / "unpacked", folder / "forged.tar"
    with tarfile.open(place) as tar:
        names = tar.getnames()
        tar.extractall(unpacked, filter="data")
    (unpacked / name).write_bytes(data)
    with tarfile.open(forged, "w") as tar:
        for one in names:
            tar.add(unpacked / one, one)
    return forged
