"""What the API takes and answers beside campaigns themselves: decisions, exports, looks, rounds, studies."""

from __future__ import annotations

from rest_framework import serializers

from annotation.services.campaign_settings import MOST_JOINS_AN_HOUR
from annotation.services.correlate_options import LIGHT
from annotation.services.judgement_export import FORMATS
from annotation.services.looks import LEAST_ALPHA, MOST_ALPHA
from annotation.services.quality import WHY_LENGTH
from annotation.stats.disagreement import READINGS
from annotation.stats.sequential import SPENDING
from annotation.stats.standardise import POPULATIONS
from evalplatform.asks import Asked
from mtcore.corpora.spreadsheets import FLAVOURS


def names(help_text: str = "", *, longest: int = 120) -> serializers.ListField:
    """Return a field of names."""
    return serializers.ListField(
        child=serializers.CharField(max_length=longest),
        default=list,
        max_length=1000,
        help_text=help_text or None,
    )


class NamedSerializer(Asked):
    """A rater."""

    rater = serializers.CharField(max_length=120, trim_whitespace=False)


class ReasonSerializer(NamedSerializer):
    """A rater, and why."""

    why = serializers.CharField(max_length=WHY_LENGTH, help_text="kept, and shown with the scores")


class ChangedSerializer(serializers.Serializer):
    """Whom a decision was about."""

    rater = serializers.CharField()


class LeaverSerializer(NamedSerializer):
    """Who leaves, and who comes for it."""

    replacement = serializers.CharField(
        max_length=120, default="", allow_blank=True, trim_whitespace=False,
        help_text="name of a new rater who shares in the open work",
    )  # fmt: skip
    dry_run = serializers.BooleanField(default=False, help_text="say who would get what; change nothing")


class NewRatersSerializer(Asked):
    """Raters who are added, by name."""

    raters = serializers.ListField(
        child=serializers.CharField(max_length=120, trim_whitespace=False), min_length=1, max_length=1000
    )


class ArrivalSerializer(serializers.Serializer):
    """What raters who were added changed."""

    raters = serializers.ListField(child=serializers.CharField(), help_text="who was added")
    given = serializers.DictField(child=serializers.IntegerField(), help_text="new items by rater")
    short = serializers.ListField(child=serializers.CharField(), help_text="what still lacks judgements")
    alike = names("names that could be those of one person, in words", longest=2000)


class LeavingSerializer(serializers.Serializer):
    """What a rater's leaving changed."""

    rater = serializers.CharField()
    kept = serializers.IntegerField(help_text="answers that stay")
    released = serializers.IntegerField(help_text="open items taken back")
    given = serializers.DictField(child=serializers.IntegerField(), help_text="new items by rater")
    short = serializers.ListField(child=serializers.CharField(), help_text="what could not be kept")
    dry_run = serializers.BooleanField(help_text="true: nothing was changed")


class JoiningSerializer(serializers.Serializer):
    """Whether anybody can join, and how."""

    joins = serializers.BooleanField()
    link = serializers.URLField(allow_null=True)
    free_places = serializers.IntegerField(allow_null=True, help_text="of a planned campaign")
    an_hour = serializers.IntegerField(help_text="how many may join in an hour; 0: any number")
    joined_last_hour = serializers.IntegerField()


class NewJoiningSerializer(Asked):
    """Whether anybody may join."""

    joins = serializers.BooleanField()
    renew = serializers.BooleanField(default=False, help_text="older links stop working")
    an_hour = serializers.IntegerField(
        default=None,
        allow_null=True,
        min_value=0,
        max_value=MOST_JOINS_AN_HOUR,
        help_text="at most; 0 for any number",
    )


class ExportSerializer(Asked):
    """A file of judgements."""

    file = serializers.ChoiceField(FORMATS, default="csv")
    flavour = serializers.ChoiceField(FLAVOURS, default="exact", help_text="spreadsheet: safe to open in one")
    population = serializers.ChoiceField(list(POPULATIONS), default="all", help_text="ratings behind z")
    history = serializers.BooleanField(default=False, help_text="also answers corrected later")


