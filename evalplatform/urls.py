"""Every address of the platform."""

from django.contrib import admin
from django.contrib.auth import views as auth
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("login/", auth.LoginView.as_view(template_name="login.html"), name="login"),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
    path("", include("annotation.urls")),
]

handler400 = "evalplatform.middleware.bad_request"
handler403 = "evalplatform.middleware.permission_denied"
handler404 = "evalplatform.middleware.page_not_found"
handler500 = "evalplatform.middleware.server_error"
