"""Addresses of incidents."""

from django.urls import path

from tickets.desk.incidents import views

urlpatterns = [
    path("incidents/<int:pk>/", views.incident, name="incident"),
    path("incidents/<int:pk>/rows", views.incident_parts, name="incident_parts"),
    path("incidents/<int:pk>/take", views.take, name="take_incident"),
    path("incidents/<int:pk>/snooze", views.snooze, name="snooze_incident"),
    path("incidents/<int:pk>/wake", views.wake, name="wake_incident"),
    path("incidents/<int:pk>/tell", views.tell, name="tell_incident"),
]
