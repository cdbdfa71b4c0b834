"""For whoever watches over the installation: alive, ready, numbers."""

from __future__ import annotations

from http import HTTPStatus

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST

from annotation.services.monitoring import BAD, OK, metrics_text, readiness_checks


@require_safe
@never_cache
def live(request: HttpRequest) -> HttpResponse:
    """Say that this process answers; touches nothing else."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
@never_cache
def ready(request: HttpRequest) -> HttpResponse:
    """Say whether answers can be taken: 200, or 503 with what is wrong."""
    checks = readiness_checks()
    is_ready = not any(check.state == BAD for check in checks)
    body = {
        "ready": is_ready,
        "checks": {
            check.name: check.state if check.state == OK else f"{check.state}: {check.detail}"
            for check in checks
        },
    }
    return JsonResponse(body, status=HTTPStatus.OK if is_ready else HTTPStatus.SERVICE_UNAVAILABLE)


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Give the numbers to who knows METRICS_TOKEN; without one set, there is nothing here."""
    token = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not settings.METRICS_TOKEN or not constant_time_compare(token, settings.METRICS_TOKEN):
        raise Http404
    return HttpResponse(metrics_text(), content_type=CONTENT_TYPE_LATEST)
