"""Back up the whole installation into one file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from annotation.services.backup import backup_make
from evalplatform.commands import HouseCommand
from evalplatform.words import counted


class Command(HouseCommand):
    """`manage.py backup`."""

    audited = True
    help = "Write database, files and keys into one file, while people go on working."

    def add_arguments(self, parser: CommandParser) -> None:
        """Name the options."""
        parser.add_argument(
            "file",
            nargs="?",
            default="",
            help="the file (.tar, or .tar.gz: packed); default: its moment as name",
        )
        parser.add_argument(
            "--scratch", action="store_true", help="also the unfinished work of runs (stop the workers first)"
        )

    def run(self, **options: Any) -> str:
        """Write it."""
        place = Path(options["file"] or f"backup-{timezone.now():%Y%m%dT%H%M%SZ}.tar")
        made = backup_make(place=place, scratch=options["scratch"])
        return (
            f"{place}: the database ({made.database}) and {counted(made.n_files, 'file')} as of "
            f"{made.created_at.isoformat(timespec='seconds')}, {made.n_bytes / 1e6:,.1f} MB. It holds the "
            "key of all links and sessions: keep it where nobody else reads it."
        )
