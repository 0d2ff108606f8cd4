"""What an incident is called: its fault, and where a shared cause lies."""

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tickets import wording
from tickets.incidents import ourselves
from tickets.incidents.models import Incident
from tickets.incidents.states import Scope
from tickets.wording import FaultText

OURS: dict[str, str | Promise] = {
    "title": gettext_lazy("Our own view of the hosts failed"),
    "staff": gettext_lazy(
        "Check our own side first: the line and DNS of this server, its gateway, the jump hosts."
        " No host is accused and no customer is told before we see again."
    ),
    "summary": gettext_lazy(
        "Too many hosts fell silent at the same moment for the fault to be theirs."
    ),
}
PLACES: dict[str, str | Promise] = {
    Scope.NODE: gettext_lazy("Look at the host first: the faults of its cards came together."),
    Scope.RACK: gettext_lazy(
        "Look at the rack first: cooling, doors, power and switch, before any single host."
    ),
    Scope.PDU: gettext_lazy(
        "Look at the PDU and its circuit first: load, breaker, feed, before any single host."
    ),
    Scope.UPLINK: gettext_lazy(
        "Look at the uplink first: switch, cable, carrier, before any single host."
    ),
    Scope.PROVIDER: gettext_lazy("Ask the provider first: most of their hosts are hit at once."),
}


def fault_of(incident: Incident) -> FaultText:
    """The fault in words, with the first step that fits how far its cause reaches."""
    if incident.code == ourselves.CODE:
        return FaultText(**{name: str(text) for name, text in OURS.items()})
    text = wording.fault_text(incident.code)
    if incident.scope == Scope.TARGET:
        return text
    first = str(PLACES[incident.scope])
    return FaultText(text.title, text.summary, text.advice, f"{first} {text.staff}", text.side)


def where(incident: Incident) -> str:
    """`Rack Frankfurt · A · R3`; nothing for a fault of one target."""
    if incident.scope in {Scope.TARGET, Scope.OURSELVES}:
        return ""
    return placed(incident.scope, incident.place)


def placed(scope: str, place: str) -> str:
    """A place of this scope in words."""
    return _("%(kind)s %(name)s") % {"kind": Scope(scope).label, "name": place}


def title(incident: Incident) -> str:
    """One line for lists: the fault, and the place that shares it."""
    place, fault = where(incident), fault_of(incident).title
    return _("%(fault)s: %(place)s") % {"fault": fault, "place": place} if place else fault


def together(count: int) -> str:
    """How many faults share it."""
    sentence = ngettext("%(count)d fault together", "%(count)d faults together", count)
    return sentence % {"count": count}
