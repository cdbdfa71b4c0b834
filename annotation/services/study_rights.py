"""Who may change a study: its owner and administrators; those who research in it see it."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.auth.models import AnonymousUser, User

from annotation.models import Campaign, Study
from evalplatform.errors import NotAllowed, NotFound

Person = User | AnonymousUser


def owns_study(study: Study, user: Person) -> bool:
    """Tell whether a person owns a study, or is an administrator."""
    return user.is_authenticated and (user.is_staff or study.owner_id == user.pk)


def study_own_check(*, study: Study, user: Person) -> None:
    """Make sure that this person owns a study, or is an administrator.

    Raises:
        NotAllowed: somebody who only researches in it.
    """
    if not owns_study(study, user):
        raise NotAllowed("This is for the owner of the study.", "Ask the owner.")


def campaigns_own_check(*, names: Sequence[str], user: Person) -> None:
    """Make sure that this person may move campaigns: they belong to studies that he or she owns.

    Raises:
        NotFound: a campaign that is not there, or not for this person.
        NotAllowed: one of a study of somebody else.
    """
    found = Campaign.objects.visible_to(user).filter(name__in=names).select_related("study")
    known = {one.name: one for one in found}
    for name in names:
        if name not in known:
            raise NotFound(f"There is no campaign “{name}”.", "Look at the list of campaigns.")
        study_own_check(study=known[name].study, user=user)
