"""What is looked at before a training is launched: languages, lines, test segments, engines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from evalplatform.errors import BadInput, Conflict
from evalplatform.words import counted, quoted
from mtcore.corpora import language_id
from mtcore.corpora.checks import ShiftError, check_shift
from mtcore.corpora.corpus_lines import TextFiles
from mtcore.corpora.errors import CorpusError
from mtcore.corpora.filters import make_filters
from mtcore.corpora.languages import LanguageError, parse_pair, standard_tag
from mtcore.corpora.line_keys import loose_key
from mtcore.engines.recipe import BT, LM, PHRASE, Recipe
from mtcore.engines.registry import ENGINES, engine_make, engines_for
from mtcore.models import Corpus
from mtcore.services.corpora import corpus_files, corpus_find, corpus_languages
from mtcore.services.corpora_import import TEST_SEGMENTS, test_segments_known
from mtcore.services.engine_setup import engine_setup
from mtcore.services.texts import as_bad_input
from mtcore.services.versions import testset_find

SAMPLE_LINES = 400
AUTO = "auto"
SHIFT_LINES = 5_000
OVERLAP_LINES = 300_000
"""Up to so many lines are looked through for test segments at once; of more, the first run tells."""
_WRONG_PART = 0.6
_ENOUGH_LINES = 20
_LETTERS = 25


def corpora_checked(names: Sequence[str], languages: str) -> tuple[list[Corpus], tuple[str, str]]:
    """Return the parallel corpora and the pair of languages.

    Raises:
        BadInput: none, one twice, not parallel, in other languages, or lines that do not belong together.
    """
    found = _find_all(names, "A system learns from parallel text.", "Name at least one corpus.")
    for one in found:
        if len(corpus_languages(one)) != 2:
            raise BadInput(
                f"“{one.name}” is text in one language ({one.source_language}).",
                "Give parallel corpora; text in the target language goes with a recipe of the kind BT.",
            )
    with as_bad_input():
        pair = parse_pair(languages) if languages else corpus_languages(found[0])
    for one in found:
        _same_sides(one, pair)
        _looks_right(one)
    return found, (pair[0], pair[1])


def monolingual_checked(names: Sequence[str], target: str, *, forbidden: Sequence[Corpus]) -> list[Corpus]:
    """Return the corpora that are to be translated back.

    Raises:
        BadInput: not in the target language, or not in one language.
    """
    if not names:
        return []
    found = _find_all(names, "", "")
    for one in found:
        tags = corpus_languages(one)
        if tags != (target,):
            what = f"is in {'-'.join(tags)}"
            raise BadInput(
                f"“{one.name}” {what}; text in {target} is translated back.",
                "Give monolingual corpora in the target language.",
            )
        if one in forbidden:
            raise BadInput(f"“{one.name}” is there twice.", "Name each corpus once.")
        _looks_right(one)
    return found


def valid_checked(name: str, source: str, target: str, *, forbidden: Sequence[Corpus]) -> list[Corpus]:
    """Return the corpus to validate on, if one was named.

    Raises:
        BadInput: it is in other languages, or the very text that is learned from.
    """
    if not name:
        return []
    found = corpus_find(name)
    _same_sides(found, (source, target))
    _looks_right(found)
    if any(found.sha256 == one.sha256 for one in forbidden):
        raise BadInput(
            f"“{name}” is learned from and cannot be validated on.",
            "Hold a part of it out: manage.py split_corpus",
        )
    return [found]


def testsets_checked(names: Sequence[str], source: str, target: str) -> list[str]:
    """Return the names of the test sets, all of this pair of languages.

    Raises:
        NotFound: there is none of a name. BadInput: it is of another pair.
    """
    for name in names:
        found = testset_find(name)
        sides_check(f"Test set “{name}”", (found.source_language, found.target_language), (source, target))
    return list(dict.fromkeys(names))


def sides_check(what: str, sides: Sequence[str], wanted: Sequence[str]) -> None:
    """Refuse what is of another pair of languages; "ces" and "cs" are the same."""
    if [standard_tag(tag) for tag in sides] != [standard_tag(tag) for tag in wanted]:
        raise BadInput(
            f"{what} is {'-'.join(sides)}; {'-'.join(wanted)} is needed.",
            "Give one of the right languages and direction.",
        )


def engine_checked(name: str, recipe: Recipe, task: str = "trains") -> list[str]:
    """Return what should be known about the engine that will train; empty when it is there.

    Another machine's worker may do the work, so an engine that is not installed here is no mistake.

    Raises:
        BadInput: no engine of this name, or none that can do it.
    """
    kind, setup = model_kind(recipe), engine_setup()
    if name and name not in ENGINES:
        raise BadInput(f"There is no engine “{name}”.", f"The engines are {', '.join(ENGINES)}.")
    able = engines_for(task, kind, setup)
    if name and kind not in getattr(ENGINES[name], task):
        raise BadInput(
            f"The engine “{name}” does not do this for a model of the kind “{kind}”.",
            f"These can: {', '.join(one.name for one in able) or 'none'}.",
        )
    if not able:
        raise BadInput(f"No engine can do this for a model of the kind “{kind}”.", "Change the recipe.")
    chosen = engine_make(name, setup) if name else able[0]
    if chosen.is_available():
        return []
    return [
        f"{chosen.name} is not usable on this machine; a worker that does it needs it: {chosen.install_hint}"
    ]


def decoders_checked(recipe: Recipe) -> None:
    """Refuse engines of decoding that are none, or that cannot decode what the recipe makes.

    Raises:
        BadInput: with the figure of the recipe.
    """
    decodings = {"decoding": (recipe.decoding, recipe.decoding.seeds)}
    if recipe.kind == BT:
        decodings["back_translation.decoding"] = (recipe.back_translation.decoding, 1)
    for figure, (decoding, models) in decodings.items():
        if decoding.sampling and recipe.model.architecture == PHRASE:
            raise BadInput(
                f"{figure}.sampling is true, and a phrase-based system cannot sample.",
                f"Write {figure}.sampling = false, or take a neural recipe.",
            )
        name = "" if decoding.engine == AUTO else decoding.engine
        try:
            engine_checked(name, recipe, "decodes")
        except BadInput as error:
            raise BadInput(f"{figure}.engine: {error.message}", error.remedy) from error
        if name and models > 1 and not getattr(ENGINES[name], "ensembles", True):
            raise BadInput(
                f"{figure}.engine is “{name}”, which decodes with one model, and {figure}.seeds is {models}.",
                f"Write {figure}.engine = “auto”.",
            )


def filters_checked(recipe: Recipe, source: str, target: str) -> None:
    """Refuse filters that cannot work: a language that nobody can identify.

    Raises:
        BadInput: with the language.
    """
    try:
        make_filters(recipe.filters, source=source, target=target)
    except CorpusError as error:
        raise BadInput(
            f"{str(error).capitalize()}.", "Set filters.language = false in the recipe."
        ) from error


def model_kind(recipe: Recipe) -> str:
    """Return the kind of model as engines know it."""
    return "lm" if recipe.kind == LM else recipe.model.architecture


def overlap_check(corpora: Sequence[Corpus], test_segments: str) -> list[str]:
    """Refuse corpora that hold test segments; return what is left to the first runs.

    Raises:
        BadInput: test segments are in a corpus and are not said to be dropped or kept.
    """
    if test_segments not in TEST_SEGMENTS:
        raise BadInput(f"“{test_segments}” is no way to treat test segments.", "Give refuse, drop or keep.")
    if test_segments == "keep":
        return ["Segments of test sets stay in what is learned from: scores on them will be too good."]
    if test_segments == "drop":
        return []
    known: dict[int, str] | None = None
    later = [one.name for one in corpora if one.n_lines > OVERLAP_LINES]
    for one in corpora:
        if one.name not in later:
            known = test_segments_known() if known is None else known
            _refuse_overlap(one, known)
    if not later:
        return []
    return [f"The first runs look for test segments in {quoted(later)} and fail when they find some."]


def _refuse_overlap(corpus: Corpus, known: dict[int, str]) -> None:
    n, first = 0, ""
    for path in corpus_files(corpus).values() if known else ():
        for number, text in enumerate(TextFiles([path]), start=1):
            key = loose_key(text)
            if key is not None and key in known:
                n += 1
                first = first or f"line {number:,} ({path.suffix[1:]}) is in “{known[key]}”"
    if n:
        raise BadInput(
            f"The corpus “{corpus.name}” holds {counted(n, 'text')} of test sets: {first}. A system trained "
            "on them would be tested on what it has seen.",
            "Leave them out with --test-segments drop, or keep them with --test-segments keep.",
        )


def _find_all(names: Sequence[str], why: str, remedy: str) -> list[Corpus]:
    if not names:
        raise BadInput(why, remedy)
    found = [corpus_find(name) for name in names]
    if len(set(names)) < len(names):
        raise BadInput("A corpus is named twice.", "Name each once; a recipe says how often it is used.")
    return found


def _same_sides(corpus: Corpus, pair: Sequence[str]) -> None:
    if sorted(corpus_languages(corpus)) != sorted(pair):
        raise BadInput(
            f"“{corpus.name}” is in {'-'.join(corpus_languages(corpus))}, not in {'-'.join(pair)}.",
            "Give corpora of one pair of languages.",
        )


def _looks_right(corpus: Corpus) -> None:
    """Look at the first lines: are they in the language they are said to be in, and side by side?"""
    if not corpus.n_lines:
        raise Conflict(f"“{corpus.name}” has no lines.", "Import it again.")
    files = corpus_files(corpus)
    for tag, path in files.items():
        _language_right(corpus.name, tag, list(islice(TextFiles([path]), SAMPLE_LINES)))
    if len(files) == 2:
        names = [path.name for path in files.values()]
        ours, others = (islice(TextFiles([path]), SHIFT_LINES) for path in files.values())
        pairs = list(dict.fromkeys(zip(ours, others, strict=True)))  # what comes again tells nothing new
        try:
            check_shift((names[0], [one for one, _ in pairs]), (names[1], [other for _, other in pairs]))
        except ShiftError as error:
            raise BadInput(f"The corpus “{corpus.name}” is misaligned: {error}.", error.remedy) from error


def _language_right(name: str, tag: str, lines: Sequence[str]) -> None:
    """Refuse text most of which is in another language; languages nobody can identify pass."""
    try:
        wanted = language_id.language_code(tag)
    except (CorpusError, LanguageError):
        return
    told = [language_id.identify(line) for line in lines if sum(map(str.isalpha, line)) >= _LETTERS]
    wrong = [one for one in told if one != wanted]
    if len(told) >= _ENOUGH_LINES and len(wrong) > _WRONG_PART * len(told):
        likely = max(set(wrong), key=wrong.count)
        raise BadInput(
            f"“{name}” is registered as {tag}, but {len(wrong):,} of its first {len(told):,} lines look like "
            f"another language, mostly {likely}.",
            "Import it under its language, or with its sides in the right order.",
        )
