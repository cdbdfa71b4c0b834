"""Studies with finished campaigns, made through the real services."""

from annotation.models import Campaign, Participation, Study
from annotation.services.judging import judgement_save
from annotation.services.study_members import study_add
from tests.factories.answers import answer_all
from tests.factories.campaigns import make_campaign

RATERS = ("Anneliese", "Bartholomew", "Cosima")


def answered(protocol: str = "source_da", *, name: str, seed: int = 1, **more: object) -> Campaign:
    """Return a campaign of named raters in which everything is answered; its study has its name."""
    more.setdefault("raters", RATERS)
    campaign = make_campaign(protocol, name=name, seed=seed, **more)  # type: ignore[arg-type]
    answer_all(campaign, seed=seed)
    return campaign


def study_of(*campaigns: Campaign, name: str = "Both ways") -> Study:
    """Return a study to which the campaigns were moved."""
    study = Study.objects.create(name=name, description="Asked by Cosima and others.")
    study_add(study=study, campaigns=[campaign.name for campaign in campaigns])
    return study


def study_with_everything() -> Study:
    """Return a study of all protocols with merged outputs, a correction, an exclusion, a comment."""
    source = answered("source_da", name="By source", n_segments=8, identical=(2, 5), judgements=2)
    reference = answered("reference_da", name="By reference", n_segments=8, direction="reverse", seed=2)
    fluency = answered("pairwise_fluency", name="Fluency", n_segments=8, identical=(3,), judgements=3, seed=3)
    study = study_of(source, reference, fluency)
    correct(source, "Anneliese", 3, comment="Bartholomew sat beside me")
    exclude(reference, "Cosima", "Cosima was asleep")
    return study


def correct(campaign: Campaign, rater: str, score: float, comment: str = "") -> None:
    """Let a rater correct the first answer."""
    own = Participation.objects.select_related("campaign", "rater").get(campaign=campaign, rater__name=rater)
    judgement_save(
        participation=own,
        assignment_key=own.assignments.order_by("position")[0].key,
        client_key=f"correction-{campaign.pk}",
        answers={"score": score},
        comment=comment,
    )


def exclude(campaign: Campaign, rater: str, why: str) -> None:
    """Exclude a rater from a campaign."""
    Participation.objects.filter(campaign=campaign, rater__name=rater).update(excluded_by=why)
