"""Set up a campaign without a plan."""

from __future__ import annotations

from django.db.models import Sum

from annotation.models import Campaign
from evalplatform.errors import BadInput


def pool_check(
    *, pool: bool, spread: bool, judgements: int, n_raters: int, joins: bool, lease_or_most: bool
) -> None:
    """Check what is asked of a campaign with or without a plan.

    Raises:
        BadInput: it cannot be had.
    """
    if not pool:
        if not n_raters:
            raise BadInput(
                "No raters are given.", "Add --raters N or a file, or make a pool: --pool --joins."
            )
        if lease_or_most:
            raise BadInput("Leases are for campaigns without a plan.", "Add --pool, or leave them out.")
        return
    if spread:
        raise BadInput("A pool deals segment by segment.", "Leave --spread out.")
    if judgements < 1:
        raise BadInput(f"An item needs at least 1 judgement, not {judgements}.", "Give 1 or more.")
    if not joins and n_raters < judgements:
        raise BadInput(
            f"{judgements} judgements an item need as many raters, there are {n_raters}.",
            "Add --joins, so that others may come, or give more --raters.",
        )


def pool_raters(judgements: int) -> tuple[str, ...]:
    """Return names that stand for the raters of an item while quality control is drawn."""
    return tuple(str(number) for number in range(1, max(1, judgements) + 1))


def pool_write(campaign: Campaign) -> None:
    """Offer all items of a new campaign to whoever comes."""
    items = campaign.items.counted()
    wanted = items.aggregate(n=Sum("wanted"))["n"] or 0
    items.update(given=0)
    campaign.settings = campaign.settings | {"pool_judgements": wanted}
    campaign.save(update_fields=["settings"])
