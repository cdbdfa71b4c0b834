"""Put a backup back into an empty installation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.services.backup import backup_restore
from evalplatform.commands import HouseCommand
from evalplatform.words import counted


class Command(HouseCommand):
    """`manage.py restore`."""

    audited = True
    help = "Put a file that `backup` wrote into this installation, which has to be empty."

    def add_arguments(self, parser: CommandParser) -> None:
        """Name the options."""
        parser.add_argument("file", type=Path, help="the backup")

    def run(self, **options: Any) -> str:
        """Check it and put it back."""
        made = backup_restore(place=options["file"])
        return (
            f"Back as of {made.created_at.isoformat(timespec='seconds')}: the database ({made.database}) and "
            f"{counted(made.n_files, 'file')}. Run `manage.py migrate` when the platform is newer than "
            "the backup, then start the server and the workers."
        )
