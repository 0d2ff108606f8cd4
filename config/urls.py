"""Every address of the web site."""

from django.urls import include, path

urlpatterns = [
    path("accounts/", include("allauth.urls")),
]