class PlanSerializer(Asked):
    """A file of the plan."""

    flavour = serializers.ChoiceField(FLAVOURS, default="exact")


class LookSerializer(Asked):
    """A look at a running campaign."""

    alpha = serializers.FloatField(default=0.05, min_value=LEAST_ALPHA, max_value=MOST_ALPHA)
    spending = serializers.ChoiceField(SPENDING, default=SPENDING[0])


class TakenLookSerializer(serializers.Serializer):
    """A look that was taken."""

    look = serializers.IntegerField(source="number", help_text="1 for the first")
    at = serializers.DateTimeField()
    by = serializers.CharField(allow_blank=True, help_text="empty: by the command line")
    n_judgements = serializers.IntegerField(source="n_done")
    n_planned = serializers.IntegerField()
    alpha = serializers.FloatField()
    spending = serializers.CharField()


class TakenLooksSerializer(serializers.Serializer):
    """The looks that were taken, the first one first."""

    looks = TakenLookSerializer(many=True)


class RoundSerializer(Asked):
    """Which items are judged again; without it, as the campaign has it."""

    reading = serializers.ChoiceField(READINGS, default=None, allow_null=True)
    points = serializers.FloatField(default=None, allow_null=True, min_value=0, max_value=100_000)


class MetricsSerializer(Asked):
    """Metrics to score the outputs of a campaign by."""

    metrics = serializers.ListField(child=serializers.ChoiceField(LIGHT), min_length=1, max_length=len(LIGHT))
    references = names("by name or notation; none: the original")


class ScoringAskedSerializer(serializers.Serializer):
    """What became of asking for metrics."""

    scored = serializers.ListField(child=serializers.CharField(), help_text="test sets scored at once")
    runs = serializers.ListField(child=serializers.IntegerField(), help_text="that score the others")
    message = serializers.CharField()


class MembersSerializer(Asked):
    """What a study gets, by name."""

    campaigns = names("they move, with their raters")
    testsets = names()
    systems = names()
    same_raters = serializers.BooleanField(
        default=False, help_text="raters numbered alike (R1, R2 …) are the same people"
    )
    separate_raters = serializers.BooleanField(
        default=False, help_text="raters whose names the study knows are other people"
    )


class MembersOutSerializer(Asked):
    """What no longer belongs to a study, by name."""

    testsets = names()
    systems = names()


class MembersRemovedSerializer(serializers.Serializer):
    """What was taken out of a study."""

    testsets = serializers.ListField(child=serializers.CharField())
    systems = serializers.ListField(child=serializers.CharField())


class AddedSerializer(serializers.Serializer):
    """What a study got."""

    moved = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()), help_text="campaign, former study"
    )
    united = names("raters who were in the study already")
    alike = names("raters whose names could be those of one person, in words", longest=2000)
    known = names("what was in the study before")
    n_testsets = serializers.IntegerField()
    n_systems = serializers.IntegerField()


class ResearchersSerializer(Asked):
    """People of a study, by user name."""

    add = names(longest=150)
    remove = names(longest=150)


class DescriptionSerializer(Asked):
    """What a study asks."""

    description = serializers.CharField(allow_blank=True, max_length=20_000)


class TextsSerializer(Asked):
    """What the tables of a study are made from; what is given takes the place of what was there."""

    corpora = serializers.DictField(child=names(), default=dict, help_text="train, dev, test → corpora")
    translations = serializers.DictField(
        child=serializers.CharField(max_length=120, allow_blank=True), default=dict,
        help_text="system → corpus it has translated",
    )  # fmt: skip
    rows = serializers.DictField(child=names(), default=dict, help_text="label → systems")


class PackageSerializer(Asked):
    """What goes into the package of a study."""

    with_texts = serializers.BooleanField(default=False, help_text="texts too, not only their hashes")
    identities = serializers.BooleanField(default=False, help_text="raters' names; for the owner")
