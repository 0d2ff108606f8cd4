"""Addresses of the desk's tickets."""

from django.urls import path

from tickets.desk.cases import views

urlpatterns = [
    path("tickets/", views.tickets, name="tickets"),
    path("tickets/rows", views.tickets_rows, name="tickets_rows"),
    path("tickets/new", views.new_ticket, name="new_ticket"),
    path("tickets/<int:pk>/", views.ticket, name="ticket"),
    path("tickets/<int:pk>/rows", views.ticket_parts, name="ticket_parts"),
    path("tickets/<int:pk>/write", views.write, name="write_ticket"),
    path("tickets/<int:pk>/assign", views.assign, name="assign_ticket"),
    path("tickets/<int:pk>/class", views.change_class, name="class_ticket"),
    path("tickets/<int:pk>/merge", views.merge, name="merge_ticket"),
    path("tickets/<int:pk>/act/<slug:act>", views.simple_act, name="act_ticket"),
]
