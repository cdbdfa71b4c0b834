"""The names of keys in the rater's list of keys are those on keyboards of the language."""

import pytest
from django.utils import translation
from django.utils.translation import pgettext

KEYS = ("Shift", "Ctrl", "Home", "End", "Page ↑")
NAMES = {
    "de": ("Umschalt", "Strg", "Pos1", "Ende", "Bild ↑"),
    "fr": ("Maj", "Ctrl", "Origine", "Fin", "Page ↑"),
    "es": ("Mayús", "Ctrl", "Inicio", "Fin", "Re Pág"),
    "ru": KEYS,
    "ar": KEYS,
}


@pytest.mark.parametrize("language", NAMES)
def test_keys_have_the_names_on_the_keyboard(language):
    with translation.override(language):
        assert tuple(pgettext("key", name) for name in KEYS) == NAMES[language]
