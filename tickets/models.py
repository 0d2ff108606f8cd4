"""Every model of `tickets`, gathered for Django; each lives with its subject."""

from tickets.cases.models import Alarm, Outcome, Ticket, TicketEvent, TicketText
from tickets.incidents.models import BlackoutReceipt, Hit, Incident, Receipt, TriageMark, WorkItem
from tickets.policies.models import LeasePolicy, PolicyVersion, SlaPolicy

__all__ = [
    "Alarm",
    "BlackoutReceipt",
    "Hit",
    "Incident",
    "LeasePolicy",
    "Outcome",
    "PolicyVersion",
    "Receipt",
    "SlaPolicy",
    "Ticket",
    "TicketEvent",
    "TicketText",
    "TriageMark",
    "WorkItem",
]
