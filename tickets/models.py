"""Every model of `tickets`, gathered for Django; each lives with its subject."""

from tickets.cases.models import Alarm, Outcome, Ticket, TicketEvent, TicketText
from tickets.policies.models import LeasePolicy, PolicyVersion, SlaPolicy

__all__ = [
    "Alarm",
    "LeasePolicy",
    "Outcome",
    "PolicyVersion",
    "SlaPolicy",
    "Ticket",
    "TicketEvent",
    "TicketText",
]
