"""Launch a run that measures the diversity of what is registered: test sets with their outputs, corpora."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.auth.models import User

from evalplatform.errors import BadInput
from mtcore.models import Run
from mtcore.models.fields import NAME_LENGTH
from mtcore.services.corpora import tags_checked
from mtcore.services.diversity import DiversityOptions, diversity_check, diversity_run_options
from mtcore.services.diversity_origins import CORPUS, MEASURE_DIVERSITY, origin_of, origins_of_testsets
from mtcore.services.runs import run_launch
from mtcore.services.versions import testset_find


def diversity_launch(
    *,
    testsets: Sequence[str] = (),
    systems: Sequence[str] = (),
    corpora: Sequence[str] = (),
    language: str = "",
    measures: Sequence[str] = (),
    window: int = 100,
    tokens: str = "",
    definition: str = "paper",
    training: str = "",
    lemma: str = "",
    equal_length: int | None = None,
    draws: int = 20,
    pairs: Sequence[Sequence[str]] = (),
    resamples: int = 1000,
    seed: int = 1,
    requested_by: User | None = None,
) -> Run:
    """Put a measurement in the queue; its result is a report with intervals and tests.

    Args:
        testsets: measure their target texts and outputs; several are put one after the other.
        systems: of the test sets; none: all.
        corpora: measure their text in `language`.
        language: of the texts; by default that of the test sets.
        measures: names; none: the usual ones.
        window: words in a window of moving measures.
        tokens: "moses" or "given"; empty: as the definition has it.
        definition: "paper" or "biasmt", where they differ.
        training: corpus whose text in `language` gives the bands of LFP.
        lemma: whose forms are counted as well.
        equal_length: words to which texts are cut for measures that change with length; 0 for as many as the
            shortest text has, None to measure texts whole.
        draws: how often that many words are drawn.
        pairs: names of the texts to compare; none: every two.
        resamples: of the tests; 0: none.
        seed: of every draw.
        requested_by: who asks.

    Raises:
        BadInput: nothing to measure is named, or something does not fit.
        NotFound: there is no such test set, system or corpus.
    """
    if not (testsets or corpora):
        raise BadInput("Nothing to measure was named.", "Name test sets or corpora.")
    if systems and not testsets:
        raise BadInput("Systems are those of a test set.", "Name it as well.")
    if language:
        tags_checked(language)
    diversity_check(DiversityOptions(lemma=lemma, seed=seed))
    source = ""
    if testsets:
        first = testset_find(testsets[0])
        language, source = language or first.target_language, first.source_language
    origins = [origin_of("", f"{CORPUS}{name}", language) for name in corpora]
    origins += origins_of_testsets(testsets, systems) if testsets else []
    options = DiversityOptions(
        language=language, source_language=source, measures=tuple(measures), window=window, tokens=tokens,
        definition=definition, training=f"{CORPUS}{training}" if training else "", lemma=lemma,
        equal=equal_length, draws=draws, pairs=tuple((a, b) for a, b in pairs) or None,
        resamples=resamples, seed=seed,
    )  # fmt: skip
    wanted = diversity_run_options(origins=origins, options=options, source_testsets=testsets)
    name = ", ".join([*testsets, *corpora])[:NAME_LENGTH]
    return run_launch(kind=MEASURE_DIVERSITY, name=name, options=wanted, requested_by=requested_by)
