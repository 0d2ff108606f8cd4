"""Logging: one line an event, for people (console) or machines (JSON), with secrets blotted out."""

import re
from collections.abc import MutableMapping
from logging import Filter, LogRecord
from typing import Any

import structlog

SECRET = re.compile(
    r"(?i)(password|passwd|secret|token|authorization|cookie|session|api[_-]?key|private[_-]?key)"
    r"([\w-]*\"?\s*[:=]\s*\"?)(?:bearer\s+)?[^\s\"&,;]+"
)
URL_PASSWORD = re.compile(r"(?i)([a-z][a-z0-9+.-]*://[^\s:/@]*):[^\s@/]+@")
PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*-----|$)", re.S)
SECRET_NAMES = re.compile(r"(?i)password|secret|token|authorization|cookie|private_?key|api_?key")
BLOT = "[redacted]"


def blot(text: str) -> str:
    """The text without passwords, tokens, keys and the passwords in addresses."""
    text = PRIVATE_KEY.sub(BLOT, text)
    text = URL_PASSWORD.sub(rf"\1:{BLOT}@", text)
    return SECRET.sub(rf"\1\2{BLOT}", text)


def redact(_logger: Any, _name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A structlog processor: blots every text, and every value with a secret's name."""
    for key, value in event.items():
        if SECRET_NAMES.search(key):
            event[key] = BLOT
        elif isinstance(value, str):
            event[key] = blot(value)
    return event


class Brief(Filter):
    """While the broker is away beat would log two stacks for every tick it cannot send."""

    def filter(self, record: LogRecord) -> bool:
        if record.name == "celery.beat" and record.exc_info and isinstance(record.args, tuple):
            record.msg, record.args = "a message could not be sent: %s", record.args[:1]
            record.exc_info = None
        return True


FIRST: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.stdlib.ExtraAdder(),
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
    redact,
]
LEVELS = {"daphne": "WARNING", "paramiko": "CRITICAL", "asyncssh": "WARNING"}


def logging(style: str, level: str) -> dict[str, Any]:
    """Django's LOGGING: `style` is `console` or `json`, everything goes to stderr."""
    last = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if style == "json"
        else structlog.dev.ConsoleRenderer(colors=False)
    )
    lines = {
        "()": structlog.stdlib.ProcessorFormatter,
        "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, last],
        "foreign_pre_chain": FIRST,
    }
    stderr = {"class": "logging.StreamHandler", "formatter": "lines", "filters": ["brief"]}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"lines": lines},
        "filters": {"brief": {"()": Brief}},
        "handlers": {"stderr": stderr},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django.server": {"handlers": [], "propagate": True},
            **{name: {"level": least} for name, least in LEVELS.items()},
        },
    }
