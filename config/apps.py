"""Django app `config`: joins the apps and runs them (`manage.py up`)."""

from django.apps import AppConfig

from config import checks
from config.celery import app as celery_app


class ConfigConfig(AppConfig):
    name = "config"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Every process that publishes must use our Celery app, and every start is checked."""
        celery_app.set_default()
        checks.register()
