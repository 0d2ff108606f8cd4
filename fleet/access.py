"""The only door: who sees which rows. Views, API, sockets, exports and files all come through here.

Staff see everything of their world, a customer sees what their company rents. Worlds never mix:
in drill mode only simulated rows are shown, outside it none. A customer never reaches a node,
only their leases on it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Concatenate, ParamSpec, TypeGuard

from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, Model, Q, QuerySet, Value
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, resolve_url
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from fleet import typed
from fleet.changes.models import Event
from fleet.inventory.models import Gpu, Node, Provider
from fleet.leases.models import AccessPath, Lease
from fleet.leases.states import LeaseState
from fleet.people.models import Customer, Membership, Role, User

P = ParamSpec("P")
Anyone = User | AnonymousUser
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


class PersonRequest(HttpRequest):
    """A request of somebody who has signed in."""

    user: User
    htmx: HtmxDetails


View = Callable[Concatenate[PersonRequest, P], HttpResponseBase]
GuardedView = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def is_person(user: Anyone) -> TypeGuard[User]:
    """Signed in and not switched off."""
    return isinstance(user, User) and user.is_active


def is_staff(user: Anyone) -> TypeGuard[User]:
    """Ops and managers: they see the whole fleet of their world."""
    return is_person(user) and user.role in {Role.OPS, Role.MANAGER}


def is_ops(user: Anyone) -> TypeGuard[User]:
    """Who may act on the fleet. A manager may look, not act."""
    return is_person(user) and user.role == Role.OPS


def in_drill(user: Anyone) -> bool:
    """Whether this person works on the simulated fleet (one query for a customer)."""
    if not is_person(user):
        return False
    return user.drill_mode if is_staff(user) else _drill_memberships(user).exists()


def _drill_memberships(user: User) -> QuerySet[Membership]:
    return Membership.objects.filter(user=user, customer__simulated=True)


def _world(user: User) -> Exists | Value:
    """SQL truth: does this person see simulated rows (and only those)?

    Staff choose by drill mode; people of a simulated customer are always in it, and a real
    customer never is, whatever their own flag says.
    """
    return Value(user.drill_mode) if is_staff(user) else Exists(_drill_memberships(user))


def providers(user: Anyone) -> QuerySet[Provider]:
    """Staff only."""
    if not is_staff(user):
        return Provider.objects.none()
    return Provider.objects.filter(simulated=_world(user))


def nodes(user: Anyone) -> QuerySet[Node]:
    """Staff only: a customer meets a node through their lease."""
    if not is_staff(user):
        return Node.objects.none()
    return Node.objects.filter(provider__simulated=_world(user))


def customers(user: Anyone) -> QuerySet[Customer]:
    """Every customer of the world for staff, their own for a customer."""
    if not is_person(user):
        return Customer.objects.none()
    seen = Customer.objects.filter(simulated=_world(user))
    if is_staff(user):
        return seen
    return seen.filter(pk__in=Membership.objects.filter(user=user).values("customer"))


def leases(user: Anyone) -> QuerySet[Lease]:
    """Every lease of the world for staff, those of their companies for a customer."""
    if not is_person(user):
        return Lease.objects.none()
    return Lease.objects.filter(
        customer__in=customers(user).values("pk"), node__provider__simulated=_world(user)
    )


def paths(user: Anyone) -> QuerySet[AccessPath]:
    """The published ports of the leases this person sees."""
    if not is_person(user):
        return AccessPath.objects.none()
    return AccessPath.objects.filter(lease__in=leases(user).values("pk"))


def gpus(user: Anyone) -> QuerySet[Gpu]:
    """Every card for staff; for a customer those of leases that have not ended."""
    if not is_person(user):
        return Gpu.objects.none()
    if is_staff(user):
        return Gpu.objects.filter(node__provider__simulated=_world(user))
    held = Lease.gpus.through.objects.filter(
        lease__in=leases(user).exclude(state=LeaseState.ENDED).values("pk")
    )
    return Gpu.objects.filter(pk__in=held.values("gpu"))


def events(user: Anyone) -> QuerySet[Event]:
    """The change record: by node or lease for staff, by their own leases for a customer.

    Facts that belong to no node and no lease (people, tokens, providers) are shown to staff
    outside the drill.
    """
    if not is_person(user):
        return Event.objects.none()
    of_leases = Q(lease_id__in=leases(user).values("pk"))
    if not is_staff(user):
        return Event.objects.filter(of_leases)
    seen = of_leases | Q(node_id__in=nodes(user).values("pk"))
    if not user.drill_mode:
        seen |= Q(node_id=None, lease_id=None)
    return Event.objects.filter(seen)


def node_or_404(user: Anyone, pk: int) -> Node:
    """The node with provider, region and credential, or 404 for who may not see it."""
    return get_object_or_404(nodes(user).select_related("provider", "region", "credential"), pk=pk)


def gpu_or_404(user: Anyone, pk: int) -> Gpu:
    """The card with its node, or 404 for who may not see it."""
    return get_object_or_404(gpus(user).select_related("node"), pk=pk)


def lease_or_404(user: Anyone, pk: int) -> Lease:
    """The lease with customer and node, or 404 for who may not see it."""
    return get_object_or_404(leases(user).select_related("customer", "node__provider"), pk=pk)


def may_see(rows: Callable[[Anyone], QuerySet[Model]], user: Anyone, key: str) -> bool:
    """Whether `rows(user)` holds the row of this key; for sockets, which bring keys as text."""
    pk = typed.number(key)
    return pk is not None and rows(user).filter(pk=pk).exists()


@dataclass(frozen=True, slots=True)
class Viewer:
    """What a socket must know of its person. People with equal `audience` see the same rows."""

    pk: int
    role: str
    drill: bool
    customers: frozenset[int]

    @property
    def audience(self) -> str:
        """`staff`, `staff-drill`, or `customers-` and the numbers of the customers."""
        if self.role == Role.CUSTOMER:
            return "customers-" + "-".join(str(pk) for pk in sorted(self.customers))
        return "staff-drill" if self.drill else "staff"


def viewer(user: User) -> Viewer:
    """Sum a person up for a socket (no query for staff)."""
    mine = (
        frozenset() if is_staff(user) else frozenset(customers(user).values_list("pk", flat=True))
    )
    return Viewer(pk=user.pk, role=user.role, drill=in_drill(user), customers=mine)


def login_required(view: View[P]) -> GuardedView[P]:
    """Send who has not signed in to the sign-in page, and back afterwards."""

    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not is_person(request.user):
            return _to_login(request)
        return view(request, *args, **kwargs)  # type: ignore[arg-type]

    return guarded


def staff_required(view: View[P]) -> GuardedView[P]:
    """Ops and managers; for a customer the page does not exist."""

    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not is_person(request.user):
            return _to_login(request)
        if not is_staff(request.user):
            raise Http404
        return view(request, *args, **kwargs)  # type: ignore[arg-type]

    return guarded


def ops_required(view: View[P]) -> GuardedView[P]:
    """As `staff_required`, and acts (POST and the like) are for ops: a manager gets 403."""

    @wraps(view)
    def acting(request: PersonRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if request.method not in SAFE_METHODS and not is_ops(request.user):
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return staff_required(acting)


def _to_login(request: HttpRequest) -> HttpResponseBase:
    """A fragment must not be replaced by the sign-in page: htmx is told to leave the page."""
    if request.headers.get("HX-Request") != "true":
        return redirect_to_login(request.get_full_path())
    htmx: HtmxDetails | None = getattr(request, "htmx", None)
    here = (htmx.current_url_abs_path if htmx else None) or "/"
    login = redirect_to_login(here)
    return HttpResponseClientRedirect(resolve_url(login.url))
