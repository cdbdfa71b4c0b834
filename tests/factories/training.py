"""Small corpora and test sets to train on."""

from mtcore.engines.recipe_files import recipe_find, recipe_set
from mtcore.models import Corpus, Run
from mtcore.services import testsets
from mtcore.services.corpora import corpus_register
from mtcore.services.corpora_import import corpus_import
from mtcore.services.texts import NamedText
from tests.factories.files import write_lines

EN = "the cat sees a dog|a dog eats the fish|the bird sings a song|a fish sees the bird|the dog sings a fish"
DE = "die Katze sieht ein Hund|ein Hund isst die Fisch|die Vogel singt ein Lied|ein Fisch sieht die Vogel|"
DE += "die Hund singt ein Fisch"


def tiny(name: str = "tiny-op", **settings: str):
    """Return a tiny recipe with other figures."""
    return recipe_set(recipe_find(name), {"filters.duplicates": "false", **settings})


def corpus(tmp_path, name: str, languages: list[str], *sides: list[str], **options) -> Corpus:
    """Import and register a corpus of one or two sides."""
    files = [
        [write_lines(tmp_path / f"{name}.{tag}", text)] for tag, text in zip(languages, sides, strict=True)
    ]
    draft = corpus_import(
        name=name,
        languages=languages,
        sources=files[0],
        targets=files[1] if len(files) > 1 else (),
        **options,
    )
    return corpus_register(draft)[0]


def parallel(tmp_path, name: str = "par", *, copies: int = 8, turned: bool = False) -> Corpus:
    """Register parallel text."""
    sides = [EN.split("|") * copies, DE.split("|") * copies]
    tags = ["en", "de"]
    return corpus(tmp_path, name, tags[::-1] if turned else tags, *(sides[::-1] if turned else sides))


def mono(tmp_path, name: str = "mono", n: int = 25) -> Corpus:
    """Register n lines of German."""
    return corpus(tmp_path, name, ["de"], (DE.split("|") * n)[:n])


def make_set(name: str = "test", *, double: bool = True, languages: str = "en-de"):
    """Make a test set with a blank line and one too long; `double` adds a double translation."""
    source = NamedText("src", "src.en", ("the bird eats a fish", "", "a cat sings the song", "word " * 70))
    reference = NamedText("ref", "ref.de", ("die Vogel isst ein Fisch", "", "ein Katze singt", "lang"))
    more = [NamedText("r1.r1", "x.en", ("a bird eats a fish", "the", "a cat sings a song", "the dog"))]
    draft = testsets.testset_draft(
        name=name,
        languages=languages,
        sources=[source, *(more if double else [])],
        references=[reference],
        direction="direct",
    )
    return testsets.testset_create(draft)[0]


def states(runs) -> list[str]:
    """Return the states of runs as the database has them."""
    return list(
        Run.objects.filter(pk__in=[run.pk for run in runs]).order_by("pk").values_list("state", flat=True)
    )
