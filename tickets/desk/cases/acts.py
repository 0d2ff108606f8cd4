"""The desk's buttons as acts on a ticket."""

from collections.abc import Callable, Mapping
from functools import partial

from django.core.exceptions import PermissionDenied
from django.utils.translation import gettext as _

from fleet import access as fleet_access
from fleet import typed
from fleet.changes.errors import Refused
from fleet.people.models import User
from tickets import access
from tickets.cases import services
from tickets.cases.models import Ticket, TicketEvent
from tickets.cases.opening import open_ticket
from tickets.desk.cases.forms import (
    ANSWER,
    NOTE,
    REASONS,
    RESOLVE,
    AssignForm,
    ClassForm,
    NewTicketForm,
)

SIMPLE: Mapping[str, Callable[..., TicketEvent]] = {
    "resume": services.resume,
    "reopen": partial(services.reopen, by_customer=False),
    "dismiss": services.dismiss,
    "acknowledge": services.acknowledge,
    "spam": partial(services.mark, kind="spam"),
    "test": partial(services.mark, kind="test"),
}


def write(ticket: Ticket, *, act: str, body: str, by: User) -> None:
    """A text, as what its button says. Raises Refused."""
    if act == ANSWER:
        services.answer(ticket, body=body, actor=by)
    elif act == NOTE:
        services.note(ticket, body=body, actor=by)
    elif act == RESOLVE:
        services.resolve(ticket, body=body, actor=by)
    else:
        services.ask(ticket, body=body, actor=by, reason=REASONS[act])


def simple(ticket: Ticket, *, act: str, by: User) -> None:
    """An act without words. Raises Refused."""
    if act not in SIMPLE:
        raise Refused(_("There is no such act."))
    SIMPLE[act](ticket, actor=by)


def assign(ticket: Ticket, *, form: AssignForm, by: User) -> None:
    """To whom the form says. Raises Refused."""
    if not form.is_valid():
        raise Refused(_("There is no such colleague."))
    services.assign(ticket, to=form.cleaned_data["to"], actor=by)


def reclass(ticket: Ticket, *, form: ClassForm, by: User) -> None:
    """Ops change the class from now on, managers correct it from the start. Raises Refused."""
    if not form.is_valid():
        raise Refused(_("The contract has no such class."))
    said = form.cleaned_data
    if said["from_start"]:
        services.correct_class(ticket, to=said["to"], reason=said["reason"], actor=by)
    elif fleet_access.is_ops(by):
        services.change_class(ticket, to=said["to"], actor=by)
    else:
        raise PermissionDenied


def merge(ticket: Ticket, *, into: str, by: User) -> None:
    """Into the ticket of this number. Raises Refused."""
    number = typed.number(into.strip().removeprefix("#"))
    target = access.tickets(by).filter(pk=number).first() if number is not None else None
    if target is None:
        raise Refused(_("There is no such ticket."))
    services.merge(ticket, into=target, actor=by)


def open_for(form: NewTicketForm, *, by: User) -> Ticket | None:
    """Open what a valid form says; what is refused stands beside its field."""
    try:
        return open_ticket(actor=by, **form.cleaned_data)
    except Refused as refused:
        for field, text in refused.errors.items():
            form.add_error(field if field in form.fields else None, str(text))
        return None
