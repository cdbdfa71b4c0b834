"""What pages of corpora, systems and runs show, and how they are asked."""

from django.urls import reverse

from mtcore.models import TestSet
from mtcore.services.corpora import corpus_register
from mtcore.services.corpora_import import corpus_import
from tests.factories.commands import run as command
from tests.factories.files import write_lines


def made(tmp_path, name, pairs):
    """Import and register a corpus of pairs."""
    source = write_lines(tmp_path / f"{len(name)}.en", [one for one, _ in pairs])
    target = write_lines(tmp_path / f"{len(name)}.de", [other for _, other in pairs])
    draft = corpus_import(name=name, languages=("en", "de"), sources=[source], targets=[target])
    return corpus_register(draft)[0]


def pier(tmp_path):
    """Import the test set “Pier” with an output of OP."""
    source = write_lines(tmp_path / "t.s", ["The lamp is lit.", "The pier is long."])
    output = write_lines(tmp_path / "t.o", ["Die Lampe brennt.", "Der Pier ist lang."])
    command("import_testset", "Pier", "--languages", "en-de", "--source", source, "--reference", output)
    command("import_output", "Pier", "OP", output)
    return TestSet.objects.get()


def text_of(client, name, *arguments, **query):
    """Return the page of a name."""
    response = client.get(reverse(name, args=arguments), query)
    assert response.status_code == 200, response.content
    return response.content.decode()


def shown(message_response, client):
    """Follow a redirect and return the page."""
    assert message_response.status_code == 302, message_response.content.decode()
    return client.get(message_response.url).content.decode()
