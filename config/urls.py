"""Every address of the web site."""

from django.urls import include, path

from config import health, metrics

urlpatterns = [
    path("accounts/", include("allauth.urls")),
    path("healthz", health.healthz),
    path("livez", health.livez),
    path("metrics", metrics.metrics),
]
