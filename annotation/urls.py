"""Addresses of the human-evaluation wing."""

from django.urls import include, path

urlpatterns = [
    path("", include("annotation.rater_urls")),
    path("", include("annotation.researcher_urls")),
    path("", include("annotation.operation_urls")),
]
