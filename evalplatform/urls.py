"""Every address of the platform."""

from django.contrib import admin
from django.contrib.auth import views as auth
from django.templatetags.static import static
from django.urls import include, path
from django.views.generic import RedirectView

admin.site.site_header = admin.site.site_title = "Human evaluation · administration"
admin.site.index_title = "Everything that is stored"

urlpatterns = [
    path("admin/", admin.site.urls),
    path("favicon.ico", RedirectView.as_view(url=static("favicon.svg")), name="favicon"),
    path("login/", auth.LoginView.as_view(template_name="login.html"), name="login"),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
    path("", include("mtcore.urls")),
    path("", include("annotation.urls")),
]

handler400 = "evalplatform.middleware.bad_request"
handler403 = "evalplatform.middleware.permission_denied"
handler404 = "evalplatform.middleware.page_not_found"
handler500 = "evalplatform.middleware.server_error"
