"""Addresses of the report."""

from django.urls import path

from tickets.desk.reports import views

urlpatterns = [
    path("reports/", views.report, name="report_month"),
    path("reports/file.<slug:kind>", views.report_file, name="report_file"),
]
