"""Addresses of the API, version 1."""

from django.urls import path

from annotation.api import views

urlpatterns = [
    path("", views.Endpoints.as_view(), name="api"),
    path("campaigns/", views.CampaignList.as_view(), name="api_campaigns"),
    path("campaigns/<str:key>/", views.CampaignDetail.as_view(), name="api_campaign"),
    path("campaigns/<str:key>/scores/", views.Scores.as_view(), name="api_scores"),
    path("campaigns/<str:key>/judgements/", views.Judgements.as_view(), name="api_judgements"),
    path("token/", views.Token.as_view(), name="api_token"),
]
