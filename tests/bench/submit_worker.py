"""What tests/bench/submit.py does beside the server: count queries, store a million judgements."""

import json
import sys

import django

STORED, RATERS, PER_SEGMENT, JUDGEMENTS = 1_000_000, 200, 20, 3


def queries(rater: str) -> dict[str, int]:
    """Count the queries of an answer, of fetching ahead and of a page, transactions included."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from annotation.models import Participation
    from annotation.services.invitations import invitation_url
    from tests.bench.submit_client import AHEAD, answer

    participation = Participation.objects.select_related("campaign").get(rater__name=rater)
    client = Client(SERVER_NAME="127.0.0.1")
    client.post(invitation_url(participation, base_url=""))
    base = f"/rate/{participation.campaign.key}"
    client.post(f"{base}/consent", {"agree": "on"})
    first = client.get(f"{base}/screens?n=2").json()["screens"]
    asks = {
        "answer": lambda: client.post(f"{base}/answers", answer(first[0]["key"]), "application/json"),
        "screens": lambda: client.get(f"{base}/screens?after={first[1]['key']}&n={AHEAD}"),
        "page": lambda: client.get(f"{base}/"),
    }
    found = {}
    for name, ask in asks.items():
        with CaptureQueriesContext(connection) as captured:
            assert ask().status_code == 200
        found[name] = len(captured)
    return found


def fill() -> dict[str, int]:
    """Store a million judgements of other raters in the campaign."""
    import numpy as np
    from django.core.management.color import no_style
    from django.db import connection, transaction

    from annotation import models as a
    from mtcore import models as m
    from tests.bench.database_fill import _insert, _judgements

    n_segments = -(-STORED // (PER_SEGMENT * JUDGEMENTS))
    campaign = a.Campaign.objects.get()
    with transaction.atomic():
        testset = m.TestSet.objects.create(
            name="stored", source_language="en", target_language="de", texts_known=False
        )
        raters = a.Rater.objects.bulk_create(
            a.Rater(study=campaign.study, name=f"r{n:03d}") for n in range(RATERS)
        )
        parts = a.Participation.objects.bulk_create(
            a.Participation(rater=rater, campaign=campaign) for rater in raters
        )
        document = m.Document.objects.create(testset=testset, position=1, name="d")
        segments = _insert(
            m.Segment, n_segments, testset_id=[testset.pk] * n_segments, position=range(1, n_segments + 1),
            key=[str(n) for n in range(n_segments)], document_id=[document.pk] * n_segments,
        )  # fmt: skip
        n_items = n_segments * PER_SEGMENT
        items = _insert(
            a.Item, n_items, campaign_id=[campaign.pk] * n_items, wanted=[JUDGEMENTS] * n_items,
            segment_id=np.repeat(segments, PER_SEGMENT).tolist(), given=[JUDGEMENTS] * n_items,
        )  # fmt: skip
        _insert(a.ItemCandidate, n_items, item_id=items)
        _judgements("stored", np.random.default_rng(1), np.array(items), np.array([one.pk for one in parts]))
        for statement in connection.ops.sequence_reset_sql(
            no_style(),
            [m.Segment, a.Item, a.ItemCandidate, a.Assignment, a.Judgement],
        ):
            with connection.cursor() as cursor:
                cursor.execute(statement)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")  # what the server does by itself after a while
    return {"judgements": a.Judgement.objects.count()}


if __name__ == "__main__":
    from evalplatform.env import use_settings

    use_settings()
    django.setup()
    print(json.dumps({"queries": queries, "fill": fill}[sys.argv[1]](*sys.argv[2:])))
