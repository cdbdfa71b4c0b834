"""Addresses of the machine-translation wing, for administrators."""

from django.urls import path, re_path

from mtcore.views import (
    corpora,
    corpora_import,
    launches,
    launches_measure,
    launches_score,
    machine,
    recipes,
    runs,
    systems,
    testsets,
)
from mtcore.views.launch import launch_page

urlpatterns = [
    path("runs/", runs.runs, name="runs"),
    path("runs/machine/", machine.machine, name="machine"),
    path("runs/<int:pk>/", runs.run, name="run"),
    path("runs/<int:pk>/live", runs.run_live, name="run_live"),
    path("runs/<int:pk>/change", runs.run_change, name="run_change"),
    path("runs/<int:pk>/log.txt", runs.run_log, name="run_log"),
    re_path(r"^runs/(?P<pk>[0-9]{1,18})/(?P<what>options|result)\.json$", runs.run_data, name="run_data"),
    path("runs/<int:pk>/history.csv", runs.run_data, {"what": "history"}, name="run_history"),
    path("runs/<int:pk>/files/<path:name>", runs.run_file, name="run_file"),
    path("corpora/", corpora.corpora, name="corpora"),
    path("corpora/import/", corpora_import.import_page, name="corpus_import"),
    path("corpora/mix/", corpora.corpora_mix, name="corpora_mix"),
    path("corpora/<int:pk>/", corpora.corpus, name="corpus"),
    path("corpora/<int:pk>/filter/", corpora.corpus_filter, name="corpus_filter"),
    path("corpora/<int:pk>/split/", corpora.corpus_split, name="corpus_split"),
    path("corpora/<int:pk>/translate/", launch_page(launches.TranslateCorpus), name="corpus_translate"),
    path("corpora/<int:pk>/check", corpora.corpus_check, name="corpus_check"),
    path("systems/", systems.systems, name="systems"),
    path("systems/train/", launch_page(launches.TrainSystem), name="system_train"),
    path("systems/train-lm/", launch_page(launches.TrainLm), name="lm_train"),
    path("systems/score/", launch_page(launches_score.ScoreOutputs), name="outputs_score"),
    path("systems/diversity/", launch_page(launches_measure.MeasureDiversity), name="diversity_measure"),
    path("systems/fluency/", launch_page(launches_measure.CompareFluency), name="fluency_compare"),
    path("systems/directions/", launch_page(launches_measure.CompareDirections), name="directions_compare"),
    path("systems/<int:pk>/", systems.system, name="system"),
    path("systems/<int:pk>/translate/", launch_page(launches.TranslateTestset), name="testset_translate"),
    path("lms/<int:pk>/score/", launch_page(launches_score.ScoreWithLm), name="lm_score"),
    path("testsets/", testsets.testsets, name="testsets"),
    path("testsets/import/", testsets.testset_import, name="testset_import"),
    path("testsets/<int:pk>/", testsets.testset, name="testset"),
    path("testsets/<int:pk>/output/", testsets.output_import_page, name="output_import"),
    path("recipes/", recipes.recipes, name="recipes"),
    path("recipes/<str:name>/", recipes.recipe, name="recipe"),
]
