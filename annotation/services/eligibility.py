"""Who may take part: what a campaign requires, what raters say about themselves, and who was let in anyway.

`Rater.profile` holds what a person stated, for all campaigns of the study. `Participation.eligibility` holds
what was decided in one campaign and the part of the statement that decided it: `state` ("eligible", "refused"
or "admitted"), `filled` once the form was answered, `asked` while the rater looks again at what is missing.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.models import AuditEvent, Campaign, Participation, Rater
from annotation.services.campaign_settings import CampaignSettings
from evalplatform.errors import BadInput, Conflict, NotAllowed, NotFound
from mtcore.corpora.language_choice import covers
from mtcore.corpora.languages import language_name

ELIGIBLE, REFUSED, ADMITTED = "eligible", "refused", "admitted"
NATIVE, FLUENT = "native", "fluent"
ASKED = "asked"
WHY_LENGTH = 300


@dataclass(frozen=True)
class Profile:
    """What a rater states: languages as tags, `other` with levels, years of experience, kind of work."""

    native: tuple[str, ...]
    fluent: tuple[str, ...] = ()
    other: tuple[tuple[str, str], ...] = ()
    years: int | None = None
    profession: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return it as it is stored."""
        return {
            name: [list(one) if isinstance(one, tuple) else one for one in value]
            if isinstance(value, tuple)
            else value
            for name, value in asdict(self).items()
        }


@dataclass(frozen=True)
class Need:
    """A language that is required: `kind` is "native" or "fluent"."""

    kind: str
    language: str

    def words(self) -> str:
        """Name it in the language of the page."""
        name = language_name(self.language, get_language() or "en")
        if self.kind == NATIVE:
            return _("%(language)s as a native language") % {"language": name}
        return _("%(language)s fluently or better") % {"language": name}

    def met(self, profile: Profile) -> bool:
        """Tell whether a rater has it; a native language counts as fluent."""
        known = profile.native if self.kind == NATIVE else (*profile.native, *profile.fluent)
        return any(covers(language, self.language) for language in known)


def needs(campaign: Campaign) -> tuple[Need, ...]:
    """Return the languages a campaign requires."""
    made = CampaignSettings.of(campaign)
    own = {"source": campaign.source_language, "target": campaign.target_language}
    return tuple(
        Need(kind, own.get(language, language))
        for kind, languages in ((NATIVE, made.native), (FLUENT, made.fluent))
        for language in languages
    )


def asks_form(campaign: Campaign) -> bool:
    """Tell whether raters fill in the form before they begin."""
    wanted = campaign.settings
    return bool(wanted.get("asks_profile") or wanted.get("native") or wanted.get("fluent"))


def form_pending(participation: Participation) -> bool:
    """Tell whether a rater has still to fill in the form, or was refused."""
    return asks_form(participation.campaign) and (
        not participation.eligibility.get("filled") or is_refused(participation)
    )


def is_refused(participation: Participation) -> bool:
    """Tell whether a rater lacks a language and was not let in."""
    return participation.eligibility.get("state") == REFUSED


def missing(participation: Participation) -> tuple[Need, ...]:
    """Return what a rater lacked."""
    return tuple(Need(kind, language) for kind, language in participation.eligibility.get("missing", ()))


def eligibility_check(participation: Participation) -> None:
    """Make sure that a rater has filled in the form where there is one, and was not refused.

    Raises:
        NotAllowed: a language is missing; the message names it.
        Conflict: the form is not filled in yet.
    """
    if is_refused(participation):
        raise refusal(participation)
    if form_pending(participation):
        raise Conflict(
            _("You have not told us your languages yet."),
            _("Open your invitation link again and fill in the form."),
        )


def refusal(participation: Participation) -> NotAllowed:
    """Return the words for who lacks a language."""
    lacking = "; ".join(need.words() for need in missing(participation))
    return NotAllowed(
        _("Thank you for your interest. This campaign needs raters who know: %(languages)s.")
        % {"languages": lacking},
        _("If that is a mistake, write to the person who invited you: they can let you in."),
    )


