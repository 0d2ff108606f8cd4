"""What staff say on an incident's page."""

from django import forms
from django.utils.translation import gettext_lazy as _

HOURS = ((1, _("1 hour")), (4, _("4 hours")), (12, _("12 hours")), (72, _("3 days")))


class SnoozeForm(forms.Form):
    """For how long, and why."""

    hours = forms.TypedChoiceField(label=_("For how long"), choices=HOURS, coerce=int)
    reason = forms.CharField(label=_("Reason"), max_length=200)


class TellForm(forms.Form):
    """One text for everybody it hurts."""

    body = forms.CharField(
        label=_("Text the customers read"),
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 4}),
    )
