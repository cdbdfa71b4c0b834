"""Give out the package of a study over the net: to whom, with what, and as a stream."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import IO, Any

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from annotation.models import Study
from annotation.services.package_export import study_export
from evalplatform.errors import NotAllowed

_CHUNK = 1 << 20


def may_name_raters(study: Study, user: object) -> bool:
    """Tell who takes a package with raters' names: the owner of the study and administrators."""
    return isinstance(user, User) and (user.is_staff or study.owner_id == user.pk)


def package_write(
    *, study: Study, stream: IO[Any], actor: User | None, identities: bool = False, with_texts: bool = False
) -> None:
    """Write the package of a study as one zip into a stream of bytes.

    Args:
        study: the study.
        stream: where to; nothing is written into it before the package is whole.
        actor: who takes the data out.
        identities: keep raters' names instead of numbers.
        with_texts: write texts themselves, not only their hashes.

    Raises:
        NotAllowed: names are asked for by somebody who does not own the study.
        BadInput: the study is empty.
        Conflict: judgements kept arriving, or a campaign is sealed.
    """
    if identities and not may_name_raters(study, actor):
        raise NotAllowed(
            _("The names of raters are for the owner of the study."),
            _("Ask the owner, or take the package in which raters have numbers."),
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "package.zip"
        study_export(study=study, output=path, actor=actor, identities=identities, with_texts=with_texts)
        with path.open("rb") as made:
            while part := made.read(_CHUNK):
                stream.write(part)
