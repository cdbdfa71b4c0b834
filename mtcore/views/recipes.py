"""The pages of recipes: how systems are made, with every figure."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from mtcore.engines.recipe_files import recipe_write
from mtcore.engines.recipes import RECIPES
from mtcore.views.access import admin_page
from mtcore.views.plan import figures_of


@require_safe
@admin_page
def recipes(request: HttpRequest) -> HttpResponse:
    """List the recipes that come with the platform."""
    return render(request, "mtcore/recipes.html", {"section": "systems", "recipes": list(RECIPES.values())})


@require_safe
@admin_page
def recipe(request: HttpRequest, name: str) -> HttpResponse:
    """Show a recipe with all its figures; `?part=figures` sends the table alone."""
    if name not in RECIPES:
        raise Http404
    found = RECIPES[name]
    context = {
        "section": "systems",
        "recipe": found,
        "figures": figures_of(found),
        "toml": recipe_write(found),
    }
    part = request.GET.get("part") == "figures"
    return render(request, "mtcore/figures.html" if part else "mtcore/recipe.html", context)
