"""Tell the language of a line, with a model that comes inside its package: nothing is fetched at run time.

The package is py3langid (139 languages, a naive Bayes classifier over byte n-grams, BSD licence).
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import logging
from functools import lru_cache
from typing import Any

from mtcore.corpora.errors import CorpusError
from mtcore.corpora.languages import standard_tag

PACKAGE = "py3langid"
INSTALL_HINT = f"Install it: pip install {PACKAGE}"
_SAME = {"nb": "no", "nn": "no"}


def is_available() -> bool:
    """Tell whether the package is installed."""
    return importlib.util.find_spec(PACKAGE) is not None


def signature() -> str:
    """Return the package and its version, for reports."""
    return f"{PACKAGE} {importlib.metadata.version(PACKAGE)}"


def identify(text: str) -> str:
    """Return the ISO code of the language a text is most likely in.

    Raises:
        CorpusError: the package is not installed.
    """
    label: str = _model().classify(text)[0]
    return _SAME.get(label, label)


def language_code(tag: str) -> str:
    """Return the code under which the model knows a language: "deu" → "de", "zh-Hant" → "zh".

    Raises:
        CorpusError: the model does not know the language, or is not installed.
    """
    code = standard_tag(tag).partition("-")[0]
    code = _SAME.get(code, code)
    if code not in {_SAME.get(label, label) for label in _model().labels}:
        raise CorpusError(
            f"the language identifier ({signature()}) does not know “{tag}”",
            remedy="Filter without language identification.",
        )
    return code


@lru_cache(maxsize=1)
def _model() -> Any:
    if not is_available():
        raise CorpusError("language identification needs the package py3langid", remedy=INSTALL_HINT)
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    logging.getLogger("py3langid").setLevel(logging.WARNING)
    return LanguageIdentifier.from_model_file(MODEL_FILE)
