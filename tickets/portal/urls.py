"""Addresses of the customer's pages."""

from django.urls import path

from tickets.portal import views

urlpatterns = [
    path("my/", views.mine, name="mine"),
    path("my/<int:customer>/rows", views.mine_rows, name="mine_rows"),
]
