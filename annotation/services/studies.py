"""Studies and their people: find or make a study, its owner and its raters."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from django.contrib.auth.models import User
from django.db import transaction

from annotation.models import AuditEvent, Rater, Study
from evalplatform.errors import BadInput, Conflict, NotFound
from evalplatform.words import quoted
from mtcore.corpora.names import alike, check_name, check_unique
from mtcore.services.texts import as_bad_input, text_read

MAX_RATERS = 10_000


def owner_find(username: str) -> User:
    """Return the user of a name.

    Raises:
        NotFound: there is none.
    """
    found = User.objects.filter(username=username).first()
    if found is None:
        raise NotFound(
            f"There is no user “{username}”.", "Make one with `manage.py createsuperuser` or in the admin."
        )
    return found


def study_ready(*, name: str, owner: User | None = None, may_exist: bool = True) -> Study:
    """Find a study or make it; an owner is set where there was none.

    Raises:
        Conflict: it exists and may not, or belongs to somebody else.
    """
    study, created = Study.objects.get_or_create(name=name, defaults={"owner": owner})
    if not created and not may_exist:
        raise Conflict(
            f"A study “{name}” exists already.", f"Give --study “{name}” to add to it, or another --study."
        )
    if owner is not None and study.owner is None:
        study.owner = owner
        study.save(update_fields=["owner"])
    if owner is not None and study.owner != owner:
        raise Conflict(
            f"Study “{name}” belongs to {study.owner}, not to {owner}.",
            "Choose another study, or leave the owner out.",
        )
    return study


def study_named(name: str) -> Study:
    """Return the study of a name.

    Raises:
        NotFound: there is none; the message suggests a name that is close, or lists what there is.
    """
    found = Study.objects.filter(name=name).first()
    if found is not None:
        return found
    names = list(Study.objects.order_by("name").values_list("name", flat=True)[:1000])
    close = get_close_matches(name, names, n=1)
    if close:
        remedy = f"Did you mean “{close[0]}”?"
    elif names:
        remedy = f"The studies are: {quoted(names)}."
    else:
        remedy = "Make one with `manage.py create_study NAME`."
    raise NotFound(f"There is no study “{name}”.", remedy)


def study_create(*, name: str, owner: User | None = None, description: str = "") -> Study:
    """Make an empty study.

    Raises:
        BadInput: the name cannot be one.
        Conflict: there is a study of that name.
    """
    with as_bad_input():
        check_name(name, "study")
    with transaction.atomic():
        study, created = Study.objects.get_or_create(
            name=name, defaults={"owner": owner, "description": description}
        )
        if not created:
            raise Conflict(
                f"A study “{name}” exists already.",
                f"Add to it with `manage.py add_to_study {name!r} --campaign …`, or choose another name.",
            )
        AuditEvent.note("study.created", actor=owner, study=study)
    return study


def study_researchers_change(
    *, study: Study, add: Sequence[str] = (), remove: Sequence[str] = (), actor: User | None = None
) -> None:
    """Let people research in a study, or no longer, all or nothing; whoever does sees all of it.

    Args:
        study: which.
        add: user names; who is there already stays.
        remove: user names; who is not there is left out.
        actor: who does it.

    Raises:
        BadInput: nobody is named, or somebody twice over.
        NotFound: there is no such user.
    """
    both = sorted(set(add) & set(remove))
    if both or not (add or remove):
        raise BadInput(
            f"“{both[0]}” is added and removed at once." if both else "Nobody was named.",
            "Give user names to add or to remove.",
        )
    found = {name: owner_find(name) for name in dict.fromkeys([*add, *remove])}
    with transaction.atomic():
        study.researchers.add(*(found[name] for name in add))
        study.researchers.remove(*(found[name] for name in remove))
        AuditEvent.note("study.researchers", actor=actor, study=study, added=list(add), removed=list(remove))


def rater_names(wish: str) -> tuple[str, ...]:
    """Read how raters are called: a number makes R1 … RN, anything else is a file with one name a line.

    Raises:
        BadInput: no rater, too many, or names that are bad or not unique.
    """
    if wish.isascii() and wish.isdigit():
        count = int(wish)
        if not 1 <= count <= MAX_RATERS:
            raise BadInput(
                f"{wish} raters cannot be.", f"Give a number from 1 to {MAX_RATERS:,}, or a file of names."
            )
        return tuple(f"R{number}" for number in range(1, count + 1))
    text = text_read(wish)
    names = tuple(line for line in text.lines if line.strip())
    with as_bad_input():
        for name in names:
            check_name(name, "rater")
        check_unique(names, "rater")
    return names


def alike_notes(names: Sequence[str], study: Study | None) -> tuple[str, ...]:
    """Say which raters' names are so alike that one person may have got two; nothing where there are none.

    Args:
        names: of raters who are to come.
        study: whose raters they join; None for a new one.
    """
    known = [] if study is None else study.raters.values_list("name", flat=True)
    pairs = alike(names, [name for name in known if name not in set(names)])
    if not pairs:
        return ()
    shown = ", ".join(f"“{one}” and “{other}”" for one, other in pairs[:5])
    more = " …" if len(pairs) > 5 else ""
    return (
        f"Names of raters differ in nothing but capitals (or in how letters are stored): {shown}{more}. They "
        "are different people here; give one person one name.",
    )


def raters_ready(*, study: Study, names: Sequence[str]) -> list[Rater]:
    """Return the raters of a study by name, in the order of the names, making those it does not know."""
    known = {rater.name: rater for rater in study.raters.filter(name__in=names)}
    Rater.objects.bulk_create([Rater(study=study, name=name) for name in names if name not in known])
    known = {rater.name: rater for rater in study.raters.filter(name__in=names)}
    return [known[name] for name in names]
