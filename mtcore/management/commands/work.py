"""Do runs in this terminal, without Celery."""

from __future__ import annotations

import signal
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from evalplatform.commands import HouseCommand
from mtcore.services.run_claim import QUEUES
from mtcore.services.run_work import Worker


class Command(HouseCommand):
    """`manage.py work`."""

    help = "Do queued runs until stopped (Ctrl-C or SIGTERM); needs no broker. One for each accelerator."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument(
            "--queue", action="append", default=[], choices=QUEUES, help="may be repeated (default: default)"
        )  # fmt: skip
        parser.add_argument(
            "--device", default=settings.RUN_DEVICE, metavar="cuda:0",
            help="the accelerators of this worker; by default RUN_DEVICE, or all of the machine",
        )  # fmt: skip
        parser.add_argument(
            "--threads", type=int, default=0, metavar="N",
            help="cores that each command may take (default: all); for several workers on one machine",
        )  # fmt: skip
        parser.add_argument("--once", action="store_true", help="do what is there, then end")

    def run(self, **options: Any) -> None:
        """Work."""
        worker = Worker(
            queues=options["queue"] or ["default"],
            device=options["device"],
            threads=max(0, options["threads"]),
        )
        for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(name, lambda *_: worker.end())
        self.stdout.write(f"Working on {', '.join(worker.queues)} as {worker.name}.")
        self.stdout.flush()
        if not options["once"]:
            worker.work()
            return
        for run in worker.work_off():
            self.stdout.write(f"Run {run.pk} ({run.kind} {run.name}): {run.state}. {run.message}".rstrip())
