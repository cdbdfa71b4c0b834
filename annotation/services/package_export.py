"""Export a study as a package that stands alone: whoever has it can recompute every number in it."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q

from annotation.models import AuditEvent, Campaign, ScoreRun, Study
from annotation.services.package_audit import audit_lines
from annotation.services.package_campaign import campaign_write
from annotation.services.package_files import FolderFiles
from annotation.services.package_layout import (
    AUDIT,
    FORMAT,
    FORMAT_VERSION,
    MANIFEST,
    STUDY,
    file_entry,
    files_below,
    slugs,
    write_json,
    write_text,
    write_zip,
)
from annotation.services.package_read import Package, package_read
from annotation.services.package_readme import readme
from annotation.services.package_scores import (
    campaign_result,
    human_scores,
    options_again,
    options_name,
    places_of,
    study_result,
    usual_of_study,
    usual_options,
)
from annotation.services.package_texts import NO_DOCUMENT, mtme_texts_write, testset_write
from annotation.services.pseudonyms import Pseudonyms, pseudonyms_ready
from annotation.services.scoring import READS, judgements_digest
from annotation.services.sealing import seal_check
from annotation.services.versions import versions_read
from annotation.stats.options import ScoreOptions
from evalplatform.errors import BadInput, Conflict, UserError
from evalplatform.leftovers import leftovers_remove, part_folder
from mtcore.models import System, TestSet

EXPORTED = "study.exported"
"""The audit event of an export; a package leaves these out, or it would differ from the one before."""


@dataclass(frozen=True)
class ExportedStudy:
    """What was written: where, how many files and campaigns, and what could not be scored, in words.

    `fingerprint` is the SHA-256 of the manifest, which holds that of every other file.
    """

    path: Path
    n_files: int
    n_campaigns: int
    fingerprint: str
    notices: tuple[str, ...]


def study_export(
    *,
    study: Study,
    output: Path,
    identities: bool = False,
    with_texts: bool = False,
    actor: User | None = None,
) -> ExportedStudy:
    """Write a package: a zip when the name ends in .zip, else a folder. It appears whole or not at all.

    The same study gives the same bytes.

    Args:
        study: the study.
        output: where to; must not exist.
        identities: keep raters' names instead of numbers.
        with_texts: write texts themselves, not only their hashes.
        actor: who takes the data out.

    Raises:
        BadInput: the output exists, or its folder does not; or the study is empty.
        Conflict: judgements kept arriving, or a campaign is sealed.
    """
    _check_output(output)
    campaigns = list(Campaign.objects.filter(study=study).select_related("study").order_by("name"))
    if not campaigns:
        raise BadInput(
            f"The study “{study.name}” has no campaign.", "Add one with `manage.py add_to_study` first."
        )
    for campaign in campaigns:
        seal_check(campaign)
    names = Pseudonyms({}) if identities else pseudonyms_ready(study)
    removed = [
        f"Removed {name}, which an export that was killed had left." for name in leftovers_remove(output)
    ]
    for _ in range(READS):
        with part_folder(output) as work:
            before = [judgements_digest(campaign) for campaign in campaigns]
            writer = _Writer(study, campaigns, names, work / "package", with_texts)
            notices = writer.write()
            if [judgements_digest(campaign) for campaign in campaigns] != before:
                continue
            n_files = len(files_below(writer.folder))
            fingerprint = file_entry(writer.folder / MANIFEST)["sha256"]
            _publish(writer.folder, output)
        AuditEvent.note(
            EXPORTED, actor=actor, study=study, file=output.name, identities=identities, texts=with_texts
        )
        return ExportedStudy(output, n_files, len(campaigns), fingerprint, (*removed, *notices))
    raise Conflict(
        f"Judgements of “{study.name}” kept arriving while it was exported; nothing was written.",
        "Close its campaigns, or try again in a quiet moment.",
    )


def _check_output(output: Path) -> None:
    if output.exists() or output.is_symlink():
        raise BadInput(f"{output} exists already.", "Choose another name, or remove it.")
    if not output.absolute().parent.is_dir():
        raise BadInput(f"The folder {output.parent} does not exist.", "Make it first.")


def _publish(folder: Path, output: Path) -> None:
    """Let the package appear under its name in one step."""
    made = folder
    if output.suffix.lower() == ".zip":
        made = folder.with_suffix(".zip")
        write_zip(folder, made)
    _check_output(output)
    made.rename(output)


class _Writer:
    """Write the files of a package into a folder."""

    def __init__(
        self, study: Study, campaigns: Sequence[Campaign], names: Pseudonyms, folder: Path, with_texts: bool
    ) -> None:
        self.study = study
        self.campaigns = campaigns
        self.names = names
        self.folder = folder
        self.with_texts = with_texts
        self.notices: list[str] = []
        self.versions = versions_read()
        self.slugs = slugs(campaign.name for campaign in campaigns)
        self.testsets = list(
            TestSet.objects.filter(Q(campaign_outputs__campaign__study=study) | Q(studies=study))
            .distinct()
            .order_by("name")
        )
        self.testset_slugs = slugs(testset.name for testset in self.testsets)
        self.systems = sorted(
            set(
                System.objects.filter(
                    Q(campaign_outputs__campaign__study=study) | Q(studies=study)
                ).values_list("name", flat=True)
            )
        )

    def write(self) -> list[str]:
        """Write everything; return what could not be scored, in words."""
        write_json(self.folder / STUDY, self._description())
        for campaign in self.campaigns:
            folder = self.folder / "campaigns" / self.slugs[campaign.name]
            campaign_write(campaign, folder, self.names, with_texts=self.with_texts)
        for testset in self.testsets:
            folder = self.folder / "testsets" / self.testset_slugs[testset.name]
            testset_write(testset, self.systems, folder, with_texts=self.with_texts)
        write_text(self.folder / AUDIT, "".join(f"{line}\n" for line in self._audit()))
        package = package_read(FolderFiles(self.folder))
        self._scores(package)
        self._mtme(package)
        write_text(self.folder / "README.md", readme(package, bool(self.names.names), self.with_texts))
        self._manifest()
        return self.notices

    def _description(self) -> dict[str, Any]:
        return {
            "name": self.study.name,
            "description": self.names.text(self.study.description),
            "created_at": self.study.created_at.isoformat(),
            "systems": self.systems,
            "testsets": {name: f"testsets/{slug}" for name, slug in self.testset_slugs.items()},
            "campaigns": [f"campaigns/{self.slugs[campaign.name]}" for campaign in self.campaigns],
        }

    def _audit(self) -> Iterator[str]:
        """Yield who changed or took what."""
        found = AuditEvent.objects.filter(Q(study=self.study) | Q(campaign__in=self.campaigns))
        return audit_lines(found.exclude(action=EXPORTED).order_by("at", "pk"), self.names)

    def _scores(self, package: Package) -> None:
        """Write scores with the standard options, and with all that were asked for before."""
        for campaign, row in zip(package.campaigns, self.campaigns, strict=True):
            if campaign.judged.is_empty:
                self.notices.append(f"“{row.name}” has no judgements yet.")
                continue
            runs = ScoreRun.objects.filter(campaign=row)
            for name, options in self._options(runs, usual_options(campaign)).items():
                with self._tried(f"“{row.name}” with {name}"):
                    result = campaign_result(package, campaign, options, self.versions)
                    write_json(self.folder / campaign.folder / "scores" / f"{name}.json", result)
        if all(campaign.judged.is_empty for campaign in package.campaigns):
            return
        runs = ScoreRun.objects.filter(study=self.study, campaign=None)
        for name, options in self._options(runs, usual_of_study(package)).items():
            with self._tried(f"the study with {name}"):
                result = study_result(package, options, self.versions)
                write_json(self.folder / "scores" / f"{name}.json", result)

    def _options(self, runs: Any, usual: ScoreOptions) -> dict[str, ScoreOptions]:
        """Return the options to score with, by the names of their files."""
        chosen = [usual, replace(usual, by_condition=True)]
        for stored in runs.filter(result__isnull=False).order_by("pk").values_list("options", flat=True):
            options = options_again(stored)
            if options is not None:
                chosen.append(options)
        return dict(sorted({options_name(options, usual): options for options in chosen}.items()))

    @contextmanager
    def _tried(self, what: str) -> Iterator[None]:
        """Leave out scores with options that no longer fit, and say so."""
        try:
            yield
        except (ValueError, UserError) as error:
            self.notices.append(f"No scores of {what}: {error}")

    def _mtme(self, package: Package) -> None:
        for path, text in human_scores(package).items():
            write_text(self.folder / path, text)
        places = places_of(package)
        for testset in self.testsets:
            pair = f"{testset.source_language}-{testset.target_language}"
            folders = {
                input_: self.folder / at for (name, input_), at in places.items() if name == testset.name
            }
            documents = [
                f"{testset.name.replace(' ', '_')}\t{(document or NO_DOCUMENT).replace(' ', '_')}\n"
                for _, document in package.segments[testset.name]
            ]
            for folder in folders.values():
                write_text(folder / "documents" / f"{pair}.docs", "".join(documents))
            if self.with_texts and testset.texts_known:
                mtme_texts_write(testset, self.systems, folders, pair)

    def _manifest(self) -> None:
        write_json(
            self.folder / MANIFEST,
            {
                "format": FORMAT,
                "format_version": FORMAT_VERSION,
                "study": self.study.name,
                "identities": "numbers" if self.names.names else "names",
                "texts": self.with_texts,
                "versions": {**self.versions, "python": platform.python_version()},
                "files": {name: file_entry(self.folder / name) for name in files_below(self.folder)},
            },
        )
