"""Check that a language model's text and back-translation's text have no line in common, and say so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from evalplatform.errors import BadInput
from evalplatform.words import counted
from mtcore.corpora.stream import stream_blocks
from mtcore.metrics.overlap import line_overlap
from mtcore.metrics.scoring import ScoreReport
from mtcore.services.metric_scoring import MetricOptions
from mtcore.services.texts import as_bad_input

BLOCK_BYTES = 1 << 22


def overlap_check(options: MetricOptions) -> None:
    """Refuse options that do not belong together, or files that are not there.

    Raises:
        BadInput: one text without the other, or no perplexity asked for.
    """
    if not options.lm_text and not options.bt_texts:
        return
    if not options.lm_text or not options.bt_texts:
        raise BadInput(
            "Whether the language model’s text is disjoint shows from two texts only.",
            "Give both --lm-text FILE and --bt-text FILE ….",
        )
    if "ppl" not in options.metrics:
        raise BadInput("--lm-text and --bt-text are for perplexity.", "Add ppl to --metrics.")
    for path in (options.lm_text, *options.bt_texts):
        if not Path(path).is_file():
            raise BadInput(f"There is no file {path}.", "Check the path.")


def overlap_tell(report: ScoreReport, options: MetricOptions) -> ScoreReport:
    """Return the report with how many lines the two texts share, where they were given."""
    if not options.lm_text:
        return report
    with as_bad_input():
        found = line_overlap(stream_blocks(options.lm_text, BLOCK_BYTES), _blocks(options.bt_texts))
    name = Path(options.lm_text).name
    if found.shared:
        told = (
            f"{name}: {counted(found.shared, 'line')} of {found.lines:,} ({found.share:.1%}) also in the "
            "back-translation text. A language model must be trained on other text than back-translation: "
            "else it favours what that text made fluent."
        )
    else:
        told = f"{name}: none of {counted(found.lines, 'line')} is in the back-translation text."
    overlap = {"lines": found.lines, "shared": found.shared, "share": found.share}
    return replace(report, overlap=overlap, notices=(*report.notices, told))


def _blocks(paths: tuple[str, ...]) -> Iterator[bytes]:
    for path in paths:
        yield from stream_blocks(path, BLOCK_BYTES)
