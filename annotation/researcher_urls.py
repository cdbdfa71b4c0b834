"""Addresses of the researcher's pages and of the API."""

from django.urls import include, path, re_path

from annotation.views import (
    correlation,
    dossier,
    hours,
    judgements,
    new_campaign,
    people,
    progress,
    quality,
    report,
    report_study,
    researcher,
    rounds,
    study_tables,
)

urlpatterns = [
    path("", researcher.home, name="home"),
    path("campaigns/", researcher.campaigns, name="campaigns"),
    path("campaigns/new/", new_campaign.campaign_new, name="campaign_new"),
    path("campaigns/<str:key>/", researcher.campaign, name="campaign"),
    path("campaigns/<str:key>/results/", researcher.results, name="campaign_results"),
    path("campaigns/<str:key>/state", researcher.campaign_state, name="campaign_state"),
    path("campaigns/<str:key>/unseal", researcher.unseal, name="campaign_unseal"),
    path("campaigns/<str:key>/hand-over", progress.hand_over, name="campaign_hand_over"),
    path("campaigns/<str:key>/exclude", quality.exclude, name="campaign_exclude"),
    path("campaigns/<str:key>/admit", people.admit, name="campaign_admit"),
    path("campaigns/<str:key>/disagreement/", rounds.disagreement, name="campaign_disagreement"),
    path("campaigns/<str:key>/timesheet.csv", hours.hours_file, name="campaign_hours"),
    path("campaigns/<str:key>/judgements/", judgements.judgements, name="judgement_browser"),
    path("campaigns/<str:key>/plan.csv", researcher.plan_file, name="campaign_plan"),
    re_path(
        r"^campaigns/(?P<key>[^/]+)/judgements\.(?P<format>csv|tsv|jsonl|parquet|appraise)$",
        researcher.judgements_file,
        name="campaign_judgements",
    ),
    path("campaigns/<str:key>/report/", report.report, name="campaign_report"),
    path("campaigns/<str:key>/report/<slug:name>.svg", report.report_figure, name="report_figure"),
    re_path(
        r"^campaigns/(?P<key>[^/]+)/report/(?P<name>[-\w]+)\.(?P<format>csv|md|tex)$",
        report.report_table,
        name="report_table",
    ),
    path("campaigns/<str:key>/trace/", report.campaign_trace, name="campaign_trace"),
    path("campaigns/<str:key>/segment/", report.campaign_segment, name="campaign_segment"),
    path("campaigns/<str:key>/correlation/", correlation.correlation, name="campaign_correlation"),
    path("campaigns/<str:key>/correlation/score", correlation.correlation_score, name="correlation_score"),
    re_path(
        r"^campaigns/(?P<key>[^/]+)/correlation/(?P<name>[-\w]+)\.(?P<format>csv|tex)$",
        correlation.correlation_file,
        name="correlation_file",
    ),
    path("campaigns/<str:key>/dossier/", dossier.campaign_dossier, name="campaign_dossier"),
    path("studies/", report_study.studies, name="studies"),
    path("studies/<int:pk>/report/", report_study.study, name="study_report"),
    re_path(
        r"^studies/(?P<pk>\d+)/report/(?P<name>[-\w]+)\.(?P<format>csv|md|tex|svg)$",
        report_study.study_file,
        name="study_file",
    ),
    path("studies/<int:pk>/tables/", study_tables.tables, name="study_tables"),
    path("studies/<int:pk>/tables/<slug:which>/", study_tables.tables, name="study_tables_of"),
    re_path(
        r"^studies/(?P<pk>\d+)/tables/(?P<which>[-\w]+)\.(?P<format>csv|md|tex|html)$",
        study_tables.tables_file,
        name="study_tables_file",
    ),
    path(
        "studies/<int:pk>/tables/<str:name>/<int:row>/<int:column>/",
        study_tables.cell,
        name="study_table_cell",
    ),
    path("api/v1/", include("annotation.api.urls")),
]
