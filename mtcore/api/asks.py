"""What the API takes to make corpora and to launch heavy work."""

from __future__ import annotations

from dataclasses import fields

from rest_framework import serializers

from evalplatform.asks import Asked
from mtcore.api.fields import TextField
from mtcore.api.serializers import CorpusSerializer, RunSerializer
from mtcore.corpora.filters import FilterOptions
from mtcore.diversity import DEFINITIONS, MEASURES
from mtcore.diversity.tokens import TOKENS
from mtcore.engines.recipe import MOST_COPIES
from mtcore.metrics import METRICS
from mtcore.metrics.significance import SACREBLEU_SEED
from mtcore.services.corpora_import import TEST_SEGMENTS
from mtcore.services.metric_outputs import DIRECTIONS
from mtcore.services.metric_scoring import DEFAULT, MOST_RESAMPLES, MOST_SEED

_FILTERS = FilterOptions()
SEED = MOST_SEED
METRIC_NAMES = sorted(METRICS)


def one_name(help_text: str = "", *, optional: bool = False) -> serializers.CharField:
    """Return a field of one name."""
    if optional:
        return serializers.CharField(
            max_length=120, default="", allow_blank=True, help_text=help_text or None
        )
    return serializers.CharField(max_length=120, help_text=help_text or None)


def names(help_text: str = "", *, least: int = 0) -> serializers.ListField:
    """Return a field of names."""
    child = serializers.CharField(max_length=120)
    if least:
        return serializers.ListField(
            child=child, min_length=least, max_length=1000, help_text=help_text or None
        )
    return serializers.ListField(child=child, default=list, max_length=1000, help_text=help_text or None)


def pairs_field(help_text: str) -> serializers.ListField:
    """Return a field of pairs of names."""
    one = serializers.ListField(child=serializers.CharField(max_length=120), min_length=2, max_length=2)
    return serializers.ListField(child=one, default=list, max_length=1000, help_text=help_text)


def _files(help_text: str) -> serializers.ListField:
    """Return a field of the files of a multipart form."""
    one = serializers.FileField(allow_empty_file=True)
    return serializers.ListField(child=one, required=False, max_length=1000, help_text=help_text)


class NewCorpusSerializer(Asked):
    """Text to register: in the request itself, or as files of a multipart form (`sources`, `targets`)."""

    name = one_name()
    languages = serializers.CharField(max_length=80, help_text="a pair, as en-de, or one, as de")
    source = TextField(required=False)  # type: ignore[assignment]
    target = TextField(required=False)
    sources = _files("of the source, or of the only side")
    targets = _files("of the target")
    test_segments = serializers.ChoiceField(
        TEST_SEGMENTS, default="refuse", help_text="lines that are segments of a test set known here"
    )


class TakenSerializer(serializers.Serializer):
    """What became of an import: a corpus, or a run that makes it."""

    corpus = CorpusSerializer(allow_null=True)
    run = RunSerializer(allow_null=True)


class FilterSerializer(Asked):
    """Which lines of a corpus stay."""

    name = one_name("of what is left")
    min_words = serializers.IntegerField(default=_FILTERS.min_words, min_value=0, max_value=10_000)
    max_words = serializers.IntegerField(
        default=_FILTERS.max_words, min_value=0, max_value=10_000, help_text="0: no limit"
    )
    max_ratio = serializers.FloatField(
        default=_FILTERS.max_ratio, min_value=0, max_value=10_000, help_text="0: no limit"
    )
    language = serializers.BooleanField(default=_FILTERS.language)
    min_letters = serializers.IntegerField(default=_FILTERS.min_letters, min_value=0, max_value=10_000)
    duplicates = serializers.BooleanField(default=_FILTERS.duplicates)
    drop_test_segments = serializers.BooleanField(default=True)

    def options(self) -> dict[str, object]:
        """Return the figures of the filters."""
        return {one.name: self.validated_data[one.name] for one in fields(FilterOptions)}


class SplitSerializer(Asked):
    """How many lines are held out, and what both parts are called."""

    rest = one_name("of what is left")
    held = one_name("of what is held out")
    lines = serializers.IntegerField(min_value=1, max_value=10**9)
    seed = serializers.IntegerField(default=1, min_value=0, max_value=SEED)


class PartSerializer(Asked):
    """A corpus of a mix."""

    corpus = one_name()
    copies = serializers.IntegerField(default=1, min_value=1, max_value=MOST_COPIES)
    tag = serializers.CharField(default="", allow_blank=True, max_length=40, help_text="before its sources")


class MixSerializer(Asked):
    """Corpora to put together."""

    name = one_name("of the mix")
    parts = PartSerializer(many=True, allow_empty=False)


class DrySerializer(Asked):
    """A launch, or only what it would be."""

    dry_run = serializers.BooleanField(default=False, help_text="plan and check; launch nothing")


class RecipeSerializer(DrySerializer):
    """How something is made."""

    recipe = one_name("of the platform's", optional=True)
    toml = serializers.CharField(
        default="", allow_blank=True, max_length=65_536, help_text="a recipe of one's own in its place"
    )
    changes = serializers.DictField(
        child=serializers.CharField(max_length=200), default=dict, help_text="training.max_updates → 3000"
    )


