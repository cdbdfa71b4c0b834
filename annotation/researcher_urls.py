"""Addresses of the researcher's pages and of the API."""

from django.urls import include, path, re_path

from annotation.views import researcher

urlpatterns = [
    path("", researcher.home, name="home"),
    path("campaigns/", researcher.campaigns, name="campaigns"),
    path("campaigns/<str:key>/", researcher.campaign, name="campaign"),
    path("campaigns/<str:key>/results/", researcher.results, name="campaign_results"),
    path("campaigns/<str:key>/state", researcher.campaign_state, name="campaign_state"),
    path("campaigns/<str:key>/plan.csv", researcher.plan_file, name="campaign_plan"),
    re_path(
        r"^campaigns/(?P<key>[^/]+)/judgements\.(?P<format>csv|jsonl)$",
        researcher.judgements_file,
        name="campaign_judgements",
    ),
    path("api/v1/", include("annotation.api.urls")),
]
