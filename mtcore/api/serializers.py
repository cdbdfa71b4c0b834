"""What the API says about test sets, systems, corpora and runs, and what it takes."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evalplatform.asks import Asked
from mtcore.api.fields import TextField
from mtcore.models import Corpus, MetricResult, Run, System, SystemOutput, TestSet, TextVersion
from mtcore.services.output_look import output_provenance
from mtcore.services.run_effort import run_effort
from mtcore.services.runs import run_pace, run_waits_for


class VersionSerializer(serializers.ModelSerializer):
    """One text of a test set."""

    derived_from = serializers.CharField(
        source="derived_from.name", default=None, allow_null=True, read_only=True
    )

    class Meta:
        model = TextVersion
        fields = ["side", "kind", "name", "derived_from", "sha256"]


class TestSetSerializer(serializers.ModelSerializer):
    """A test set with its texts."""

    n_segments = serializers.IntegerField(read_only=True)
    versions = VersionSerializer(many=True, read_only=True)

    class Meta:
        model = TestSet
        fields = [
            "id", "name", "source_language", "target_language", "texts_known", "n_segments", "versions",
            "sha256", "created_at",
        ]  # fmt: skip


class DoubleSerializer(Asked):
    """A text that was translated there and back."""

    side = serializers.ChoiceField(["source", "target"])
    name = serializers.CharField(max_length=120)
    text = TextField()
    derived_from = serializers.CharField(
        max_length=300, default="", allow_blank=True, help_text="the version it was made from"
    )


class NewTestSetSerializer(Asked):
    """A test set to be imported, as `import_testset` takes it."""

    name = serializers.CharField(max_length=120)
    languages = serializers.CharField(max_length=80, help_text="as en-de")
    source = TextField()  # type: ignore[assignment]
    references = serializers.DictField(child=TextField(), default=dict, help_text="by name; the first leads")
    double_translations = DoubleSerializer(many=True, default=list)
    direction = serializers.ChoiceField(["", "direct", "reverse"], default="")
    documents = serializers.ListField(
        child=serializers.CharField(max_length=500), default=list, help_text="a document's id for each line"
    )


class OutputSerializer(serializers.ModelSerializer):
    """A system's translation of a version of a test set's source."""

    system = serializers.CharField(source="system.name", read_only=True)
    testset = serializers.CharField(source="testset.name", read_only=True)
    input_version = serializers.CharField(source="input_version.name", read_only=True)
    provenance = serializers.SerializerMethodField(help_text="names of corpora are for administrators")

    @extend_schema_field({"type": "object", "additionalProperties": {}})
    def get_provenance(self, output: SystemOutput) -> dict[str, Any]:
        """Say how it came about."""
        request = self.context.get("request")
        return output_provenance(output, administrator=bool(request and request.user.is_staff))

    class Meta:
        model = SystemOutput
        fields = ["id", "system", "testset", "input_version", "run", "provenance", "sha256", "created_at"]


class NewOutputSerializer(Asked):
    """An output to be imported, as `import_output` takes it."""

    system = serializers.CharField(max_length=120)
    text = TextField()
    input_version = serializers.CharField(max_length=120, default="", allow_blank=True)
    kind = serializers.ChoiceField(["", *System.Kind.values], default="")


class SystemSerializer(serializers.ModelSerializer):
    """A system."""

    n_outputs = serializers.IntegerField(read_only=True)

    class Meta:
        model = System
        fields = ["id", "name", "kind", "description", "n_outputs", "created_at"]


class CorpusSerializer(serializers.ModelSerializer):
    """A corpus."""

    derived_from: serializers.SlugRelatedField[Corpus] = serializers.SlugRelatedField(
        "name", many=True, read_only=True
    )

    class Meta:
        model = Corpus
        fields = [
            "id", "name", "kind", "source_language", "target_language", "n_lines", "sha256", "report",
            "derived_from", "run", "created_at",
        ]  # fmt: skip


class RunSerializer(serializers.ModelSerializer):
    """A run of heavy work."""

    parents: serializers.PrimaryKeyRelatedField[Run] = serializers.PrimaryKeyRelatedField(
        many=True, read_only=True
    )
    waits_for = serializers.SerializerMethodField()
    attempts = serializers.SerializerMethodField()
    seconds_worked = serializers.SerializerMethodField()
    seconds_left = serializers.SerializerMethodField()

    class Meta:
        model = Run
        fields = [
            "id", "kind", "name", "queue", "state", "message", "progress", "progress_note", "seconds_left",
            "waits_for", "parents", "attempts", "seconds_worked", "device", "cancel_requested", "exit_code",
            "options", "result", "created_at", "started_at", "finished_at",
        ]  # fmt: skip

    def get_waits_for(self, run: Run) -> str:
        """Say what a run in the queue waits for."""
        return run_waits_for(run) if run.state == Run.State.QUEUED else ""

    def get_attempts(self, run: Run) -> int:
        """Return how often it was begun, also before it was resumed."""
        return run_effort(run).attempts

    def get_seconds_worked(self, run: Run) -> float:
        """Return how long it was worked on in all attempts, pauses left out."""
        return round(run_effort(run).worked.total_seconds(), 1)

    @extend_schema_field({"type": "number", "nullable": True})
    def get_seconds_left(self, run: Run) -> float | None:
        """Return how long it will still take, where that can be said."""
        left = run_pace(run).remaining
        return None if left is None else round(left.total_seconds(), 1)


class MetricResultSerializer(serializers.ModelSerializer):
    """What a metric says of an output against a reference; no value has a reason."""

    system = serializers.CharField(source="output.system.name", read_only=True)
    input_version = serializers.CharField(source="output.input_version.name", read_only=True)
    reference = serializers.CharField(source="reference_names", allow_null=True, read_only=True)

    class Meta:
        model = MetricResult
        fields = [
            "id", "output", "system", "input_version", "reference", "metric", "value", "reason", "n_segments",
            "signature", "run", "created_at",
        ]  # fmt: skip


class NewRunSerializer(Asked):
    """A run to be launched."""

    kind = serializers.CharField(max_length=40)
    options = serializers.DictField(child=serializers.JSONField(), default=dict)
    name = serializers.CharField(max_length=120, default="", allow_blank=True)
    queue = serializers.ChoiceField(["", "default", "gpu"], default="")


class ChangeSerializer(serializers.Serializer):
    """What asking for a change did."""

    changed = serializers.BooleanField()
    message = serializers.CharField()

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """Give both."""
        return {"changed": instance.changed, "message": instance.message}
