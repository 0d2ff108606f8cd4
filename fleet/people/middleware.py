"""Shows every page in the language and time zone its reader chose."""

from collections.abc import Callable
from zoneinfo import ZoneInfo, available_timezones

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone, translation

from fleet.access import is_person


class PreferencesMiddleware:
    """Stands behind LocaleMiddleware, which has already chosen for who has not signed in."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        user = request.user
        if not is_person(user):
            return self.get_response(request)
        request.LANGUAGE_CODE = user.language
        zone = user.zone if user.zone in available_timezones() else "UTC"
        with translation.override(user.language), timezone.override(ZoneInfo(zone)):
            return self.get_response(request)
