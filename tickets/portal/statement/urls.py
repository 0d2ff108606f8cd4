"""Addresses of the statement."""

from django.urls import path

from tickets.portal.statement import views

urlpatterns = [
    path("my/statement/<int:customer>/", views.statement, name="statement"),
    path(
        "my/statement/<int:customer>/file.<slug:kind>", views.statement_file, name="statement_file"
    ),
]
