"""How long things may take before they count as something else."""

from datetime import timedelta

from tickets.sla.policy import DEFAULT

# Back within this, it is the same incident again.
FLAP = timedelta(milliseconds=DEFAULT.flap)
# A host that falls silent waits so long for others: many at once are our own line, not theirs.
SETTLING = timedelta(seconds=30)
