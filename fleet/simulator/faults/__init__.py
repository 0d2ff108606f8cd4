"""The faults that can be injected: what each is called and where it strikes. No Django models."""

from fleet.simulator.faults.kinds import FAULTS, FaultKind, NotAFault, find

__all__ = ["FAULTS", "FaultKind", "NotAFault", "find"]
