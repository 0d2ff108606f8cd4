"""What a ticket can be, and who can have opened it.

A ticket's state is not moved: it follows from its events (`tickets/sla`), and only
`cases/settle.py` writes down what followed.
"""

from django.db import models
from django.utils.translation import gettext_lazy as _


class TicketState(models.TextChoices):
    OPEN = "open", _("Open")
    PAUSED = "paused", _("Waiting for the customer")
    RESOLVED = "resolved", _("Resolved")
    CLOSED = "closed", _("Closed")
    CANCELLED = "cancelled", _("Withdrawn")
    MERGED = "merged", _("Merged")
    SPAM = "spam", _("Spam")
    TEST = "test", _("Test")


LIVE = (TicketState.OPEN, TicketState.PAUSED)


class Source(models.TextChoices):
    PORTAL = "portal", _("Customer's page")
    MAIL = "mail", _("E-mail")
    CHAT = "chat", _("Chat")
    PHONE = "phone", _("Phone")
    ALERT = "alert", _("Fault found by us")
    STAFF = "staff", _("Opened by us")


class Author(models.TextChoices):
    STAFF = "staff", _("Staff")
    CUSTOMER = "customer", _("Customer")
    BOT = "bot", _("Automatic")


class Clock(models.TextChoices):
    RESPONSE = "response", _("Response")
    RESOLUTION = "resolution", _("Resolution")


class ClockState(models.TextChoices):
    IN_FLIGHT = "in_flight", _("Running")
    MET = "met", _("Met")
    BREACHED = "breached", _("Breached")
    EXCLUDED = "excluded", _("Not counted")
