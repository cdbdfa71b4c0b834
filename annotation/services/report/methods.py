"""The paragraph for a paper: what was done, from the options used. Always in English."""

from __future__ import annotations

from typing import Any

from annotation.models import Campaign
from annotation.services.report.compute import Report
from annotation.services.score_notes import is_judged_together
from annotation.services.sealing import seal_sentence
from annotation.services.versions import versions_read
from mtcore.corpora.languages import language_name

Row = dict[str, Any]
QUESTIONS = {
    "source_da": (
        "rated how correctly and completely each translation renders its source "
        "(source-based direct assessment)"
    ),
    "reference_da": (
        "rated how close each translation is in meaning to a reference (reference-based direct assessment)"
    ),
    "pairwise_fluency": (
        "chose which of two translations reads more fluently, or neither, without seeing the source"
    ),
}
POPULATIONS = {
    "all": "all of the rater's ratings, quality-control items and repeats included",
    "system_items": "the rater's ratings of system outputs",
    "system_and_repeat": "the rater's ratings of system outputs and their repeats",
}

TESTS = {
    "bootstrap": "bootstrap",
    "randomisation": "approximate randomisation",
    "signed_rank": "Wilcoxon signed-rank",
    "rank_sum": "Wilcoxon rank-sum",
}


def methods(report: Report) -> str:
    """Return the methods paragraph of a campaign."""
    parts = [
        _who(report),
        *(_rated(report) if report.rated else _preferred(report)),
        _exclusions(report.scores),
        seal_sentence(report.campaign),
    ]
    return " ".join(part for part in [*parts, _software()] if part)


def _who(report: Report) -> str:
    campaign, scores = report.campaign, report.scores
    pair = "–".join(language_name(tag, "en") for tag in (campaign.source_language, campaign.target_language))
    n_raters, n_systems = len(scores["raters"]), len(scores["systems"])
    n = sum(row["n"] for row in report.parts["raters"])
    question = QUESTIONS.get(campaign.protocol, f"answered by the protocol {campaign.protocol}")
    scale = ""
    if report.rated:
        scale = f" on a scale from {campaign.scale_low:g} to {campaign.scale_high:g}"
    return (
        f"{_count(n_raters, 'rater')} {question}{scale}; {_count(n, 'judgement')} of "
        f"{_count(n_systems, 'system')} ({pair}) were collected."
    )


def _rated(report: Report) -> list[str]:
    options = report.options
    scope = "in the study" if options.scope == "study" else "in the campaign"
    z = (
        "Scores were standardised per rater (z = (x − mean) / sd, sample standard deviation) over "
        f"{POPULATIONS[options.population]}, {scope}, then averaged over the ratings of a segment and over "
        "segments."
    )
    if options.repeats == "within_rater_first":
        z += " Repeated ratings of one rater were averaged first."
    unit = "documents" if options.unit == "document" else "segments"
    people = " and raters (two-way)" if options.raters == "random" else ""
    kind = "bias-corrected and accelerated" if options.interval == "bca" else "percentile"
    test = (
        "Differences between systems were tested by the paired bootstrap (Koehn, 2004) over common "
        f"{unit}{people} with {options.resamples:,} resamples (seed {options.seed}); intervals are 95 % "
        f"{kind} intervals."
    )
    rule = (
        "WMT's rule"
        if options.clusters == "wmt"
        else "a cluster ends where everyone above beats everyone below"
    )
    clusters = (
        "Wins and clusters follow one-sided, unpaired Wilcoxon rank-sum tests at .05 over all segments of "
        f"each system ({rule})."
    )
    return [z, test, _sidedness(report), clusters]


def _sidedness(report: Report) -> str:
    options = report.options
    corrected = ", not corrected for the number of pairs"
    if options.correction == "holm":
        corrected = f", corrected for the number of pairs by Holm's method ({TESTS[options.test]})"
    if options.hypothesis is None:
        return f"p-values are two-sided{corrected}."
    better, worse = options.hypothesis
    return f"That {better} is better than {worse} was declared beforehand and tested one-sided{corrected}."


def _preferred(report: Report) -> list[str]:
    options = report.options
    corrected = "with Holm's correction over pairs" if options.correction == "holm" else "uncorrected"
    unit = "documents" if options.unit == "document" else "segments"
    sides = "The sides of the two candidates were randomised and balanced; identical outputs were not shown."
    drawn = f"bootstrap over {unit} with ties counted in ({options.preference_resamples:,} resamples, seed "
    drawn += f"{options.seed})"
    tested = (
        f"Preferences were tested by the exact two-sided sign test without ties ({corrected}) and by a "
        f"{drawn}; shares have Wilson's 95 % intervals."
    )
    if any(is_judged_together(row) for row in report.scores["pairs"]):
        one = unit.removesuffix("s")
        tested = (
            f"Preferences were tested two-sided by a {drawn} and by the exact sign test of the {unit} in "
            f"which one system was preferred more often ({corrected}), since comparisons of one {one} "
            "resemble each other; shares have Wilson's 95 % intervals with the number of comparisons divided "
            "by their design effect. The sign test of single comparisons, which takes them as independent, "
            "is shown beside."
        )
    return [sides if report.campaign.mode == Campaign.Mode.PLANNED else "", tested, _ranked(report)]


def _ranked(report: Report) -> str:
    options, unit = report.options, "documents" if report.options.unit == "document" else "segments"
    words = (
        "Systems were ordered by expected wins, the mean over opponents of wins / (wins + losses), and by "
    )
    if all(row.get("strength") is None for row in report.scores["systems"]):
        return words.removesuffix(", and by ") + "."
    return (
        f"{words}their strengths in Davidson's (1970) model, a Bradley–Terry model with ties; the 95 % "
        f"intervals of strengths and the rank ranges come from {options.resamples:,} bootstrap resamples of "
        f"{unit} (seed {options.seed})."
    )


def _exclusions(scores: Row) -> str:
    excluded = sum(1 for row in scores["raters"] if row["excluded_by"])
    flat = sum(1 for row in scores["raters"] if row.get("no_variance") and not row["excluded_by"])
    words = f"{_count(excluded, 'rater')} {_was(excluded)} excluded" if excluded else "No rater was excluded"
    if flat:
        words += f"; {_count(flat, 'rater')} without variance {'has' if flat == 1 else 'have'} no z-scores"
    return f"{words}."


def _software() -> str:
    versions = versions_read()
    libraries = ", ".join(f"{name} {value}" for name, value in versions.items() if name != "version")
    return f"Computed with evalplatform {versions['version']} ({libraries})."


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def _was(n: int) -> str:
    return "was" if n == 1 else "were"
