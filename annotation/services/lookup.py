"""Find things by the names people type."""

from difflib import get_close_matches

from django.utils.translation import gettext as _

from annotation.models import Campaign, Rater
from evalplatform.errors import NotFound
from evalplatform.words import quoted


def campaign_named(name: str) -> Campaign:
    """Return the campaign of a name.

    Raises:
        NotFound: there is none; the message suggests a name that is close, or lists what there is.
    """
    found = Campaign.objects.select_related("study").filter(name=name).first()
    if found is not None:
        return found
    names = list(Campaign.objects.order_by("name").values_list("name", flat=True)[:1000])
    close = get_close_matches(name, names, n=1)
    if close:
        remedy = f"Did you mean “{close[0]}”?"
    elif names:
        remedy = f"The campaigns are: {quoted(names)}."
    else:
        remedy = "There is no campaign yet."
    raise NotFound(f"There is no campaign “{name}”.", remedy)


def rater_named(campaign: Campaign, name: str) -> Rater:
    """Return the rater of a name in a campaign.

    Raises:
        NotFound: there is none.
    """
    found = Rater.objects.select_related("study").filter(participations__campaign=campaign, name=name).first()
    if found is None:
        names = campaign.participations.order_by("pk").values_list("rater__name", flat=True)[:20]
        raise NotFound(
            _("There is no rater “%(name)s” in this campaign.") % {"name": name},
            _("Its raters are: %(names)s.") % {"names": quoted(names)},
        )
    return found
