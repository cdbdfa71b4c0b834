"""The README of a package: what is in it and how to check it."""

from __future__ import annotations

from annotation.services.package_read import Package

TEXT = """# {study}

The data of a human evaluation of machine translation, with every number made from it.

{campaigns}

## Check it
`manage.py verify_study PACKAGE` of the evaluation platform (version in `manifest.json`) compares every file
with its SHA-256, recomputes every number from the judgements and checks that plan, items, judgements and
exclusions fit together. It needs no database. It says `equal`, or where not.

The package's fingerprint is the SHA-256 of `manifest.json`, which export_study and verify_study print:
publish it, for what is no number (guidelines, comments, times) can otherwise be altered together with the
manifest.

## What is here
| path | holds |
|---|---|
| `manifest.json` | SHA-256 and size of every file; versions of the code and its libraries |
| `study.json` | name, description, test sets, systems, campaigns |
| `campaigns/NAME/campaign.json` | how people were asked: protocol, languages, scale, design, seed, outputs |
| `campaigns/NAME/guidelines.md`, `guidelines.LANGUAGE.md`, `consent.md` | what raters read first |
| `campaigns/NAME/plan.csv` | who was to judge what, in which order and on which side |
| `campaigns/NAME/items.csv` | every text that was judged, as its SHA-256{texts_items} |
| `campaigns/NAME/judgements.csv` | every judgement; `current` = no marks answers corrected later |
| `campaigns/NAME/exclusions.csv` | raters whom a person excluded, and why |
| `campaigns/NAME/scores/*.json` | scores: standard options, by condition, and other options asked for |
| `scores/*.json` | scores of the study: campaigns of one protocol and language pair together |
| `testsets/NAME/` | segments, where each text comes from, and the SHA-256 of every line{texts_sets} |
| `mt-metrics-eval/` | human scores{texts_mtme} in the layout of that tool |
| `audit.jsonl` | who changed or took out what, and when |

{identities}

{texts}

## Numbers
Each file of scores states its options and a one-line signature. Same signature and judgements, same numbers;
where raters are resampled (`raters:random`), they are drawn in the order of the names in this package.
"""
NUMBERED = """Raters are numbered at random (R001, R002 …), the same in every package of this study; people
of the platform are U1, U2 … in the audit trail. Names in free texts were replaced too, where they stood as
words. What raters wrote to the researchers (reasons for skipping, reported problems, comments of answers that
came too late) is left out of the audit trail; its length stands there."""
NAMED = "Raters have the names they have on the platform: do not pass this package on without their consent."
WITH_TEXTS = "The texts themselves are included: mind their licences."
HASHES = """Texts are not included, for licences may forbid it. Whoever has them can compare: a line's SHA-256
is that of its text in UTF-8, without the line end."""


def readme(package: Package, numbered: bool, with_texts: bool) -> str:
    """Write the README of a package."""
    lines = []
    for campaign in package.campaigns:
        facts = campaign.facts
        judged = f"{campaign.judged.done:,} of {campaign.judged.assigned:,} judgements"
        lines.append(
            f"- **{facts.name}** ({facts.protocol}, {facts.languages}): {judged}, `{campaign.folder}`"
        )
    return TEXT.format(
        study=package.study,
        campaigns="\n".join(lines),
        identities=NUMBERED if numbered else NAMED,
        texts=WITH_TEXTS if with_texts else HASHES,
        texts_items=" and itself" if with_texts else "",
        texts_sets=", with the line" if with_texts else "",
        texts_mtme=", sources, references, outputs" if with_texts else "",
    )
