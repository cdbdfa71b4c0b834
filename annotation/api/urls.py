"""Addresses of the API, version 1."""

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from annotation.api import campaigns, evidence, exports, people, reports, studies, studies_parts, views

urlpatterns = [
    path("", views.Endpoints.as_view(), name="api"),
    path("", include("mtcore.api.urls")),
    path("studies/", studies.StudyList.as_view(), name="api_studies"),
    path("studies/<int:pk>/", studies.StudyDetail.as_view(), name="api_study"),
    path("studies/<int:pk>/members/", studies_parts.Members.as_view(), name="api_study_members"),
    path("studies/<int:pk>/researchers/", studies_parts.Researchers.as_view(), name="api_study_researchers"),
    path("studies/<int:pk>/texts/", studies_parts.Texts.as_view(), name="api_study_texts"),
    path("studies/<int:pk>/scores/", studies_parts.StudyScores.as_view(), name="api_study_scores"),
    path("studies/<int:pk>/report/", studies_parts.StudyReportDetail.as_view(), name="api_study_report"),
    path(
        "studies/<int:pk>/report/tables/<slug:name>/",
        studies_parts.StudyReportTable.as_view(),
        name="api_study_report_table",
    ),
    path(
        "studies/<int:pk>/report/figures/<slug:name>/",
        studies_parts.StudyReportFigure.as_view(),
        name="api_study_report_figure",
    ),
    path("studies/<int:pk>/trace/", studies_parts.StudyTrace.as_view(), name="api_study_trace"),
    path(
        "studies/<int:pk>/tables/<slug:which>/", studies_parts.StudyTables.as_view(), name="api_study_tables"
    ),
    path("studies/<int:pk>/package/", studies_parts.Package.as_view(), name="api_study_package"),
    path("campaigns/", campaigns.CampaignList.as_view(), name="api_campaigns"),
    path("campaigns/estimate/", campaigns.Estimate.as_view(), name="api_estimate"),
    path("campaigns/<str:key>/", views.CampaignDetail.as_view(), name="api_campaign"),
    path("campaigns/<str:key>/state/", campaigns.State.as_view(), name="api_state"),
    path("campaigns/<str:key>/unseal/", campaigns.Unseal.as_view(), name="api_unseal"),
    path("campaigns/<str:key>/raters/", campaigns.Raters.as_view(), name="api_raters"),
    path("campaigns/<str:key>/raters/exclude/", people.Exclude.as_view(), name="api_rater_exclude"),
    path("campaigns/<str:key>/raters/include/", people.Include.as_view(), name="api_rater_include"),
    path("campaigns/<str:key>/raters/admit/", people.Admit.as_view(), name="api_rater_admit"),
    path("campaigns/<str:key>/raters/withdraw/", people.Withdraw.as_view(), name="api_rater_withdraw"),
    path("campaigns/<str:key>/reliability/", people.Reliability.as_view(), name="api_reliability"),
    path("campaigns/<str:key>/before/", people.Before.as_view(), name="api_before"),
    path("campaigns/<str:key>/timesheets/", people.Hours.as_view(), name="api_timesheets"),
    path("campaigns/<str:key>/joining/", people.Joining.as_view(), name="api_joining"),
    path("campaigns/<str:key>/round/", evidence.Rounds.as_view(), name="api_round"),
    path("campaigns/<str:key>/looks/", evidence.Looks.as_view(), name="api_looks"),
    path("campaigns/<str:key>/compare/", evidence.Compare.as_view(), name="api_compare"),
    path("campaigns/<str:key>/correlation/", evidence.Correlation.as_view(), name="api_correlation"),
    path("campaigns/<str:key>/report/", reports.ReportDetail.as_view(), name="api_report"),
    path(
        "campaigns/<str:key>/report/tables/<slug:name>/",
        reports.ReportTable.as_view(),
        name="api_report_table",
    ),
    path(
        "campaigns/<str:key>/report/figures/<slug:name>/",
        reports.ReportFigure.as_view(),
        name="api_report_figure",
    ),
    path("campaigns/<str:key>/trace/", reports.Trace.as_view(), name="api_trace"),
    path("campaigns/<str:key>/dossier/", reports.Dossier.as_view(), name="api_dossier"),
    path(
        "campaigns/<str:key>/judgements/file/",
        exports.JudgementsFile.as_view(),
        name="api_judgements_file",
    ),
    path("campaigns/<str:key>/plan/", exports.PlanFile.as_view(), name="api_plan"),
    path("campaigns/<str:key>/links/", campaigns.Links.as_view(), name="api_links"),
    path("campaigns/<str:key>/scores/", views.Scores.as_view(), name="api_scores"),
    path("campaigns/<str:key>/judgements/", views.Judgements.as_view(), name="api_judgements"),
    path("token/", views.Token.as_view(), name="api_token"),
    path("schema/", SpectacularAPIView.as_view(), name="api_schema"),
    path("docs/", SpectacularSwaggerSplitView.as_view(url_name="api_schema"), name="api_docs"),
]
