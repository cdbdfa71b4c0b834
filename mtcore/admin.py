"""The admin pages of the machine-translation wing."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from mtcore import models
from mtcore.admin_base import Named, ReadOnly, Zoned


class VersionInline(admin.TabularInline):
    """The versions of a test set."""

    model = models.TextVersion
    extra = 0
    fields = ("side", "kind", "name", "derived_from", "position")
    readonly_fields = fields
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """Refuse: versions come with their texts."""
        return False


@admin.register(models.TestSet)
class TestSetAdmin(Named):
    """Test sets."""

    list_display = ("name", "source_language", "target_language", "texts_known", "created_at")
    search_fields = ("name",)
    readonly_fields = ("source_language", "target_language", "texts_known", "sha256")
    inlines = [VersionInline]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Refuse: test sets are imported."""
        return False


@admin.register(models.Segment)
class SegmentAdmin(admin.ModelAdmin):
    """Segments."""

    list_display = ("testset", "position", "key", "direction")
    list_filter = ("testset", "direction")
    list_select_related = ("testset",)
    readonly_fields = ("testset", "document", "position", "key")
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Refuse: segments are imported."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """Refuse: items hold on to them."""
        return False


@admin.register(models.SegmentText)
class SegmentTextAdmin(ReadOnly):
    """Texts of segments."""

    list_display = ("version", "segment", "text")
    list_filter = ("version__testset",)
    list_select_related = ("version", "segment")
    search_fields = ("text",)
    readonly_fields = ("version", "segment", "text", "sha256")
    show_full_result_count = False


@admin.register(models.TextVersion)
class TextVersionAdmin(ReadOnly):
    """Versions of test sets."""

    list_display = ("testset", "side", "kind", "name", "derived_from")
    list_filter = ("testset",)
    list_select_related = ("testset", "derived_from")
    readonly_fields = ("testset", "side", "kind", "name", "derived_from", "position", "sha256")


@admin.register(models.Document)
class DocumentAdmin(ReadOnly):
    """Documents."""

    list_display = ("testset", "position", "name")
    list_filter = ("testset",)
    list_select_related = ("testset",)


@admin.register(models.System)
class SystemAdmin(Named):
    """Systems."""

    list_display = ("name", "kind", "created_at")
    list_filter = ("kind",)
    search_fields = ("name",)


@admin.register(models.SystemOutput)
class SystemOutputAdmin(ReadOnly):
    """Outputs."""

    list_display = ("system", "testset", "input_version", "created_at")
    list_filter = ("testset", "system")
    list_select_related = ("system", "testset", "input_version")
    readonly_fields = ("system", "testset", "input_version", "run", "provenance", "sha256")


@admin.register(models.OutputSegment)
class OutputSegmentAdmin(ReadOnly):
    """Lines of outputs."""

    list_display = ("output_id", "segment", "status", "text")
    list_filter = ("status", "output__testset")
    list_select_related = ("segment",)
    readonly_fields = ("output", "segment", "text", "status", "sha256")
    show_full_result_count = False


@admin.register(models.Corpus)
class CorpusAdmin(Named):
    """Corpora."""

    list_display = ("name", "kind", "source_language", "target_language", "n_lines")
    list_filter = ("kind",)
    search_fields = ("name",)


@admin.register(models.Run)
class RunAdmin(Zoned):
    """Runs."""

    list_display = ("pk", "kind", "name", "state", "progress", "created_at")
    list_filter = ("state", "kind")
    readonly_fields = ("state", "result", "message", "history", "attempts", "worker", "device", "progress")


@admin.register(models.MetricResult)
class MetricResultAdmin(ReadOnly):
    """Automatic scores."""

    list_display = ("metric", "output_id", "reference", "value", "created_at")
    list_filter = ("metric",)
    list_select_related = ("reference",)
    readonly_fields = ("signature", "signature_sha256", "value", "n_segments")
    exclude = ("segment_stats",)
