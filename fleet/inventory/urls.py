"""Addresses of the inventory's pages."""

from django.urls import path

from fleet.inventory import views

urlpatterns = [
    path("fleet/import/", views.import_nodes, name="import_nodes"),
    path("fleet/import/<int:pk>/", views.show_import, name="import_draft"),
    path("nodes/<int:pk>/enrol/", views.show_enrolment, name="enrol_node"),
    path("nodes/<int:pk>/enrol/scan", views.scan_node, name="scan_node"),
    path("nodes/<int:pk>/enrol/<int:key_pk>/pin", views.pin_key, name="pin_key"),
    path("nodes/<int:pk>/enrol/<int:key_pk>/refuse", views.refuse_key, name="refuse_key"),
]
