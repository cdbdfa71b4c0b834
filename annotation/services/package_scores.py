"""Make the numbers of a package from its judgements: what is written is what can be recomputed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from annotation.services.package_layout import slugs
from annotation.services.package_read import Package, PackagedCampaign
from annotation.services.score_compute import scores_compute, table_with_others
from annotation.services.scoring import digest, strict
from annotation.services.study_scores import study_compute, study_treatment
from annotation.stats.aggregate import AVERAGED_KINDS
from annotation.stats.disagreement import counted_rounds
from annotation.stats.options import ScoreOptions
from annotation.stats.records import FloatArray, RatingTable
from annotation.stats.standardise import of_kinds, standardise
from evalplatform.errors import BadInput

MTME = "mt-metrics-eval"
NONE = "None"
Place = tuple[str, str]
"""Test set and input version."""


def options_again(stored: Mapping[str, Any]) -> ScoreOptions | None:
    """Return stored options as options; None when they are not those of scores, or no longer allowed."""
    if not set(stored) <= set(ScoreOptions.__dataclass_fields__):
        return None
    hypothesis = stored.get("hypothesis")
    try:
        return ScoreOptions(**{**stored, "hypothesis": tuple(hypothesis) if hypothesis else None})
    except (TypeError, ValueError):
        return None


def options_name(options: ScoreOptions, usual: ScoreOptions | None = None) -> str:
    """Return the name of the file with the scores of these options.

    Args:
        options: the options.
        usual: those of a campaign or a study of which nothing else was asked.
    """
    usual = usual or ScoreOptions()
    if options == usual:
        return "standard"
    if options == replace(usual, by_condition=True):
        return "by-condition"
    return f"options-{digest(asdict(options))[:12]}"


def usual_options(campaign: PackagedCampaign) -> ScoreOptions:
    """Return the options of a packaged campaign of which nothing was asked."""
    return ScoreOptions(disagreement=campaign.facts.treatment)


def usual_of_study(package: Package) -> ScoreOptions:
    """Return the options of a packaged study of which nothing was asked."""
    treatment = study_treatment(one.facts.treatment for one in package.campaigns)
    return ScoreOptions(scope="study", disagreement=treatment)


def campaign_result(
    package: Package, campaign: PackagedCampaign, options: ScoreOptions, versions: Mapping[str, str]
) -> dict[str, Any]:
    """Return the scores of a packaged campaign in the shape that `score_campaign` prints.

    Raises:
        ValueError: the options do not fit what was judged.
    """
    judged = campaign.judged
    if options.scope == "study" and isinstance(judged.records, RatingTable):
        others = [
            one.judged.records
            for one in package.campaigns
            if one is not campaign and one.facts.spread == campaign.facts.spread
        ]
        tables = [table for table in others if isinstance(table, RatingTable)]
        judged = replace(judged, records=table_with_others(judged.records, tables))
    head = {"campaign": campaign.facts.name, "protocol": campaign.facts.protocol}
    return strict(head | scores_compute(judged, options, versions) | {"options": asdict(options)})


def study_result(package: Package, options: ScoreOptions, versions: Mapping[str, str]) -> dict[str, Any]:
    """Return the scores of a packaged study in the shape that `score_study` prints.

    Raises:
        UserError: nothing was judged, or the options do not fit.
    """
    judged = [(one.facts, one.judged) for one in package.campaigns]
    return strict(study_compute(package.study, judged, options, versions))


def places_of(package: Package) -> dict[Place, str]:
    """Return the folder in the layout of mt-metrics-eval of each test set and input version."""
    found = sorted({place for campaign in package.campaigns for place in campaign.outputs})
    inputs: dict[str, int] = {}
    for testset, _ in found:
        inputs[testset] = inputs.get(testset, 0) + 1
    names = {place: place[0] if inputs[place[0]] == 1 else " ".join(place) for place in found}
    called = slugs(dict.fromkeys(names.values()))
    return {place: f"{MTME}/{called[name]}" for place, name in names.items()}


def human_scores(package: Package) -> dict[str, str]:
    """Return the human scores in the layout of mt-metrics-eval: path → text.

    For each campaign of ratings, test set, input and reference: mean raw score and mean z of each segment
    (`.seg.score`) and of the system over its segments (`.sys.score`), with the standard options.

    Raises:
        BadInput: something was judged that is not among the outputs.
    """
    folders = places_of(package)
    references = slugs(sorted({name for one in package.campaigns for name in _references(one)}))
    files: dict[str, str] = {}
    for campaign in package.campaigns:
        table = campaign.judged.records
        if not isinstance(table, RatingTable) or not len(table.score):
            continue
        several = len(_references(campaign)) > 1
        for name, values in (("raw", table.score), ("z", standardise(table).z)):
            for (testset, input_, reference), systems in sorted(
                _segment_means(table, values, campaign.facts.treatment).items()
            ):
                own = f"-{references[reference]}" if several else ""
                if (testset, input_) not in folders or testset not in package.segments:
                    raise BadInput(
                        f"What was judged in “{campaign.facts.name}” is not all among its outputs: test set "
                        f"“{testset}”, input “{input_}”.",
                        "Take the package as it was exported.",
                    )
                stem = f"{campaign.facts.languages.replace(':', '-')}.{campaign.slug}{own}-{name}"
                path = f"{folders[testset, input_]}/human-scores/{stem}"
                keys = [key for key, _ in package.segments[testset]]
                files[f"{path}.seg.score"] = "".join(
                    f"{system}\t{_number(means.get(key))}\n"
                    for system, means in sorted(systems.items())
                    for key in keys
                )
                files[f"{path}.sys.score"] = "".join(
                    f"{system}\t{_number(_mean([means[key] for key in keys if key in means]))}\n"
                    for system, means in sorted(systems.items())
                )
    return files


def _references(campaign: PackagedCampaign) -> list[str]:
    entries = getattr(campaign.judged.records, "entries", ())
    return sorted({entry.reference or "" for entry in entries})


def _number(value: float | None) -> str:
    return NONE if value is None else repr(round(value, 10) + 0.0)


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _segment_means(
    table: RatingTable, values: FloatArray, treatment: str
) -> dict[tuple[str, str, str], dict[str, dict[str, float]]]:
    """Return the mean of the ratings that count: (test set, input, reference) → system → segment → mean."""
    kept = np.array([not reason for reason in table.excluded_by], dtype=bool)
    counted = of_kinds(table.kind, AVERAGED_KINDS) & table.averaged & kept[table.rater]
    width = max(1, len(table.segments))
    chosen = counted[table.credit_rating]
    row, entry = table.credit_rating[chosen], table.credit_entry[chosen]
    cell = entry * width + table.segment[row]
    newest = counted_rounds(cell, table.rounds[row], table.rater[row], treatment)
    row, cell = row[newest], cell[newest]
    present = ~np.isnan(values[row])
    row, cell = row[present], cell[present]
    codes, inverse = np.unique(cell, return_inverse=True)
    means = np.bincount(inverse, weights=values[row], minlength=len(codes)) / np.maximum(
        1, np.bincount(inverse, minlength=len(codes))
    )
    found: dict[tuple[str, str, str], dict[str, dict[str, float]]] = {}
    for code, mean in zip(codes.tolist(), means.tolist(), strict=True):
        own = table.entries[code // width]
        _, key = table.segments[code % width]
        place = (own.testset or "", own.input or "", own.reference or "")
        found.setdefault(place, {}).setdefault(own.system, {})[str(key)] = mean
    return found
