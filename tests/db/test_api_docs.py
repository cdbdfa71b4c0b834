"""The example of docs/api.md runs as it stands: it makes a campaign, waits for its raters, and plots."""

import re

import pytest

from tests import server as servers
from tests.db.test_rating_race import Browser
from tests.paths import ROOT

EXAMPLE = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "api.md").read_text("utf-8"), re.DOTALL)[1]


@pytest.mark.process
def test_the_example_of_the_guide(tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)
    links: list[str] = []
    with servers.running(tmp_path) as server:
        model = "from django.contrib.auth.models import User"
        code = f"{model}; User.objects.create_user('ann', password='harbour-1')"
        server.manage("shell", "--verbosity", "0", "-c", code)

        def rate_instead_of_waiting():
            assert links, "the campaign was over before anybody was asked"
            while links:
                Browser(server.url, len(links)).rate_all(links.pop())

        def note(*words):
            links.extend(word for word in words if "/invite/" in str(word))

        example = EXAMPLE.replace("http://127.0.0.1:8000", server.url).replace("…", "harbour-1")
        example = example.replace('"native": ["target"], "fluent": ["source"]', "")
        assert "time.sleep(60)" in example
        example = example.replace("time.sleep(60)", "wait()")
        exec(compile(example, "docs/api.md", "exec"), {"print": note, "wait": rate_instead_of_waiting})
    assert (tmp_path / "ferry.png").read_bytes().startswith(b"\x89PNG")
