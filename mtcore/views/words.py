"""How these pages write kinds and states of runs, lengths of time, counts and sizes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.template.defaultfilters import filesizeformat
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from evalplatform.words import rounded
from mtcore.models import Corpus, Run

KINDS = {
    "import_corpus": gettext_lazy("import of a corpus"),
    "filter_corpus": gettext_lazy("filtering of a corpus"),
    "mix_corpora": gettext_lazy("mixing of corpora"),
    "split_corpus": gettext_lazy("splitting of a corpus"),
    "train_model": gettext_lazy("training of a model"),
    "train_lm": gettext_lazy("training of a language model"),
    "translate_testset": gettext_lazy("translation of a test set"),
    "translate_shard": gettext_lazy("translation of a shard"),
    "join_shards": gettext_lazy("joining of shards"),
    "preflight": gettext_lazy("preflight of a training"),
    "score_lm": gettext_lazy("scoring by a language model"),
    "score_outputs": gettext_lazy("scoring of outputs"),
    "measure_diversity": gettext_lazy("measurement of diversity"),
    "compare_fluency": gettext_lazy("comparison of fluency"),
    "compare_closeness": gettext_lazy("closeness to natural text"),
    "compare_directions": gettext_lazy("comparison of directions"),
}
"""Kind of run → words; a kind without words is shown by its name."""
STATE_CLASSES = {
    Run.State.QUEUED: "muted", Run.State.RUNNING: "running", Run.State.SUCCEEDED: "good",
    Run.State.FAILED: "bad", Run.State.CANCELLED: "warn",
}  # fmt: skip


def kind_words(kind: str) -> str:
    """Write the kind of a run."""
    return str(KINDS.get(kind, kind.replace("_", " ")))


def state_words(state: str, *, stopping: bool = False) -> str:
    """Write the state of a run."""
    if stopping and state == Run.State.RUNNING:
        return _("being stopped")
    return {
        Run.State.QUEUED.value: pgettext("state of a run", "waiting"),
        Run.State.RUNNING.value: pgettext("state of a run", "running"),
        Run.State.SUCCEEDED.value: pgettext("state of a run", "succeeded"),
        Run.State.FAILED.value: pgettext("state of a run", "failed"),
        Run.State.CANCELLED.value: pgettext("state of a run", "cancelled"),
    }[str(state)]


def state_of(run: Run) -> dict[str, str]:
    """Return the words and the style of a run's state."""
    return {
        "words": state_words(run.state, stopping=run.cancel_requested),
        "style": STATE_CLASSES[Run.State(run.state)],
    }


def corpus_kind_words(kind: str) -> str:
    """Write the kind of a corpus."""
    return {
        Corpus.Kind.PARALLEL.value: pgettext("kind of a corpus", "parallel"),
        Corpus.Kind.MONOLINGUAL.value: pgettext("kind of a corpus", "in one language"),
        Corpus.Kind.SYNTHETIC.value: pgettext("kind of a corpus", "back-translated"),
    }[str(kind)]


def duration(length: timedelta | None) -> str:
    """Write "2 d 3 h", "1 h 20 min", "4 min 5 s" or "12 s"; an en dash for None."""
    if length is None:
        return "–"
    seconds = max(0, round(length.total_seconds()))
    parts = []
    for size, unit in ((86400, _("%(n)s d")), (3600, _("%(n)s h")), (60, _("%(n)s min")), (1, _("%(n)s s"))):
        if seconds >= size:
            parts.append(unit % {"n": seconds // size})
            seconds %= size
        elif parts:
            break
    return " ".join(parts[:2]) or _("%(n)s s") % {"n": 0}


def grouped(n: int) -> str:
    """Write a whole number with the separators of the reader's language."""
    return number_format(n, decimal_pos=0, force_grouping=True)


def percent(part: float) -> str:
    """Write a part of one in whole per cent; only what is finished is 100."""
    return _("%(n)s %%") % {"n": min(99, int(100 * part)) if part < 1 else 100}


def size(n_bytes: int) -> str:
    """Write a number of bytes."""
    return str(filesizeformat(n_bytes))


def figure(value: Any) -> str:
    """Write a measured number in few digits; what is no number as it is."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if value == int(value) and abs(value) < 1e15:
        return grouped(int(value))
    large = abs(value)
    if 0 < large < 0.001:
        return f"{value:.2g}"
    digits = 0 if large >= 1000 else 1 if large >= 100 else 2 if large >= 1 else 4
    return rounded(value, digits)
