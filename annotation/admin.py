"""The admin pages of the human-evaluation wing. What raters said is read there, never changed."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from annotation import models
from annotation.services.sealing import LATE, sealed_campaigns
from mtcore.admin_base import Named, ReadOnly, Zoned


@admin.register(models.Study)
class StudyAdmin(Named):
    """Studies: who owns them and who researches in them."""

    list_display = ("name", "owner", "created_at")
    search_fields = ("name",)
    autocomplete_fields = ("owner",)
    filter_horizontal = ("researchers", "testsets", "systems")


@admin.register(models.Campaign)
class CampaignAdmin(Named):
    """Campaigns: texts for raters can be edited; what the plan was made from cannot."""

    list_display = ("name", "study", "protocol", "state", "mode", "created_at")
    list_filter = ("state", "mode", "protocol")
    search_fields = ("name",)
    readonly_fields = (
        "key", "protocol", "source_language", "target_language", "state", "mode", "judgements", "scale_low",
        "scale_high", "seed", "spread", "pairs", "settings", "notes", "opened_at", "closed_at",
    )  # fmt: skip

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Refuse: campaigns are made with their plan."""
        return False


@admin.register(models.Rater)
class RaterAdmin(Named):
    """Raters, by pseudonym."""

    list_display = ("name", "study", "created_at")
    list_filter = ("study",)
    search_fields = ("name",)


@admin.register(models.Participation)
class ParticipationAdmin(Zoned):
    """Raters in campaigns. A reason in `excluded_by` takes a rater's ratings out of the averages."""

    list_display = ("rater", "campaign", "state", "excluded_by", "last_seen_at")
    list_filter = ("state", "campaign")
    list_select_related = ("rater", "campaign")
    search_fields = ("rater__name", "campaign__name")
    readonly_fields = (
        "rater", "campaign", "state", "link_version", "consented_at", "last_seen_at", "eligibility",
        "settings",
    )  # fmt: skip

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Refuse: participations are made with the plan."""
        return False


@admin.register(models.Judgement)
class JudgementAdmin(ReadOnly):
    """Judgements."""

    list_display = ("pk", "rater", "campaign", "segment", "answer", "is_current", "submitted_at")
    list_filter = ("is_current", "assignment__item__campaign")
    list_select_related = (
        "assignment__participation__rater",
        "assignment__item__campaign",
        "assignment__item__segment",
    )
    search_fields = ("assignment__participation__rater__name", "assignment__item__campaign__name")
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[models.Judgement]:
        """Leave out what is sealed: administrators do not see it either."""
        found: QuerySet[models.Judgement] = super().get_queryset(request)
        return found.exclude(assignment__item__campaign__in=sealed_campaigns())

    @admin.display(ordering="assignment__participation__rater__name")
    def rater(self, judgement: models.Judgement) -> str:
        """Return who judged."""
        return judgement.assignment.participation.rater.name

    @admin.display(ordering="assignment__item__campaign__name")
    def campaign(self, judgement: models.Judgement) -> str:
        """Return the campaign."""
        return judgement.assignment.item.campaign.name

    @admin.display(ordering="assignment__item__segment__key")
    def segment(self, judgement: models.Judgement) -> str:
        """Return the segment's own id."""
        return judgement.assignment.item.segment.key

    @admin.display(description="score or choice", ordering="score")
    def answer(self, judgement: models.Judgement) -> str:
        """Return the score, or the side chosen on the screen."""
        return f"{judgement.score:g}" if judgement.score is not None else judgement.choice


@admin.register(models.Assignment)
class AssignmentAdmin(ReadOnly):
    """Assignments."""

    list_display = ("pk", "rater", "campaign", "segment", "round", "position", "state")
    list_filter = ("state", "item__campaign")
    list_select_related = ("participation__rater", "item__campaign", "item__segment")
    search_fields = ("participation__rater__name", "item__campaign__name")
    show_full_result_count = False

    @admin.display(ordering="participation__rater__name")
    def rater(self, assignment: models.Assignment) -> str:
        """Return who judges."""
        return assignment.participation.rater.name

    @admin.display(ordering="item__campaign__name")
    def campaign(self, assignment: models.Assignment) -> str:
        """Return the campaign."""
        return assignment.item.campaign.name

    @admin.display(ordering="item__segment__key")
    def segment(self, assignment: models.Assignment) -> str:
        """Return the segment's own id."""
        return assignment.item.segment.key


@admin.register(models.Item)
class ItemAdmin(ReadOnly):
    """Items."""

    list_display = ("pk", "campaign", "kind", "wanted", "given")
    list_filter = ("kind", "campaign")
    list_select_related = ("campaign",)
    show_full_result_count = False


@admin.register(models.CampaignOutput)
class CampaignOutputAdmin(ReadOnly):
    """What campaigns judge."""

    list_display = ("pk", "campaign", "system", "testset", "input_version", "role")
    list_filter = ("campaign",)
    list_select_related = ("campaign", "system", "testset", "input_version")


@admin.register(models.ItemCandidate)
class ItemCandidateAdmin(ReadOnly):
    """Candidate texts."""

    list_display = ("pk", "item_id", "position", "text")
    search_fields = ("text",)
    show_full_result_count = False


@admin.register(models.ScoreRun)
class ScoreRunAdmin(ReadOnly):
    """Stored scores."""

    list_display = ("campaign", "signature", "created_at", "created_by")
    list_filter = ("campaign",)
    list_select_related = ("campaign", "created_by")

    def get_queryset(self, request: HttpRequest) -> QuerySet[models.ScoreRun]:
        """Leave out what is sealed, and scores of studies with a campaign that is."""
        found: QuerySet[models.ScoreRun] = super().get_queryset(request)
        sealed = Q(campaign__in=sealed_campaigns()) | Q(study__campaigns__in=sealed_campaigns())
        return found.exclude(pk__in=models.ScoreRun.objects.filter(sealed).values("pk"))


@admin.register(models.AuditEvent)
class AuditEventAdmin(ReadOnly):
    """The audit trail."""

    list_display = ("at", "action", "campaign", "actor")
    list_filter = ("action",)
    list_select_related = ("campaign", "actor")
    date_hierarchy = "at"

    def get_queryset(self, request: HttpRequest) -> QuerySet[models.AuditEvent]:
        """Leave out late answers that are sealed."""
        found: QuerySet[models.AuditEvent] = super().get_queryset(request)
        return found.exclude(action=LATE, campaign__in=sealed_campaigns())
