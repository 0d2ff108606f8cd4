"""How Celery looks for a broker that went away: often enough to be back when the broker is."""

from typing import Any

from celery.app.amqp import AMQP
from kombu import Connection

# Kombu's own pauses grow to 30 s, and no setting of Celery's reaches them.
LONGEST_PAUSE_S = 3


class EagerConnection(Connection):
    """Tries again every 2 to 3 s, however long the broker has been away."""

    def ensure_connection(self, *args: Any, **kwargs: Any) -> Any:
        """As kombu's, with the pause between two tries bounded."""
        kwargs.setdefault("interval_max", LONGEST_PAUSE_S)
        return super().ensure_connection(*args, **kwargs)


class Broker(AMQP):
    """Celery's messaging over such connections."""

    Connection = EagerConnection
