"""The least that Django can do for an answer: a view that writes one row, to hold ours against."""

import json
import os

import django
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path

if not settings.configured:
    from evalplatform.settings import database

    settings.configure(
        SECRET_KEY=os.urandom(20).hex(), ROOT_URLCONF=__name__, ALLOWED_HOSTS=["127.0.0.1"],
        DATABASES={"default": database()}, USE_TZ=True, DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    )  # fmt: skip
    django.setup()

from django.core.wsgi import get_wsgi_application
from django.db import connection, models
from django.views.decorators.csrf import csrf_exempt


class Row(models.Model):
    """An answer, as plain as can be."""

    assignment = models.CharField(max_length=40)
    client_key = models.CharField(max_length=64)
    score = models.FloatField()
    comment = models.TextField()
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        app_label = "bare"

    def __str__(self) -> str:
        return self.client_key


@csrf_exempt
def write(request: HttpRequest) -> HttpResponse:
    """Write the answer."""
    sent = json.loads(request.body)
    Row.objects.create(
        assignment=sent["assignment"],
        client_key=sent["client_key"],
        score=sent["answers"]["score"],
        comment=sent["comment"],
    )
    return JsonResponse({"saved": True})


def make_table() -> None:
    """Make the table, once."""
    if Row._meta.db_table not in connection.introspection.table_names():
        with connection.schema_editor() as editor:
            editor.create_model(Row)
    connection.close()


urlpatterns = [path("answers", write)]
application = get_wsgi_application()
if __name__ == "__main__":
    make_table()
