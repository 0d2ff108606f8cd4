"""What an import did, or would do, row by row."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

Outcome = Literal["created", "updated", "unchanged", "refused", "skipped"]


@dataclass
class RowReport:
    """One row's fate. `notes` are sentences: for a refused row why, and what to do."""

    line: int
    name: str
    outcome: Outcome
    notes: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)


@dataclass
class Report:
    """All rows' fates. `dry_run`: nothing was written."""

    rows: list[RowReport]
    dry_run: bool
    notes: list[str] = field(default_factory=list)

    @property
    def counts(self) -> Counter[str]:
        """How many rows had each outcome."""
        return Counter(row.outcome for row in self.rows)

    @property
    def clean(self) -> bool:
        """No row was refused."""
        return not self.counts["refused"]

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "dry_run": self.dry_run,
            "counts": dict(self.counts),
            "notes": self.notes,
            "rows": [vars(row) for row in self.rows],
        }
