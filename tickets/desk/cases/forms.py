"""What staff write on a ticket."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from fleet.leases.models import Lease
from fleet.people.models import Customer, User
from tickets.cases.states import Source
from tickets.clocks import CLASSES
from tickets.sla.events import HOLD, WAITING_INFO

LONGEST = 20_000
ANSWER, ASK, HOLD_ON, RESOLVE, NOTE = "answer", "ask", "hold", "resolve", "note"
REASONS = {ASK: WAITING_INFO, HOLD_ON: HOLD}


class WriteForm(forms.Form):
    """A text, and what it is: the button that was pressed says so."""

    body = forms.CharField(
        label=_("Text"), max_length=LONGEST, widget=forms.Textarea(attrs={"rows": 5})
    )
    act = forms.ChoiceField(
        choices=[(name, name) for name in (ANSWER, ASK, HOLD_ON, RESOLVE, NOTE)]
    )


class ClassForm(forms.Form):
    """Another class, and why."""

    to = forms.ChoiceField(label=_("Class"), choices=lambda: list(CLASSES.items()))
    reason = forms.CharField(label=_("Reason"), required=False, max_length=500)
    from_start = forms.BooleanField(
        label=_("It was this class from the start"), required=False, initial=False
    )


class NewTicketForm(forms.Form):
    """A ticket for somebody who called, wrote in a chat or came by."""

    SOURCES = (Source.PHONE, Source.CHAT, Source.STAFF)

    customer = forms.ModelChoiceField(Customer.objects.none(), label=_("Customer"))
    lease = forms.ModelChoiceField(
        Lease.objects.none(), label=_("Instance"), required=False, to_field_name="order_id"
    )
    source = forms.ChoiceField(
        label=_("How they reached us"),
        choices=lambda: [(each.value, each.label) for each in NewTicketForm.SOURCES],
    )
    klass = forms.ChoiceField(label=_("Class"), choices=lambda: list(CLASSES.items()))
    subject = forms.CharField(label=_("What is wrong, in a few words"), max_length=160)
    body = forms.CharField(
        label=_("What they said"),
        required=False,
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 5}),
    )

    def __init__(self, *args: Any, customers: Any, leases: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["customer"].queryset = customers  # type: ignore[attr-defined]
        self.fields["lease"].queryset = leases  # type: ignore[attr-defined]


class AssignForm(forms.Form):
    """Who has it."""

    to = forms.ModelChoiceField(User.objects.none(), required=False)

    def __init__(self, *args: Any, people: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["to"].queryset = people  # type: ignore[attr-defined]
