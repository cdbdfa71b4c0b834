"""Campaigns with answers in a database of its own: `python -m tests.factories.answered`."""

from __future__ import annotations

STUDY = "Lamps"


def fill() -> None:
    """Make, in a study, “Rated”, which is answered to the end, and “Half”, of which half is."""
    from django.core.management import call_command

    from tests.factories.answers import answer_all
    from tests.factories.campaigns import make_campaign

    call_command("create_study", STUDY)
    for name, share in (("Rated", 1.0), ("Half", 0.5)):
        campaign = make_campaign(name=name, n_segments=4, systems=("OP", "BT"), raters=6, judgements=3)
        answer_all(campaign, share=share)
        call_command("add_to_study", STUDY, "--campaign", name, *("--same-raters",) * (name == "Half"))


if __name__ == "__main__":
    import django

    django.setup()
    fill()
