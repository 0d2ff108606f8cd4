"""The settings a person may change about their own screens."""

from typing import Any, ClassVar
from zoneinfo import available_timezones

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from fleet.access import is_staff
from fleet.people.models import User

# The zones our readers live in, before the long list.
NEAR = ("Asia/Shanghai", "Asia/Hong_Kong", "Asia/Singapore", "Asia/Tokyo", "UTC")


def zones() -> list[tuple[str, str]]:
    """Every zone of the time zone database, the usual ones first."""
    rest = sorted(zone for zone in available_timezones() if "/" in zone and zone not in NEAR)
    return [(zone, zone.replace("_", " ")) for zone in (*NEAR, *rest)]


class SettingsForm(forms.ModelForm):  # type: ignore[type-arg]
    """Language, zone, theme, density; for staff also drill mode."""

    language = forms.ChoiceField(label=_("Language"), choices=settings.LANGUAGES)
    zone = forms.ChoiceField(
        label=_("Time zone"),
        choices=zones,
        help_text=_("Changes times on your screens only, never the figures of a contract."),
    )

    class Meta:
        model = User
        fields = ("name", "language", "zone", "theme", "density", "drill_mode")
        labels: ClassVar[dict[str, Any]] = {
            "name": _("Name"),
            "theme": _("Colours"),
            "density": _("Spacing"),
            "drill_mode": _("Drill mode"),
        }
        help_texts: ClassVar[dict[str, Any]] = {
            "drill_mode": _("Shows the simulated fleet instead of the real one."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not is_staff(self.instance):
            del self.fields["drill_mode"]


class LanguageForm(forms.Form):
    """The language switch in the header."""

    language = forms.ChoiceField(choices=settings.LANGUAGES)


class DrillForm(forms.Form):
    """The switch between the real fleet and the simulated one."""

    drill_mode = forms.BooleanField(required=False)


class ThemeForm(forms.ModelForm):  # type: ignore[type-arg]
    """The light and dark switch in the header."""

    class Meta:
        model = User
        fields = ("theme",)
