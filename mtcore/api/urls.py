"""Addresses of this wing's API."""

from django.urls import path

from mtcore.api import corpora, launches, launches_measure, results, runs, testsets

urlpatterns = [
    path("testsets/", testsets.TestSetList.as_view(), name="api_testsets"),
    path("testsets/<int:pk>/", testsets.TestSetDetail.as_view(), name="api_testset"),
    path("testsets/<int:pk>/outputs/", testsets.OutputList.as_view(), name="api_outputs"),
    path("testsets/<int:pk>/metrics/", results.Metrics.as_view(), name="api_testset_metrics"),
    path("systems/", testsets.SystemList.as_view(), name="api_systems"),
    path("recipes/", results.RecipeList.as_view(), name="api_recipes"),
    path("recipes/<str:name>/", results.RecipeDetail.as_view(), name="api_recipe"),
    path("machine/", results.Machine.as_view(), name="api_machine"),
    path("corpora/", corpora.CorpusList.as_view(), name="api_corpora"),
    path("corpora/mix/", corpora.Mix.as_view(), name="api_corpora_mix"),
    path("corpora/<int:pk>/", corpora.CorpusDetail.as_view(), name="api_corpus"),
    path("corpora/<int:pk>/lines/", corpora.Lines.as_view(), name="api_corpus_lines"),
    path("corpora/<int:pk>/overlap/", corpora.Overlap.as_view(), name="api_corpus_overlap"),
    path("corpora/<int:pk>/check/", corpora.Check.as_view(), name="api_corpus_check"),
    path("corpora/<int:pk>/filter/", corpora.Filter.as_view(), name="api_corpus_filter"),
    path("corpora/<int:pk>/split/", corpora.Split.as_view(), name="api_corpus_split"),
    path("launch/train/", launches.Train.as_view(), name="api_launch_train"),
    path("launch/train-lm/", launches.TrainLm.as_view(), name="api_launch_train_lm"),
    path("launch/preflight/", launches.Preflight.as_view(), name="api_launch_preflight"),
    path("launch/translate-testset/", launches.TranslateTestset.as_view(), name="api_launch_testset"),
    path("launch/translate-corpus/", launches.TranslateCorpus.as_view(), name="api_launch_corpus"),
    path("launch/score/", launches.Score.as_view(), name="api_launch_score"),
    path("launch/score-lm/", launches.ScoreLm.as_view(), name="api_launch_score_lm"),
    path("launch/diversity/", launches.Diversity.as_view(), name="api_launch_diversity"),
    path("launch/fluency/", launches_measure.Fluency.as_view(), name="api_launch_fluency"),
    path("launch/directions/", launches_measure.Directions.as_view(), name="api_launch_directions"),
    path("runs/", runs.RunList.as_view(), name="api_runs"),
    path("runs/<int:pk>/", runs.RunDetail.as_view(), name="api_run"),
    path("runs/<int:pk>/cancel/", runs.RunCancel.as_view(), name="api_run_cancel"),
    path("runs/<int:pk>/resume/", runs.RunResume.as_view(), name="api_run_resume"),
    path("runs/<int:pk>/again/", runs.RunAgain.as_view(), name="api_run_again"),
    path("runs/<int:pk>/history/", runs.RunHistory.as_view(), name="api_run_history"),
    path("runs/<int:pk>/log/", runs.RunLog.as_view(), name="api_run_log"),
    path("runs/<int:pk>/files/", runs.RunFiles.as_view(), name="api_run_files"),
    path("runs/<int:pk>/files/<path:name>", runs.RunFile.as_view(), name="api_run_file"),
]
