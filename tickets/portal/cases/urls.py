"""Addresses of a customer's tickets."""

from django.urls import path

from tickets.portal.cases import views

urlpatterns = [
    path("my/tickets/", views.my_tickets, name="my_tickets"),
    path("my/tickets/new", views.report, name="report"),
    path("my/tickets/of/<int:customer>/rows", views.my_tickets_rows, name="my_tickets_rows"),
    path("my/tickets/<int:pk>/", views.my_ticket, name="my_ticket"),
    path("my/tickets/<int:pk>/rows", views.my_ticket_parts, name="my_ticket_parts"),
    path("my/tickets/<int:pk>/say", views.say, name="say_ticket"),
    path("my/tickets/<int:pk>/works", views.works, name="works_ticket"),
    path("my/tickets/<int:pk>/fails", views.fails, name="fails_ticket"),
    path("my/tickets/<int:pk>/withdraw", views.withdraw, name="withdraw_ticket"),
]
