"""Every address of the web site."""

from django.urls import include, path

from config import health, metrics
from config.api import api, entrance

urlpatterns = [
    path("", include("tickets.desk.urls")),
    path("", include("tickets.desk.cases.urls")),
    path("", include("tickets.desk.incidents.urls")),
    path("", include("tickets.desk.reports.urls")),
    path("", include("tickets.portal.cases.urls")),
    path("", include("tickets.portal.statement.urls")),
    path("", include("tickets.portal.urls")),
    path("", include("tickets.drill.urls")),
    path("", include("fleet.inventory.urls")),
    path("", include("fleet.people.urls")),
    path("api/v1/", entrance, name="api"),
    path("api/v1/", api.urls),
    path("healthz", health.healthz),
    path("livez", health.livez),
    path("metrics", metrics.metrics),
]
