"""Django's own checks are clean: models match migrations, production settings pass --deploy."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PRODUCTION = {
    "SECRET_KEY": "k7Jx0pVq4mZr9sTb2nWy5uCe8hLd1fGa3iKo6vXj0zQwRtYuPb",
    "HALFHOUR_KEYS": "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
    "HALFHOUR_HTTPS": "on",
    "ALLOWED_HOSTS": "desk.example.org",
    "CSRF_TRUSTED_ORIGINS": "https://desk.example.org",
}


def manage(*argv: str, **environment: str) -> subprocess.CompletedProcess[str]:
    environment = {"DJANGO_SETTINGS_MODULE": "config.settings", **environment}
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("DJANGO_", "HALFHOUR_"))}
    return subprocess.run(
        [sys.executable, "manage.py", *argv],
        cwd=ROOT,
        env={**inherited, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_migrations_hold_every_model() -> None:
    done = manage("makemigrations", "--check", "--dry-run", **PRODUCTION)
    assert done.returncode == 0, done.stdout + done.stderr


def test_production_settings_pass_the_deployment_check() -> None:
    done = manage("check", "--deploy", "--fail-level", "WARNING", **PRODUCTION)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_deployment_check_refuses_plain_http() -> None:
    done = manage(
        "check", "--deploy", "--fail-level", "WARNING", **{**PRODUCTION, "HALFHOUR_HTTPS": "off"}
    )
    assert done.returncode != 0


def test_an_installation_without_a_secret_key_is_refused() -> None:
    done = manage(
        "check", "--deploy", "--fail-level", "WARNING", **{**PRODUCTION, "SECRET_KEY": ""}
    )
    assert done.returncode != 0
