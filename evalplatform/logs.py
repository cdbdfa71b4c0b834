"""Log lines: no tokens of links in them; as JSON for machines that collect them."""

import json
import logging
import re
from datetime import UTC, datetime

_TOKEN = re.compile(r"(/invite/|/password/[^\s/?\"']+/)[^\s/?\"']+")


class HideInvitations(logging.Filter):
    """Replace the token of an invitation, or of a link to a password, by dots before a record is written."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record in place; nothing is ever dropped."""
        message = record.getMessage()
        if "/invite/" in message or "/password/" in message:
            record.msg, record.args = _TOKEN.sub(r"\1…", message), None
        return True


class JsonLines(logging.Formatter):
    """Write a record as one line of JSON: at, level, logger, message, and the traceback if there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        said = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "process": record.process,
        }
        status = getattr(record, "status_code", None)
        if status is not None:
            said["status"] = status
        if record.exc_info:
            said["traceback"] = self.formatException(record.exc_info)
        return json.dumps(said, ensure_ascii=False, default=str)
