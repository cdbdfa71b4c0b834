"""The tables of the human-evaluation wing."""

from annotation.models.assignment import Assignment
from annotation.models.audit import AuditEvent
from annotation.models.campaign import Campaign, CampaignOutput
from annotation.models.item import Item, ItemCandidate
from annotation.models.judgement import Judgement
from annotation.models.rater import Participation, Rater
from annotation.models.score import ScoreRun
from annotation.models.study import Study

__all__ = [
    "Assignment",
    "AuditEvent",
    "Campaign",
    "CampaignOutput",
    "Item",
    "ItemCandidate",
    "Judgement",
    "Participation",
    "Rater",
    "ScoreRun",
    "Study",
]
