"""The API: decisions about raters, what is known of them, their hours, and the link by which others join."""

from __future__ import annotations

import json
from collections.abc import Callable
from http import HTTPStatus
from typing import IO, Any

from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.asks import (
    ArrivalSerializer,
    ChangedSerializer,
    JoiningSerializer,
    LeaverSerializer,
    LeavingSerializer,
    NamedSerializer,
    NewJoiningSerializer,
    NewRatersSerializer,
    ReasonSerializer,
)
from annotation.api.permissions import own_study
from annotation.api.tables import file_of
from annotation.api.views import OfCampaign
from annotation.models import AuditEvent, Campaign
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.eligibility import rater_admit
from annotation.services.handing_over import rater_withdraw_trial, work_hand_over, work_hand_over_trial
from annotation.services.joining import free_places, joined_lately, joining_set, joining_url
from annotation.services.newcomers import raters_add
from annotation.services.people import people_read
from annotation.services.quality import (
    quality_counts,
    quality_read,
    quality_rows,
    rater_exclude,
    rater_include,
)
from annotation.services.timesheets import campaign_timesheets, timesheet_csv, timesheet_json
from annotation.services.withdrawal import rater_withdraw
from evalplatform.api import AnyType, asked
from evalplatform.errors import BadInput
from evalplatform.files import written
from evalplatform.idempotency import idempotent
from evalplatform.people import user_of


class _Decision(OfCampaign):
    """A decision about one rater, with a reason."""

    decide: Callable[..., object]

    @extend_schema(request=ReasonSerializer, responses=ChangedSerializer)
    @idempotent
    def post(self, request: Request, key: str) -> Response:
        """Decide; what is so already is a conflict (409). The reason is kept."""
        campaign, given = self.campaign(key), asked(ReasonSerializer, request.data)
        type(self).decide(campaign=campaign, actor=user_of(request), **given)
        return Response({"rater": given["rater"]})


class Exclude(_Decision):
    """Leave a rater's answers out of the scores; they stay stored."""

    decide = staticmethod(rater_exclude)


class Admit(_Decision):
    """Let a rater in who lacks a language that is required."""

    decide = staticmethod(rater_admit)


class Include(OfCampaign):
    """Let an excluded rater's answers count again."""

    @extend_schema(request=NamedSerializer, responses=ChangedSerializer)
    @idempotent
    def post(self, request: Request, key: str) -> Response:
        """Take the exclusion back; a rater who is not excluded is a conflict (409)."""
        campaign, given = self.campaign(key), asked(NamedSerializer, request.data)
        rater_include(campaign=campaign, rater=given["rater"], actor=user_of(request))
        return Response({"rater": given["rater"]})


class Add(OfCampaign):
    """Let more raters into a campaign: they take what lacks judgements, and nobody's work is taken away."""

    @extend_schema(request=NewRatersSerializer, responses={201: ArrivalSerializer})
    @idempotent
    def post(self, request: Request, key: str) -> Response:
        """Say who got what, and what is short; the owner of the study finds their links under `links/`."""
        campaign, given = self.campaign(key), asked(NewRatersSerializer, request.data)
        done = raters_add(campaign=campaign, names=given["raters"], actor=user_of(request))
        body = {
            "raters": list(done.raters),
            "given": done.given,
            "short": list(done.short),
            "alike": list(done.alike),
        }
        return Response(body, status=HTTPStatus.CREATED)


class Withdraw(OfCampaign):
    """Let a rater leave: answers stay, open items go to raters who have not seen them."""

    @extend_schema(request=LeaverSerializer, responses=LeavingSerializer)
    @idempotent
    def post(self, request: Request, key: str) -> Response:
        """Say what was kept, what went to whom, and what is short; a `replacement` comes first."""
        campaign, given = self.campaign(key), asked(LeaverSerializer, request.data)
        rater, new, actor = given["rater"], given["replacement"], user_of(request)
        if given["dry_run"] and new:
            done = work_hand_over_trial(campaign=campaign, rater=rater, new_rater=new)
        elif given["dry_run"]:
            done = rater_withdraw_trial(campaign=campaign, rater=rater)
        elif new:
            done = work_hand_over(campaign=campaign, rater=rater, new_rater=new, actor=actor)
        else:
            done = rater_withdraw(campaign=campaign, rater=rater, actor=actor)
        return Response(
            {
                "rater": done.rater,
                "kept": done.kept,
                "released": done.released,
                "given": done.given,
                "short": list(done.short),
                "dry_run": given["dry_run"],
            }
        )


