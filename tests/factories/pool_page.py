"""A rater's page in a pool: answers, and fetches ahead just when `static/js/screens.js` does."""

from __future__ import annotations

import json
import re
import uuid
from dataclasses import dataclass, field
from typing import Any

from django.test import Client

from annotation.models import Participation
from tests.factories.rating import rater_client
from tests.paths import ROOT

_SCRIPT = (ROOT / "static/js/screens.js").read_text("utf-8")
AHEAD, AT_ONCE, HELD = (
    int(re.search(rf"const {name} = (\d+)", _SCRIPT)[1])  # type: ignore[index]
    for name in ("AHEAD", "AT_ONCE", "HELD")
)


@dataclass
class PoolPage:
    """A signed-in browser on its rating page.

    Attributes:
        ahead: keys of the screens at hand, the shown one first.
    """

    participation: Participation
    ahead: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.client: Client = rater_client(self.participation)
        self.base = f"/rate/{self.participation.campaign.key}"
        page = self.client.get(f"{self.base}/").content.decode()
        screen = re.search(r'<script id="screen"[^>]*>(.*?)</script>', page)
        assert screen, page
        self.ahead = [json.loads(screen[1])["key"]]
        self.last, self.held_back = self.ahead[0], False

    def rate(self) -> bool:
        """Answer the screen shown and refill; say whether there is another one."""
        sent = {"assignment": self.ahead.pop(0), "client_key": uuid.uuid4().hex, "answers": {"score": 64}}
        self._ask(self.client.post(f"{self.base}/answers", json.dumps(sent), "application/json"))
        self.refill()
        return bool(self.ahead)

    def refill(self) -> None:
        """Fetch what comes next, unless enough is at hand."""
        at_hand = max(0, len(self.ahead) - 1)  # the one shown has left the page's store
        if at_hand >= (HELD if self.held_back else AHEAD):
            return
        wanted = max(AT_ONCE, AHEAD - at_hand)
        found = self._ask(self.client.get(f"{self.base}/screens?after={self.last}&n={wanted}"))
        keys = [one["key"] for one in found["screens"]]
        self.last = keys[-1] if keys else self.last
        self.held_back = (
            found["more"] if not keys else len(keys) < wanted and found["progress"].get("endless", False)
        )
        self.ahead += [key for key in keys if key not in self.ahead]

    def _ask(self, reply: Any) -> dict[str, Any]:
        assert reply.status_code == 200, reply.content
        return reply.json()  # type: ignore[no-any-return]
