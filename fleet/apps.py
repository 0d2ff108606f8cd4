"""Django app `fleet`: who and what exists, and how it is reached."""

from django.apps import AppConfig


class FleetConfig(AppConfig):
    name = "fleet"
    default_auto_field = "django.db.models.BigAutoField"
