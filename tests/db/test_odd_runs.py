"""Runs that no page of this version has launched: refused, explained, and no page breaks on them."""

import pytest
from django.urls import reverse

from evalplatform.errors import BadInput, Conflict
from mtcore.engines.recipe_files import recipe_find, recipe_write
from mtcore.models import Run, System
from mtcore.services.run_kinds import RUN_KINDS
from mtcore.services.runs import run_launch
from mtcore.services.systems import system_card, system_trained
from tests.factories.runs import TEST_KIND, know_test_kind, work_all

pytestmark = pytest.mark.django_db
MIXED_UP = {"system": "A", "name": "A", "corpus": 3, "recipe": 4, "parts": 3, "lines": "x", "inputs": 1}
ODD = [{}, {"x": 1}, [], "text", 7, MIXED_UP]
TRAINS = {"system": "A", "recipe": recipe_write(recipe_find("tiny-op"))}
"""What the API could be asked to train with: a system, and nothing of what its page shows."""


@pytest.mark.parametrize("kind", RUN_KINDS)
def test_what_no_runner_could_read_is_refused_at_the_door(kind):
    for odd in ODD:
        with pytest.raises(BadInput):
            run_launch(kind=kind, options=odd)
    assert not Run.objects.exists()


@pytest.mark.parametrize("kind", RUN_KINDS)
def test_a_worker_explains_what_is_missing(kind):
    for odd in ODD:
        Run.objects.create(kind=kind, name="A", options=odd)
    done = work_all()
    assert [run.state for run in done] == ["failed"] * len(ODD)
    for run in done[:-1]:
        assert "of this run is missing. It was not launched by a page or command" in run.message


@pytest.mark.parametrize("kind", [*RUN_KINDS, "unknown"])
def test_every_page_shows_odd_runs_and_refuses_to_begin_them_anew(admin_client, kind):
    system = System.objects.create(name="A", kind="OP")
    System.objects.create(name="B", kind="OP")
    for odd in ODD:
        Run.objects.create(kind=kind, name="A", options=odd, state="succeeded", result=odd)
        Run.objects.create(kind=kind, name="A", options=odd, state="failed", history=[{"at": 3}])
        Run.objects.create(kind=kind, name="A", options=odd)
    pages = [reverse(name) for name in ("systems", "runs", "machine")]
    pages.append(reverse("system", args=[system.pk]))
    for run in Run.objects.all():
        pages += [reverse("run", args=[run.pk]), reverse("run_live", args=[run.pk])]
        pages.append(reverse("api_run", args=[run.pk]))
    for page in pages:
        assert admin_client.get(page).status_code == 200, page
    for run in Run.objects.filter(state="failed"):
        for name, data in (("run_change", {"action": "again"}), ("api_run_again", {})):
            assert admin_client.post(reverse(name, args=[run.pk]), data).status_code == 400


def test_a_training_without_its_languages_breaks_no_page_of_systems(admin_client):
    with pytest.raises(BadInput, match="“kind”, “corpus”, “source”, “target”, “seed”"):
        run_launch(kind="train_model", options=TRAINS)
    run = Run.objects.create(kind="train_model", name="A", options=TRAINS, state="succeeded", result={})
    system = System.objects.create(name="A", kind="OP")
    said = f"Run {run.pk} is no whole training: it was launched without kind, source, target, seed."
    for service in (system_card, system_trained):
        with pytest.raises(Conflict, match=said):
            service("A")
    assert said in admin_client.get(reverse("system", args=[system.pk])).content.decode()
    assert admin_client.get(reverse("systems")).status_code == 200


def test_a_recipe_of_another_version_is_refused_when_it_is_begun_anew(admin_client):
    run = Run.objects.create(
        kind="train_lm", name="old", state="failed",
        options={
            "name": "old", "language": "de", "corpora": [], "system": "", "valid": "", "engine": "",
            "seed": 1, "recipe": 'name = "old"\nshape = "round"\n',
        },
    )  # fmt: skip
    answer = admin_client.post(reverse("run_change", args=[run.pk]), {"action": "again"})
    assert answer.status_code == 400 and "recipe" in answer.content.decode()


def test_a_kind_without_needs_takes_what_it_is_given():
    know_test_kind()
    assert run_launch(kind=TEST_KIND, options={}).options == {}
