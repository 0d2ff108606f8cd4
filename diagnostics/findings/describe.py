"""A finding as plain data with its words in one language: for commands and the API."""

from collections.abc import Mapping
from typing import Any

from django.utils import translation

from diagnostics.catalogue import load
from diagnostics.findings.messages import sentence
from diagnostics.findings.models import Finding
from diagnostics.probes.reading import Value


def describe(row: Finding) -> dict[str, Any]:
    """Title and reason in the active language; `root` is the finding that explains this one.

    Times are ISO 8601 in UTC. Join `node` and `lease` before describing many rows.
    """
    fault = load.FAULTS.get(row.code)
    return {
        "id": row.pk,
        "code": row.code,
        "title": fault.title(translation.get_language() or "en") if fault else row.code,
        "layer": row.layer,
        "severity": row.severity,
        "opens": row.opens,
        "state": row.state,
        "node": row.node.name,
        "target": row.target,
        "lease": row.lease.order_id if row.lease else None,
        "root": row.root_id,
        "probe": row.probe,
        "reason": said(row.reason, row.values),
        "reason_key": row.reason,
        "values": row.values,
        "occurrences": row.occurrences,
        "opened_at": row.opened_at.isoformat(),
        "last_seen_at": row.last_seen_at.isoformat(),
        "cleared_at": row.cleared_at.isoformat() if row.cleared_at else None,
    }


def said(reason: str, values: Mapping[str, Value]) -> str:
    """The reason in words; the bare key of one that this version no longer knows."""
    try:
        return sentence(reason, values)
    except KeyError:
        return reason
