"""Verify the package of a study: every file against its hash, every number against the judgements."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from annotation.services.package_files import package_open, safe_name, sha256_of
from annotation.services.package_layout import FORMAT, FORMAT_VERSION, MANIFEST
from annotation.services.package_read import (
    Files,
    Package,
    PackagedCampaign,
    package_read,
    read_json,
    read_table,
    stored_paths,
)
from annotation.services.package_readme import readme
from annotation.services.package_scores import (
    MTME,
    campaign_result,
    human_scores,
    options_again,
    options_name,
    study_result,
    usual_of_study,
    usual_options,
)
from annotation.services.verify_compare import ABSENT, Comparison, Difference
from annotation.services.verify_consistency import consistency_check, files_expect
from annotation.services.versions import versions_read
from annotation.stats.options import ScoreOptions
from annotation.stats.records import RatingTable
from annotation.stats.standardise import standardise
from evalplatform.errors import BadInput, UserError
from mtcore.models.fields import sha256

STANDARD = "standard"


@dataclass(frozen=True)
class Verified:
    """What was found: nothing to complain about when `differences` is empty.

    `fingerprint` is the SHA-256 of the manifest.
    """

    study: str
    fingerprint: str
    n_files: int
    n_judgements: int
    n_numbers: int
    differences: tuple[Difference, ...]
    notices: tuple[str, ...]


def study_verify(path: Path) -> Verified:
    """Check a package, folder or zip. Nothing is read from the database and nothing is written.

    Numbers are equal within 1e-9. Scores are compared field by field, so that an altered one is found even
    when the manifest was altered with it. In a package of another version of the platform everything that is
    stored is compared; what only this version says is passed over.

    Raises:
        BadInput: it is no package, or one that is dangerous to open or cannot be read.
    """
    files = package_open(path)
    manifest = _manifest(files)
    check = _Check(files, manifest)
    check.hashes()
    check.texts()
    package = package_read(files)
    check.parts(package)
    check.numbers(package)
    return Verified(
        package.study,
        sha256_of(files.read(MANIFEST)),
        len(files.names),
        sum(len(one.lines) or one.judged.done for one in package.campaigns),
        check.found.n_numbers,
        tuple(check.found.differences),
        tuple(check.notices()),
    )


def _manifest(files: Files) -> Mapping[str, Any]:
    manifest = read_json(files, MANIFEST)
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise BadInput("This is no package of a study.", "Give the folder or zip that export_study wrote.")
    if manifest.get("format_version") != FORMAT_VERSION:
        raise BadInput(
            f"The package's format has version {manifest.get('format_version')}, expected {FORMAT_VERSION}.",
            "Verify it with the platform's version in its manifest.",
        )
    if not isinstance(manifest.get("files"), dict) or not isinstance(manifest.get("versions"), dict):
        raise BadInput(f"{MANIFEST} has no files or no versions.", "Take the package as it was exported.")
    return manifest


class _Check:
    """Compare a package with itself, part by part."""

    def __init__(self, files: Files, manifest: Mapping[str, Any]) -> None:
        self.files = files
        self.listed: dict[str, Any] = manifest["files"]
        self.numbered = manifest.get("identities") == "numbers"
        self.with_texts = manifest.get("texts") is True
        self.made_with = {name: str(one) for name, one in manifest["versions"].items()}
        self.versions = {name: self.made_with.get(name, "unknown") for name in versions_read()}
        self.other_version = self.made_with.get("version") != versions_read()["version"]
        self.found = Comparison(other_version=self.other_version)

    def notices(self) -> list[str]:
        """Say where this installation is another one than the one that made the package."""
        own = {**versions_read(), "python": platform.python_version()}
        return [
            f"made with {name} {self.made_with.get(name, 'unknown')}, verified with {version}"
            for name, version in own.items()
            if self.made_with.get(name) != version
        ]

    def hashes(self) -> None:
        """Compare every file with the manifest."""
        present = set(self.files.names) - {MANIFEST}
        for name, entry in self.listed.items():
            if not safe_name(name) or name not in present:
                self.found.add(name, "", "the file", "in the manifest", ABSENT)
                continue
            stored = entry.get("sha256") if isinstance(entry, dict) else entry
            own = sha256_of(self.files.read(name))
            if stored != own:
                self.found.add(name, "", "sha256", stored, own)
        for name in sorted(present - set(self.listed)):
            self.found.add(name, "", "the file", "not in the manifest", "present")

    def texts(self) -> None:
        """Compare texts, where the package has them, with their hashes."""
        for name in self.files.names:
            if not name.endswith(("/texts.csv", "/items.csv")):
                continue
            for number, row in enumerate(read_table(self.files, name, ("sha256",)), start=1):
                text = row.get("text")
                if text is not None and row["sha256"] and sha256(text) != row["sha256"]:
                    self.found.add(name, f"row {number:,}", "sha256", row["sha256"], sha256(text))

    def parts(self, package: Package) -> None:
        """Compare the parts of the package with each other."""
        if not files_expect(self.files, self.found):
            return
        consistency_check(self.files, package, self.found)
        if not self.other_version:
            words = readme(package, self.numbered, self.with_texts)
            if self.files.read("README.md").decode("utf-8", "replace") != words:
                self.found.add("README.md", "", "the text", "altered", "as this version writes it")

    def numbers(self, package: Package) -> None:
        """Recompute everything that is made from judgements."""
        for campaign in package.campaigns:
            self._z(campaign)
            self._exclusions(campaign)
            self._campaign(package, campaign)
        self._study(package)
        self._human_scores(package)

    def _z(self, campaign: PackagedCampaign) -> None:
        table = campaign.judged.records
        if not isinstance(table, RatingTable):
            return
        file = f"{campaign.folder}/judgements.csv"
        fresh = [None if np.isnan(z) else round(z, 10) for z in standardise(table).z.tolist()]
        for line, stored, own in zip(campaign.lines, campaign.z, fresh, strict=True):
            self.found.value(file, f"line {line:,}", "z", stored, own)

    def _exclusions(self, campaign: PackagedCampaign) -> None:
        """Whoever is excluded in the judgements has a reason in the list of exclusions, and the same one."""
        file = f"{campaign.folder}/exclusions.csv"
        rows = read_table(self.files, file, ("rater", "excluded_by"))
        listed = {row["rater"]: row["excluded_by"] for row in rows}
        table = campaign.judged.records
        if isinstance(table, RatingTable):
            told = dict(zip(table.raters, table.excluded_by, strict=True))
        else:
            told = {one.rater: one.excluded_by for one in table.all_shown()}
        for rater, why in told.items():
            self.found.value(file, rater, "excluded_by", listed.get(rater, ""), why)

    def _campaign(self, package: Package, campaign: PackagedCampaign) -> None:
        paths = stored_paths(self.files, campaign.folder)
        self._expect_standard(paths, f"{campaign.folder}/scores", campaign.judged.is_empty)
        for path in paths:
            self._result(
                path,
                campaign.facts.name,
                usual_options(campaign),
                lambda options: campaign_result(package, campaign, options, self.versions),
            )

    def _study(self, package: Package) -> None:
        paths = stored_paths(self.files, "")
        self._expect_standard(paths, "scores", all(one.judged.is_empty for one in package.campaigns))
        for path in paths:
            self._result(
                path,
                package.study,
                usual_of_study(package),
                lambda options: study_result(package, options, self.versions),
            )

    def _expect_standard(self, paths: list[str], folder: str, is_empty: bool) -> None:
        if not is_empty and f"{folder}/{STANDARD}.json" not in paths:
            self.found.add(f"{folder}/{STANDARD}.json", "", "the file", ABSENT, "expected")

    def _result(self, path: str, name: str, usual: ScoreOptions, compute: Any) -> None:
        stored = read_json(self.files, path)
        plain = stored.get("options") if isinstance(stored, dict) else None
        options = options_again(plain) if isinstance(plain, dict) else None
        if options is None:
            self.found.add(path, name, "options", plain, "no options of scores")
            return
        own = path.rsplit("/", 1)[-1].removesuffix(".json")
        if options_name(options, usual) != own and not (self.other_version and own.startswith("options-")):
            self.found.add(path, name, "options", own, options_name(options, usual))
        try:
            fresh = compute(options)
        except (ValueError, UserError) as error:
            self.found.add(path, name, "scores", "present", str(error))
            return
        self.found.value(path, name, "", stored, fresh)

    def _human_scores(self, package: Package) -> None:
        try:
            fresh = human_scores(package)
        except BadInput as error:
            self.found.add(MTME, package.study, "scores", "present", error.message)
            return
        stored = [
            name for name in self.files.names if name.startswith(f"{MTME}/") and name.endswith(".score")
        ]
        for path in sorted({*fresh, *stored}):
            if path not in fresh or path not in stored:
                row = (ABSENT, "expected") if path in fresh else ("present", ABSENT)
                self.found.add(path, "", "the file", *row)
                continue
            old = _scores(self.files.read(path).decode("utf-8", "replace"))
            new = _scores(fresh[path])
            if len(old) != len(new):
                self.found.add(path, "", "number of lines", len(old), len(new))
                continue
            for number, (one, own) in enumerate(zip(old, new, strict=True), start=1):
                self.found.value(path, f"line {number:,}, {own[0]}", "score", [*one], [*own])


def _scores(text: str) -> list[tuple[str, float | str]]:
    """Return system and score of each line."""
    rows: list[tuple[str, float | str]] = []
    for line in text.split("\n")[:-1]:
        system, _, score = line.rpartition("\t")
        try:
            rows.append((system, float(score)))
        except ValueError:
            rows.append((system, score))
    return rows
