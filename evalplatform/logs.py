"""Keep invitation tokens out of every log line."""

import logging
import re

_TOKEN = re.compile(r"(/invite/)[^\s/?\"']+")


class HideInvitations(logging.Filter):
    """Replace the token of an invitation link by dots before a record is written."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record in place; nothing is ever dropped."""
        message = record.getMessage()
        if "/invite/" in message:
            record.msg, record.args = _TOKEN.sub(r"\1…", message), None
        return True
