"""What a customer writes."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from fleet.leases.models import Lease

LONGEST = 20_000


class InstanceChoice(forms.ModelChoiceField):  # type: ignore[type-arg]
    """Instances by their order number, with where they are."""

    def label_from_instance(self, obj: Any) -> str:
        return f"{obj.order_id} · {obj.node.region.name}"


class ReportForm(forms.Form):
    """One sentence is enough; everything else we look up ourselves."""

    lease = InstanceChoice(Lease.objects.none(), label=_("Which instance"))
    body = forms.CharField(
        label=_("What is wrong? One sentence is enough."),
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("We add what we measured by ourselves. Please write no passwords."),
    )

    def __init__(self, *args: Any, leases: QuerySet[Lease], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["lease"].queryset = leases.select_related("node__region")  # type: ignore[attr-defined]


class WordForm(forms.Form):
    """A further message."""

    body = forms.CharField(max_length=LONGEST, widget=forms.Textarea(attrs={"rows": 4}))