class TrainSerializer(RecipeSerializer):
    """A system to train, as `train_system` takes it."""

    name = one_name()
    corpora = names("parallel", least=1)
    monolingual = names("to translate back; recipes of the kind BT")
    valid = one_name("validate on this corpus", optional=True)
    languages = serializers.CharField(default="", allow_blank=True, max_length=80)
    testsets = names("to translate at the end")
    engine = one_name(optional=True)
    seed = serializers.IntegerField(default=None, allow_null=True, min_value=0, max_value=SEED)
    reverse = one_name("system that translates back", optional=True)
    test_segments = serializers.ChoiceField(TEST_SEGMENTS, default="refuse")


class TrainLmSerializer(RecipeSerializer):
    """A language model to train, as `train_lm` takes it."""

    name = one_name()
    corpora = names()
    system = one_name("learn from what it has translated", optional=True)
    language = serializers.CharField(default="", allow_blank=True, max_length=35)
    valid = one_name(optional=True)
    engine = one_name(optional=True)
    seed = serializers.IntegerField(default=None, allow_null=True, min_value=0, max_value=SEED)


class PreflightSerializer(RecipeSerializer):
    """A little of a training, to learn how long all of it would take."""

    corpora = names(least=1)
    monolingual = names()
    languages = serializers.CharField(default="", allow_blank=True, max_length=80)
    engine = one_name(optional=True)


class TranslateTestsetSerializer(DrySerializer):
    """A test set for a system to translate."""

    system = one_name()
    testset = one_name()
    inputs = names("versions of the source; none: all without an output yet")
    engine = one_name(optional=True)


class TranslateCorpusSerializer(DrySerializer):
    """A corpus for a system to translate."""

    system = one_name()
    corpus = one_name()
    name = one_name("of the new corpus", optional=True)
    shards = serializers.IntegerField(default=0, min_value=0, max_value=10_000)
    engine = serializers.CharField(max_length=120, default="", allow_blank=True)


class ScoreSerializer(DrySerializer):
    """Outputs to score by automatic metrics, as `score_outputs` takes it."""

    testset = one_name()
    systems = names("none: all with an output")
    inputs = names()
    references = names("by name or notation; none: the original")
    directions = serializers.ListField(
        child=serializers.ChoiceField(DIRECTIONS), default=["all"], max_length=len(DIRECTIONS)
    )
    metrics = serializers.ListField(
        child=serializers.ChoiceField(METRIC_NAMES), default=list(DEFAULT), min_length=1, max_length=50
    )
    pairs = pairs_field("systems to compare")
    resamples = serializers.IntegerField(default=1000, min_value=0, max_value=MOST_RESAMPLES)
    seed = serializers.IntegerField(default=SACREBLEU_SEED, min_value=0, max_value=SEED)


class ScoreLmSerializer(DrySerializer):
    """Text to score with a language model, as `score_lm` takes it."""

    lm = one_name("name or run number")
    testset = one_name(optional=True)
    system = one_name(optional=True)
    inputs = names()
    version = one_name(optional=True)
    corpus = one_name(optional=True)


class DiversitySerializer(DrySerializer):
    """Texts to measure, as `measure_diversity` takes them."""

    testsets = names("their target texts and outputs")
    systems = names("of the test sets; none: all")
    corpora = names("their text in `language`")
    language = serializers.CharField(default="", allow_blank=True, max_length=35)
    measures = serializers.ListField(
        child=serializers.ChoiceField(sorted(MEASURES)), default=list, max_length=100
    )
    window = serializers.IntegerField(default=100, min_value=1, max_value=1_000_000)
    tokens = serializers.ChoiceField(["", *TOKENS], default="", help_text="empty: as the definition has it")
    definition = serializers.ChoiceField(DEFINITIONS, default=DEFINITIONS[0])
    training = one_name("corpus that gives the bands of LFP", optional=True)
    lemma = one_name("whose forms are counted as well", optional=True)
    equal_length = serializers.IntegerField(
        default=None, allow_null=True, min_value=0, max_value=10**12,
        help_text="words to which texts are cut; 0: as many as the shortest text has",
    )  # fmt: skip
    draws = serializers.IntegerField(default=20, min_value=2, max_value=10_000, help_text="of equal_length")
    pairs = pairs_field("texts to compare; none: every two")
    resamples = serializers.IntegerField(default=1000, min_value=0, max_value=100_000)
    seed = serializers.IntegerField(default=1, min_value=0, max_value=SEED)


class LaunchedSerializer(serializers.Serializer):
    """What was launched, or what would be."""

    runs = RunSerializer(many=True, help_text="none of a dry run")
    created = serializers.BooleanField(help_text="false: the same was there already, and goes on")
    steps = serializers.ListField(child=serializers.CharField())
    notices = serializers.ListField(child=serializers.CharField())


class OptionalSerializer(Asked):
    """How far a cancellation goes."""

    children = serializers.BooleanField(default=False, help_text="also the runs that wait for it")
