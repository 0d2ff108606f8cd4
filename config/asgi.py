"""The web process: HTTP to Django, websockets to the live consumer."""
# ruff: noqa: E402 - Django must be set up before anything that imports models

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# The web keeps a pool of PostgreSQL connections; workers have one connection a thread.
os.environ.setdefault("HALFHOUR_DATABASE_POOL", "on")

from django.core.asgi import get_asgi_application

http = get_asgi_application()

from channels.routing import ProtocolTypeRouter
from channels.security.websocket import AllowedHostsOriginValidator
from channels.sessions import CookieMiddleware

from config.live import REGIONS
from config.turnstile import Turnstile
from fleet.live.consumer import LiveConsumer
from fleet.live.hub import Hub

live = LiveConsumer.as_asgi(regions=REGIONS, hub=Hub())
application = ProtocolTypeRouter(
    {"http": Turnstile(http), "websocket": AllowedHostsOriginValidator(CookieMiddleware(live))}
)
