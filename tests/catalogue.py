"""Read sentences to translate out of templates and modules, and catalogues, without gettext's tools."""

import ast
import re
from dataclasses import dataclass, field
from gettext import c2py

from django.utils.translation.template import templatize

from tests.paths import ROOT

LOCALE = ROOT / "templates" / "locale"
MARKS = {"_", "gettext", "gettext_noop", "gettext_lazy", "ngettext", "pgettext"}
_QUOTED = r"""u?('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")"""
_CALL = re.compile(rf"\b(_|gettext|ngettext|pgettext|npgettext)\(\s*{_QUOTED}(?:,\s*{_QUOTED})?")
_PLACE = re.compile(r"%\(\w+\)[sd]|\{\w+\}|%%|</?\w+>|⌫")


@dataclass
class Entry:
    """One sentence of a catalogue and its translations (several for a plural)."""

    context: str = ""
    msgid: str = ""
    plural: str = ""
    forms: list[str] = field(default_factory=list)
    flags: str = ""


def template_sentences(folder: str) -> set[str]:
    """Return what the templates of a folder (or one template) say in English."""
    path = ROOT / "templates" / folder
    found: set[str] = set()
    for one in sorted(path.rglob("*.html")) if path.is_dir() else [path]:
        for name, first, second in _CALL.findall(templatize(one.read_text("utf-8"))):
            found.add(ast.literal_eval(second if name.startswith(("p", "np")) else first))
    return found


def module_sentences(name: str) -> set[str]:
    """Return what a module, or the modules of a package, mark for translation."""
    path = ROOT / name
    found: set[str] = set()
    for one in sorted(path.glob("*.py")) if path.is_dir() else [path]:
        for node in ast.walk(ast.parse(one.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS:
                text = node.args[1 if node.func.id == "pgettext" else 0]
                if isinstance(text, ast.Constant):
                    found.add(text.value)
    return found


def read_catalogue(language: str) -> tuple[int, str, list[Entry]]:
    """Return the number of plural forms, the rule that chooses one, and the entries of a .po file."""
    entries: list[Entry] = []
    for block in (LOCALE / language / "LC_MESSAGES" / "django.po").read_text("utf-8").split("\n\n"):
        entry, target = Entry(), ""
        for line in block.strip("\n").split("\n"):
            if line.startswith("#"):
                entry.flags += line if line.startswith("#,") else ""
                continue
            keyword, quote, rest = line.partition('"')
            target = keyword.strip() or target
            _add(entry, target, ast.literal_eval(quote + rest), is_new=bool(keyword))
        entries.append(entry)
    head = entries.pop(0)
    plurals = re.search(r"nplurals=(\d+); plural=(.*?);", head.forms[0])
    assert head.msgid == "" and plurals is not None
    return int(plurals[1]), plurals[2], entries


def _add(entry: Entry, target: str, text: str, *, is_new: bool) -> None:
    if target == "msgctxt":
        entry.context += text
    elif target == "msgid":
        entry.msgid += text
    elif target == "msgid_plural":
        entry.plural += text
    elif is_new:
        entry.forms.append(text)
    else:
        entry.forms[-1] += text


def placeholders(text: str) -> list[str]:
    """Return what must come through a translation unchanged: places for values, tags, keys."""
    return sorted(_PLACE.findall(text))


def uses(rule: str) -> dict[int, int]:
    """Return how many of the numbers below 1,000 each plural form of a rule serves."""
    form_of = c2py(rule)
    served: dict[int, int] = {}
    for number in range(1000):
        served[form_of(number)] = served.get(form_of(number), 0) + 1
    return served
