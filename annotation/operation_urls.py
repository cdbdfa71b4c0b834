"""Addresses for whoever watches over the installation."""

from django.urls import path

from annotation.views import monitoring

urlpatterns = [
    path("health/live", monitoring.live, name="health_live"),
    path("health/ready", monitoring.ready, name="health_ready"),
    path("metrics", monitoring.metrics, name="metrics"),
]
