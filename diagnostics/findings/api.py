"""The API's findings: open faults, and past ones on request."""

from datetime import datetime
from typing import Annotated, Any, Literal

from django.db.models import QuerySet
from django.http import HttpRequest
from ninja import Query, Router, Schema
from ninja.pagination import paginate
from pydantic import AfterValidator

from diagnostics.catalogue.load import FAULTS
from diagnostics.findings.messages import sentence
from diagnostics.findings.models import Finding
from diagnostics.findings.queries import findings
from diagnostics.findings.states import FindingState
from fleet.access import is_staff
from fleet.paging import Pages, wanted
from fleet.people.bearer import Bearer

router = Router(tags=["findings"])
Severity = Literal["info", "low", "medium", "high", "critical"]


def _in_catalogue(code: str) -> str:
    if code not in FAULTS:
        raise ValueError("the catalogue has no such fault")
    return code


Code = Annotated[str, AfterValidator(_in_catalogue)]


class FindingOut(Schema):
    """A fault of the catalogue on a node, card, lease or port.

    `reason` is a key, `values` its figures with units, `sentence` both in the caller's language
    (Accept-Language). `root_id` is the finding that explains this one.
    """

    id: int
    code: str
    target: str
    layer: str
    severity: str
    opens: str
    state: FindingState
    probe: str
    reason: str
    values: dict[str, Any]
    sentence: str
    occurrences: int
    opened_at: datetime
    last_seen_at: datetime
    cleared_at: datetime | None
    node: str | None
    gpu: str | None
    lease: str | None
    port: str | None
    root_id: int | None

    @staticmethod
    def resolve_sentence(finding: Finding) -> str:
        try:
            return sentence(finding.reason, finding.values)
        except KeyError:  # a row of a version that knew other reasons
            return finding.reason

    @staticmethod
    def resolve_node(finding: Finding, context: dict[str, Any]) -> str | None:
        return finding.node.name if is_staff(context["request"].user) else None

    @staticmethod
    def resolve_gpu(finding: Finding) -> str | None:
        return finding.gpu.uuid if finding.gpu else None

    @staticmethod
    def resolve_lease(finding: Finding) -> str | None:
        return finding.lease.order_id if finding.lease else None

    @staticmethod
    def resolve_port(finding: Finding) -> str | None:
        return str(finding.path) if finding.path else None


class FindingFilter(Schema):
    """Only findings like this; `node` is a name, `lease` an order number."""

    state: FindingState | None = None
    code: Code | None = None
    severity: Severity | None = None
    node: str | None = None
    lease: str | None = None


LOOKUPS = {"node": "node__name", "lease": "lease__order_id"}


@router.get("", response=list[FindingOut], auth=Bearer("findings:read"), summary="List findings")
@paginate(Pages)
def list_findings(request: HttpRequest, only: Query[FindingFilter]) -> QuerySet[Finding]:
    """Scope `findings:read`. Newest first; a customer's token sees what hurts its leases."""
    asked = wanted(request, only)
    found = findings(request.user).filter(
        **{LOOKUPS.get(name, name): asked[name] for name in asked}
    )
    return found.order_by("-opened_at", "-pk")
