"""Addresses of the rater. Nothing in them but public keys."""

from django.urls import path

from annotation.views import (
    language,
    rater,
    rater_after,
    rater_before,
    rater_pool,
    rater_practice,
    rater_skip,
    rater_time,
)

urlpatterns = [
    path("language/", language.choose, name="set_language"),
    path("invite/<str:token>/", rater_before.invite, name="invite"),
    path("join/<str:token>/", rater_before.join, name="join"),
    path("rate/<slug:campaign_key>/", rater.rate, name="rate"),
    path("rate/<slug:campaign_key>/link", rater_before.own_link, name="own_link"),
    path("rate/<slug:campaign_key>/profile", rater_before.profile, name="profile"),
    path("rate/<slug:campaign_key>/consent", rater_before.consent, name="consent"),
    path("rate/<slug:campaign_key>/guidelines", rater_before.guidelines, name="guidelines"),
    path("rate/<slug:campaign_key>/practice/", rater_practice.practice, name="practice"),
    path(
        "rate/<slug:campaign_key>/practice/item/<slug:key>",
        rater_practice.practice_item,
        name="practice_item",
    ),
    path("rate/<slug:campaign_key>/finish", rater_after.finish, name="finish"),
    path("rate/<slug:campaign_key>/item/<slug:key>", rater.rate_item, name="rate_item"),
    path("rate/<slug:campaign_key>/screens", rater.screens, name="screens"),
    path("rate/<slug:campaign_key>/previous", rater.previous, name="previous"),
    path("rate/<slug:campaign_key>/answers", rater.answers, name="answers"),
    path("rate/<slug:campaign_key>/skip", rater_skip.skip, name="skip"),
    path("rate/<slug:campaign_key>/more", rater_pool.more, name="more"),
    path("rate/<slug:campaign_key>/problem", rater.problem, name="problem"),
    path("rate/<slug:campaign_key>/timesheet/", rater_time.timesheet, name="timesheet"),
    path("rate/<slug:campaign_key>/timesheet.csv", rater_time.timesheet_file, name="timesheet_csv"),
    path("rate/<slug:campaign_key>/mirror/", rater_time.mirror, name="mirror"),
]
