"""Why an act on a ticket did nothing, in the reader's words: what is so, and what to do."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

SENTENCES: dict[str, str | Promise] = {
    "not_open": _("The ticket is resolved. Reopen it first."),
    "reason_not_allowed": _("Only waiting for the customer may stop the clock."),
    "no_public_text": _("Write a text that the customer can read."),
    "not_delivered": _("The customer would not receive this text. Choose another channel."),
    "bad_until": _("The end must lie in the future."),
    "not_paused": _("The ticket does not wait for this."),
    "no_open_consent": _("There is no open question to decide. Load the page again."),
    "already_resolved": _("The ticket is resolved already."),
    "reserved_reason": _("This reason is only for what happens by itself."),
    "not_self_service": _("This class of fault is not for self-service."),
    "not_verified": _("The result was not verified."),
    "flap_window": _("The fault came back too long after its recovery: it is a new one."),
    "not_resolved": _("The ticket is not resolved."),
    "nothing_to_dismiss": _("There is no message to pass over. Load the page again."),
    "too_late": _("It is too late for this."),
    "unknown_class": _("The contract has no such class."),
    "not_by_rule": _("Only a rule sets this class."),
    "already_set": _("The class has been set."),
    "not_manager": _("Only a manager may correct the class."),
    "no_reason": _("Give a reason."),
    "unknown_version": _("This version of the contract is not in force."),
    "unknown_ticket": _("There is no such ticket."),
    "same_ticket": _("A ticket cannot be merged into itself."),
    "other_customer": _("Tickets of different customers are never merged."),
    "unknown_event": _("There is no such message."),
    "not_customer": _("Only the customer may withdraw a ticket."),
    "merged": _("The ticket was merged into another one. Go on there."),
    "over": _("The ticket has ended. Open a new one."),
    "closed": _("The ticket is closed: it was resolved too long ago. Open a new one."),
}
# The act stands, but otherwise than was meant.
COUNTS_LATER = "backdate_limit"
