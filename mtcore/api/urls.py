"""Addresses of this wing's API."""

from django.urls import path

from mtcore.api import runs, testsets

urlpatterns = [
    path("testsets/", testsets.TestSetList.as_view(), name="api_testsets"),
    path("testsets/<int:pk>/", testsets.TestSetDetail.as_view(), name="api_testset"),
    path("testsets/<int:pk>/outputs/", testsets.OutputList.as_view(), name="api_outputs"),
    path("systems/", testsets.SystemList.as_view(), name="api_systems"),
    path("corpora/", runs.CorpusList.as_view(), name="api_corpora"),
    path("corpora/<int:pk>/", runs.CorpusDetail.as_view(), name="api_corpus"),
    path("runs/", runs.RunList.as_view(), name="api_runs"),
    path("runs/<int:pk>/", runs.RunDetail.as_view(), name="api_run"),
    path("runs/<int:pk>/cancel/", runs.RunCancel.as_view(), name="api_run_cancel"),
    path("runs/<int:pk>/resume/", runs.RunResume.as_view(), name="api_run_resume"),
]