def profile_ask(*, participation: Participation, profile: Profile) -> tuple[Need, ...]:
    """Return what a statement lacks the first time it does; () afterwards, and when nothing is lacking.

    So a slip is not final: the rater sees what would be missing, and what is sent next counts. Only what was
    missing is kept of it, until then.
    """
    with transaction.atomic():
        own = Participation.objects.select_for_update(of=("self",)).select_related("campaign")
        found = own.get(pk=participation.pk)
        lacking = tuple(need for need in needs(found.campaign) if not need.met(profile))
        if not lacking or ASKED in found.eligibility or found.eligibility.get("state") in (REFUSED, ADMITTED):
            return ()
        found.eligibility = found.eligibility | {ASKED: [[need.kind, need.language] for need in lacking]}
        found.save(update_fields=["eligibility"])
    participation.eligibility = found.eligibility
    return lacking


def asked_about(participation: Participation) -> tuple[Need, ...]:
    """Return what a rater has been asked about: their first statement lacked it, the next one counts."""
    return tuple(Need(kind, language) for kind, language in participation.eligibility.get(ASKED, ()))


def profile_save(*, participation: Participation, profile: Profile) -> bool:
    """Keep what a rater states and decide; of who is refused, only what is missing is kept.

    Returns:
        Whether the rater may go on.

    Raises:
        Conflict: the rater has agreed to take part already.
        NotAllowed: the rater was refused before.
    """
    with transaction.atomic():
        own = Participation.objects.select_for_update(of=("self",)).select_related("campaign", "rater")
        found = own.get(pk=participation.pk)
        if is_refused(found):
            raise refusal(found)
        if found.consented_at is not None and found.eligibility.get("filled"):
            raise Conflict(
                _("What you told us about your languages is kept already."),
                _("Write to the person who invited you to have it changed."),
            )
        required = needs(found.campaign)
        lacking = [need for need in required if not need.met(profile)]
        is_in = not lacking or found.eligibility.get("state") == ADMITTED
        found.eligibility = _decision(found.eligibility, profile, required, lacking, is_in)
        found.save(update_fields=["eligibility"])
        if is_in:
            Rater.objects.filter(pk=found.rater_id).update(profile=profile.as_json())
        else:
            _note("rater.refused", found)  # not what is missing: the audit trail is published
    participation.eligibility = found.eligibility
    return is_in


def rater_admit(*, campaign: Campaign, rater: str, why: str, actor: User | None = None) -> Participation:
    """Let a rater in who lacks a language, or who has not been asked yet.

    Raises:
        BadInput: no reason is given, or one that is too long.
        NotFound: no such rater in the campaign.
        Conflict: nothing is required, or the rater has all of it.
    """
    if not why.strip() or len(why) > WHY_LENGTH or "\x00" in why:
        raise BadInput(
            "A reason is needed to let somebody in who lacks a language.",
            f"Say why in 1 to {WHY_LENGTH} characters.",
        )
    with transaction.atomic():
        own = campaign.participations.select_for_update(of=("self",)).select_related("rater", "campaign")
        found = own.filter(rater__name=rater).first()
        if found is None:
            raise NotFound(f"There is no rater “{rater}” in campaign “{campaign.name}”.", "Check the name.")
        if not needs(campaign):
            raise Conflict(f"Campaign “{campaign.name}” requires no language.", "Nothing was changed.")
        if found.eligibility.get("state") in (ELIGIBLE, ADMITTED):
            raise Conflict(f"Rater “{rater}” may take part already.", "Nothing was changed.")
        kept = {name: found.eligibility[name] for name in ("missing",) if name in found.eligibility}
        found.eligibility = kept | {"state": ADMITTED, "why": why.strip(), "at": timezone.now().isoformat()}
        found.save(update_fields=["eligibility"])
        _note("rater.admitted", found, actor=actor, why=why.strip())
    return found


def _decision(
    before: dict[str, Any],
    profile: Profile,
    required: tuple[Need, ...],
    lacking: list[Need],
    is_in: bool,
) -> dict[str, Any]:
    """Return what is kept of a decision, with the languages that decided it."""
    now = timezone.now().isoformat()
    named = [[need.kind, need.language] for need in lacking]
    if not is_in:
        return {"state": REFUSED, "missing": named, "at": now}
    stated = {"native": list(profile.native), "fluent": list(profile.fluent)} if required else {}
    decided = {"needs": [[need.kind, need.language] for need in required], **stated, "filled": True}
    if before.get("state") == ADMITTED:
        return before | decided | {"missing": named}
    return decided | {"state": ELIGIBLE, "at": now}


def _note(action: str, participation: Participation, **data: Any) -> None:
    campaign = participation.campaign
    AuditEvent.note(
        action,
        participation=participation,
        campaign=campaign,
        study=campaign.study,
        rater=participation.rater.name,
        **data,
    )
