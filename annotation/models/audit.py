"""The audit trail: who changed or took what, when."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models

from annotation.models.campaign import Campaign
from annotation.models.rater import Participation
from annotation.models.study import Study
from evalplatform.acting import acting_now
from evalplatform.words import storable_data

#: What is done to a rater by somebody else: the participation of such an event is whom it is about.
DONE_TO_RATERS = ("rater.admitted", "rater.excluded", "rater.included", "rater.invited", "rater.withdrawn")


class AuditEvent(models.Model):
    """One change or export. Written, never changed."""

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    participation = models.ForeignKey(
        Participation, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    study = models.ForeignKey(Study, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    campaign = models.ForeignKey(
        Campaign, on_delete=models.SET_NULL, null=True, blank=True, related_name="events"
    )
    action = models.CharField(max_length=60)
    data = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["-at", "-pk"]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.action}"

    @classmethod
    def note(cls, action: str, **values: Any) -> AuditEvent:
        """Write an event; unknown keywords go into `data`.

        Where nobody is named, whoever acts at this moment did it; of a command, its name is kept.
        """
        columns = {k: values.pop(k) for k in ("actor", "participation", "study", "campaign") if k in values}
        now = acting_now()
        if now is not None:
            now.n_events += 1
            is_own = columns.get("participation") is not None and action not in DONE_TO_RATERS
            if columns.get("actor") is None and not is_own:
                columns["actor"] = now.who()
            if now.command:
                values.setdefault("command", now.command)
        return cls.objects.create(action=action, data=storable_data(values), **columns)
