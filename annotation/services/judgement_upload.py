"""Import judgements from a file that was sent, by a page or the API: the same import, within limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from annotation.formats.cells import parse_scale
from annotation.services.import_checks import ImportRequest, check_request
from annotation.services.judgement_import import Imported, judgements_import
from evalplatform.errors import BadInput
from mtcore.corpora.unpack import gunzip, is_gzip
from mtcore.services.texts import as_bad_input

MOST_BYTES = 20 * 1024**2
"""Most bytes of a file that is sent; larger ones are imported on the server."""
MOST_UNPACKED = 10 * MOST_BYTES
LONGEST_MAP = 2000
"""Most characters of a column map."""


class Upload(Protocol):
    """A file as it was sent."""

    name: str | None
    size: int | None

    def read(self) -> bytes:
        """Give all its bytes."""


def upload_import(*, upload: Upload, given: Mapping[str, Any], user: User | None) -> Imported:
    """Import a file of judgements that was sent; all of it or nothing.

    Args:
        upload: the file, plain or .gz.
        given: what is said about it, by the names of `ImportRequest`; `map` and `scale` as the command
            takes them ("rater=COL,…", "0-100").
        user: who asks, and owns a study that is made for it.

    Raises:
        BadInput: it is too large, or cannot be used; the message names file and line.
        Conflict: as `judgements_import`.
    """
    name = upload.name or _("file")
    request = request_of(given, name)
    if (upload.size or 0) > MOST_BYTES:
        raise BadInput(
            _("%(name)s has more than %(n)d MB.") % {"name": name, "n": MOST_BYTES // 1024**2},
            _("Import it on the server: manage.py import_judgements."),
        )
    data = upload.read()
    if is_gzip(data):
        with as_bad_input():
            data = gunzip(data, name, max_bytes=MOST_UNPACKED)
    return judgements_import(request=request, data=data, user=user)


def request_of(given: Mapping[str, Any], file_name: str) -> ImportRequest:
    """Return what is asked for, checked; `given` has the names of the command's options.

    Raises:
        BadInput: as `check_request`.
    """
    request = ImportRequest(
        campaign=given["campaign"],
        file_name=file_name,
        format=given["format"],
        protocol=given["protocol"],
        languages=given["languages"],
        testset=given["testset"],
        column_map=given["map"],
        scale=scale_read(given["scale"]),
        unknown_kinds=given["unknown_kinds"],
        study=given["study"],
    )
    check_request(request)
    return request


def scale_read(text: str | None) -> tuple[float, float] | None:
    """Read a scale as "0-100"; None takes what the file says.

    Raises:
        BadInput: it is no scale.
    """
    if not text:
        return None
    with as_bad_input():
        return parse_scale(text)