class Reliability(OfCampaign):
    """What is known of every rater: state, evidence, warnings. People decide what follows."""

    @extend_schema(operation_id="campaign_reliability", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, key: str) -> Response:
        """Give those who failed first, with what quality control has to go by."""
        campaign = self.campaign(key)
        found = quality_read(campaign)
        whole = {one.rater: one for one in found}
        rows = [
            row
            | {
                "evidence": whole[row["rater"]].evidence | {"reason": row["evidence"]},
                "warnings": [{"code": code, "value": value} for code, value in whole[row["rater"]].warnings],
            }
            for row in quality_rows(found)
        ]
        return Response({"raters": rows, "items": quality_counts(campaign)})


class Before(OfCampaign):
    """How far raters have come before their first item: form, consent, practice, calibration."""

    @extend_schema(operation_id="campaign_before", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, key: str) -> Response:
        """Give everybody; nothing is asked for where `asks` is false."""
        found = people_read(self.campaign(key))
        if found is None:
            return Response({"asks": False, "needs": [], "raters": []})
        return Response(
            {"asks": True, "needs": list(found.needs), "raters": [vars(one) for one in found.rows]}
        )


class Hours(OfCampaign):
    """Active hours and items of the raters, by day."""

    content_negotiation_class = AnyType

    @extend_schema(
        operation_id="campaign_timesheets",
        parameters=[
            OpenApiParameter("file", str, enum=("json", "csv"), default="json"),
            OpenApiParameter("flavour", str, enum=("exact", "spreadsheet"), default="exact"),
        ],
        responses={(200, "application/json"): OpenApiTypes.OBJECT, (200, "text/csv"): OpenApiTypes.STR},
    )
    def get(self, request: Request, key: str) -> HttpResponseBase:
        """Give them as JSON or CSV; taking them out is noted."""
        campaign = self.campaign(key)
        ending = file_of(request, ("json", "csv"))
        flavour = request.query_params.get("flavour", "exact")
        if flavour not in ("exact", "spreadsheet"):
            raise BadInput(f"There is no flavour “{flavour}”.", "Give exact or spreadsheet.")
        sheets = campaign_timesheets(campaign=campaign)
        AuditEvent.note("hours.exported", actor=user_of(request), campaign=campaign, study=campaign.study)
        if ending == "json":
            return Response(json.loads(timesheet_json(sheets)))

        def write(stream: IO[Any]) -> None:
            timesheet_csv(sheets, stream, spreadsheet=flavour == "spreadsheet")

        return written(write, f"{campaign.name}.timesheet.csv", "text/csv; charset=utf-8")


class Joining(OfCampaign):
    """The link by which anybody joins, for the owner of the study."""

    def replay_check(self, told: Any, key: str) -> None:
        """Make sure that this person may still have the link."""
        own_study(self.request, self.campaign(key).study)

    @extend_schema(responses=JoiningSerializer, operation_id="campaign_joining")
    def get(self, request: Request, key: str) -> Response:
        """Say whether anybody can join, by which link, and how many places are left."""
        campaign = self.campaign(key)
        own_study(request, campaign.study)
        return Response(_joining(campaign))

    @extend_schema(
        request=NewJoiningSerializer, responses=JoiningSerializer, operation_id="campaign_joining_set"
    )
    @idempotent
    def post(self, request: Request, key: str) -> Response:
        """Let anybody with the link join, or nobody; `renew` ends older links."""
        campaign = self.campaign(key)
        own_study(request, campaign.study)
        given = asked(NewJoiningSerializer, request.data)
        return Response(_joining(joining_set(campaign=campaign, actor=user_of(request), **given)))


def _joining(campaign: Campaign) -> dict[str, Any]:
    joins = bool(campaign.settings.get("joins"))
    is_planned = campaign.mode == Campaign.Mode.PLANNED
    return {
        "joins": joins,
        "link": joining_url(campaign) if joins else None,
        "free_places": free_places(campaign).count() if joins and is_planned else None,
        "an_hour": CampaignSettings.of(campaign).joins_an_hour,
        "joined_last_hour": joined_lately(campaign),
    }
