"""Addresses of the drill."""

from django.urls import path

from tickets.drill import views

urlpatterns = [
    path("drill/", views.drill, name="drill"),
    path("drill/inject", views.inject, name="drill_inject"),
    path("drill/clear", views.clear, name="drill_clear"),
]
