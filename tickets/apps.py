"""Django app `tickets`: the desk, the portal and the drill."""

from django.apps import AppConfig


class TicketsConfig(AppConfig):
    name = "tickets"
    default_auto_field = "django.db.models.BigAutoField"
