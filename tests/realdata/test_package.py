"""Published judgements go into one study, out as a package, and every number in it is recomputed."""

import pytest

from tests.factories.commands import run
from tests.paths import DATA, needs_data

pytestmark = [pytest.mark.django_db, needs_data]
CSEN = (
    "--format", "csv", "--protocol", "reference_da", "--languages", "cs-en",
    "--map", "rater=rater,system=system,segment=line,kind=item_type,score=raw,group=hit_id",
)  # fmt: skip


def test_a_study_of_published_judgements_is_equal(tmp_path):
    run("import_judgements", "cs-en", DATA / "human" / "wmt22-csen-da" / "judgments.tsv", *CSEN)
    run("create_study", "WMT")
    run("add_to_study", "WMT", "--campaign", "cs-en")
    package = tmp_path / "wmt.zip"
    out, err = run("export_study", "WMT", "--output", package)
    assert "1 campaign(s)" in out and not err
    out, err = run("verify_study", package)
    assert out.startswith("equal: ") and "from 25,070 judgements" in out
    assert not err
