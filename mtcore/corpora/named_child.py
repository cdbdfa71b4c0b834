"""Ask sacrebleu for one of its named test sets, in a process of its own, and print what it has as JSON.

sacrebleu downloads without a time limit and ends the process when something does not fit; neither may happen
to a server. Run as a file: NAME LANGUAGES, and --cached to download nothing.
"""

from __future__ import annotations

import argparse
import json
import socket
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError

CACHED, MISSING, DAMAGED, UNREACHED, UNUSABLE = "cached", "missing", "damaged", "unreached", "unusable"
SILENT_SECONDS = 20
"""A server that says nothing for so long is not waited for."""


class NotCached(Exception):
    """A file of the test set is not in the cache."""


def main() -> None:
    """Answer one question."""
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("languages")
    parser.add_argument("--cached", action="store_true")
    asked = parser.parse_args()
    socket.setdefaulttimeout(SILENT_SECONDS)
    print(json.dumps(answer(asked.name, asked.languages, cached=asked.cached)))


def answer(name: str, languages: str, *, cached: bool) -> dict[str, Any]:
    """Return the state, and where all is well the place of the cache and field → file."""
    from sacrebleu.dataset import DATASETS
    from sacrebleu.dataset.base import Dataset
    from sacrebleu.utils import SACREBLEU_DIR

    if cached:
        Dataset.maybe_download = _only_look  # type: ignore[method-assign]
    told: dict[str, Any] = {"cache": SACREBLEU_DIR}
    dataset = DATASETS[name]
    try:
        files = dataset.get_files(languages)
        fields = dataset.fieldnames(languages)
    except NotCached:
        return told | {"state": MISSING}
    except HTTPError as error:
        return told | {"state": UNUSABLE, "told": f"{error.geturl()} answered {error.code}"}
    except (URLError, TimeoutError, ConnectionError, HTTPException) as error:
        return told | {"state": UNREACHED, "told": str(getattr(error, "reason", error))}
    except OSError as error:
        return told | {"state": UNUSABLE, "told": error.strerror}
    except SystemExit:
        return told | {"state": DAMAGED}
    return told | {"state": CACHED, "files": dict(zip(fields, files, strict=True))}


def _only_look(dataset: Any) -> None:
    """Stand for sacrebleu's download: nothing is fetched, no folder is made.

    Raises:
        NotCached: a file would have to be fetched.
    """
    for url in dataset.data:
        path = Path(dataset._rawdir) / dataset._get_tarball_filename(url)
        if not path.is_file() or not path.stat().st_size:
            raise NotCached(str(path))


if __name__ == "__main__":
    main()
