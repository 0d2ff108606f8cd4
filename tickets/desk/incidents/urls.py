"""Addresses of incidents."""

from django.urls import path

from tickets.desk.incidents import placing, views

urlpatterns = [
    path("incidents/<int:pk>/", views.incident, name="incident"),
    path("incidents/<int:pk>/rows", views.incident_parts, name="incident_parts"),
    path("incidents/<int:pk>/take", views.take, name="take_incident"),
    path("incidents/<int:pk>/snooze", views.snooze, name="snooze_incident"),
    path("incidents/<int:pk>/wake", views.wake, name="wake_incident"),
    path("incidents/<int:pk>/tell", views.tell, name="tell_incident"),
    path("incidents/<int:pk>/merge", placing.merge, name="merge_incident"),
    path("incidents/<int:pk>/split", placing.split, name="split_incident"),
    path("incidents/<int:pk>/close", placing.close, name="close_incident"),
    path("incidents/<int:pk>/reopen", placing.reopen, name="reopen_incident"),
    path("incidents/<int:pk>/triage", placing.mark, name="mark_triage"),
    path("incidents/<int:pk>/examine", placing.examine, name="examine_incident"),
]
