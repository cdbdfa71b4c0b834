"""Addresses for whoever watches over the installation: accounts, the audit trail, health."""

from django.urls import path

from annotation.views import accounts, audit, monitoring

urlpatterns = [
    path("users/", accounts.users, name="users"),
    path("users/<int:pk>/", accounts.user, name="user"),
    path("users/<int:pk>/change", accounts.user_change, name="user_change"),
    path("password/", accounts.PasswordChange.as_view(), name="password_change"),
    path("password/<uidb64>/<token>/", accounts.PasswordSet.as_view(), name="password_set"),
    path("audit/", audit.audit, name="audit"),
    path("audit.csv", audit.audit_file, name="audit_file"),
    path("health/live", monitoring.live, name="health_live"),
    path("health/ready", monitoring.ready, name="health_ready"),
    path("metrics", monitoring.metrics, name="metrics"),
]
