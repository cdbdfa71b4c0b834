"""Addresses of the API, version 1."""

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from annotation.api import campaigns, studies, views

urlpatterns = [
    path("", views.Endpoints.as_view(), name="api"),
    path("", include("mtcore.api.urls")),
    path("studies/", studies.StudyList.as_view(), name="api_studies"),
    path("studies/<int:pk>/", studies.StudyDetail.as_view(), name="api_study"),
    path("campaigns/", campaigns.CampaignList.as_view(), name="api_campaigns"),
    path("campaigns/estimate/", campaigns.Estimate.as_view(), name="api_estimate"),
    path("campaigns/<str:key>/", views.CampaignDetail.as_view(), name="api_campaign"),
    path("campaigns/<str:key>/state/", campaigns.State.as_view(), name="api_state"),
    path("campaigns/<str:key>/raters/", campaigns.Raters.as_view(), name="api_raters"),
    path("campaigns/<str:key>/links/", campaigns.Links.as_view(), name="api_links"),
    path("campaigns/<str:key>/scores/", views.Scores.as_view(), name="api_scores"),
    path("campaigns/<str:key>/judgements/", views.Judgements.as_view(), name="api_judgements"),
    path("token/", views.Token.as_view(), name="api_token"),
    path("schema/", SpectacularAPIView.as_view(), name="api_schema"),
    path("docs/", SpectacularSwaggerSplitView.as_view(url_name="api_schema"), name="api_docs"),
]
