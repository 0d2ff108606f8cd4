"""Every address × every role × own and others' rows. An address that nobody classified fails."""

import re
from dataclasses import dataclass

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from fleet.inventory.models import HostKey, ImportDraft
from fleet.people.models import Membership
from tests import factories

LOGIN = "/accounts/login/"


@dataclass(frozen=True)
class Door:
    """Who may pass: `open`, `person`, `customer`, `staff`, `act` (ops), `token`, `nothing`.

    `row` is whose number stands in the address.
    """

    who: str
    method: str = "GET"
    row: str = ""


DOORS = {
    "home": Door("person"),
    "board": Door("staff"),
    "board_rows": Door("staff"),
    "fleet": Door("staff"),
    "fleet_rows": Door("staff"),
    "strip_rows": Door("staff"),
    "node": Door("staff", row="node"),
    "node_rows": Door("staff", row="node"),
    "examine_node": Door("act", "POST", row="node"),
    "lease": Door("person", row="lease"),
    "lease_rows": Door("person", row="lease"),
    "tickets": Door("staff"),
    "tickets_rows": Door("staff"),
    "new_ticket": Door("act", "POST"),
    "ticket": Door("staff", row="ticket"),
    "ticket_parts": Door("staff", row="ticket"),
    "write_ticket": Door("act", "POST", row="ticket"),
    "assign_ticket": Door("act", "POST", row="ticket"),
    "class_ticket": Door("staff", "POST", row="ticket"),
    "merge_ticket": Door("act", "POST", row="ticket"),
    "act_ticket": Door("act", "POST", row="ticket"),
    "incident": Door("staff", row="incident"),
    "incident_parts": Door("staff", row="incident"),
    "take_incident": Door("act", "POST", row="incident"),
    "snooze_incident": Door("act", "POST", row="incident"),
    "wake_incident": Door("act", "POST", row="incident"),
    "tell_incident": Door("act", "POST", row="incident"),
    "merge_incident": Door("act", "POST", row="incident"),
    "split_incident": Door("act", "POST", row="incident"),
    "close_incident": Door("act", "POST", row="incident"),
    "reopen_incident": Door("act", "POST", row="incident"),
    "mark_triage": Door("act", "POST", row="incident"),
    "examine_incident": Door("act", "POST", row="incident"),
    "report_month": Door("staff"),
    "report_file": Door("staff"),
    "statement": Door("customer", row="customer"),
    "statement_file": Door("customer", row="customer"),
    "my_tickets": Door("person"),
    "report": Door("person"),
    "my_tickets_rows": Door("customer", row="customer"),
    "my_ticket": Door("customer", row="ticket"),
    "my_ticket_parts": Door("customer", row="ticket"),
    "say_ticket": Door("customer", "POST", row="ticket"),
    "works_ticket": Door("customer", "POST", row="ticket"),
    "fails_ticket": Door("customer", "POST", row="ticket"),
    "withdraw_ticket": Door("customer", "POST", row="ticket"),
    "mine": Door("person"),
    "mine_rows": Door("customer", row="customer"),
    "drill": Door("staff"),
    "drill_inject": Door("act", "POST"),
    "drill_clear": Door("act", "POST"),
    "import_nodes": Door("act", "POST"),
    "import_draft": Door("act", "POST", row="draft"),
    "enrol_node": Door("staff", row="node"),
    "scan_node": Door("act", "POST", row="node"),
    "pin_key": Door("act", "POST", row="key"),
    "refuse_key": Door("act", "POST", row="key"),
    "settings": Door("person"),
    "choose_language": Door("open", "POST"),
    "choose_theme": Door("person", "POST"),
    "choose_drill": Door("staff", "POST"),
    "account_login": Door("open"),
    "account_logout": Door("open"),
    "account_inactive": Door("open"),
    "account_signup": Door("open"),
    "account_change_password": Door("person"),
    "account_set_password": Door("person"),
    "account_reset_password": Door("open"),
    "account_reset_password_done": Door("open"),
    "account_reset_password_from_key": Door("open"),
    "account_reset_password_from_key_done": Door("open"),
    "api:openapi-json": Door("open"),
    "api": Door("open"),
    "api:api-root": Door("open"),
    "api:nowhere": Door("nothing"),
    "api:list_nodes": Door("token"),
    "api:get_node": Door("token", row="node"),
    "api:list_leases": Door("token"),
    "api:get_lease": Door("token", row="lease"),
    "api:put_lease": Door("token", "PUT", row="lease"),
    "api:list_findings": Door("token"),
    "api:list_events": Door("token"),
    "healthz": Door("open"),
    "livez": Door("open"),
    "metrics": Door("open"),
}
ROLES = ("ops", "manager", "customer", "stranger", "drill_ops", "drill_customer")


def addresses(patterns=None, prefix="", space=""):
    """(name, route) of every address; one without a name goes by its route."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            inner = f"{space}{pattern.namespace}:" if pattern.namespace else space
            yield from addresses(pattern.url_patterns, route, inner)
        elif isinstance(pattern, URLPattern):
            yield f"{space}{pattern.name or route}", route


class World:
    """A node with a lease of a customer, real or simulated, and what hangs on them."""

    def __init__(self, *, simulated):
        self.node = factories.make_node(simulated=simulated, gpus=1)
        self.customer = factories.make_customer(simulated=simulated)
        self.lease = factories.make_lease(node=self.node, customer=self.customer)
        self.incident = factories.make_incident(node=self.node)
        self.ticket = factories.make_ticket(lease=self.lease)
        self.key = factories.make_host_key(node=self.node, state="offered", pinned_at=None)

    def ids(self, draft):
        """Values for every kind of place in a route."""
        return {
            "pk": {
                "node": self.node.pk,
                "lease": self.lease.pk,
                "ticket": self.ticket.pk,
                "incident": self.incident.pk,
                "key": self.node.pk,
                "draft": draft,
            },
            "key_pk": self.key.pk,
            "customer": self.customer.pk,
            "order_id": self.lease.order_id,
        }


@pytest.fixture
def worlds(db):
    return {"real": World(simulated=False), "drill": World(simulated=True)}


@pytest.fixture
def people(worlds):
    people = {
        "ops": factories.make_user("ops"),
        "manager": factories.make_user("manager"),
        "customer": factories.make_user(customer=worlds["real"].customer),
        "stranger": factories.make_user(customer=factories.make_customer()),
        "drill_ops": factories.make_user("ops", drill_mode=True),
        "drill_customer": factories.make_user(customer=worlds["drill"].customer),
    }
    assert set(people) == set(ROLES)
    return people


@pytest.fixture
def draft(people):
    return ImportDraft.objects.create(user=people["ops"], kind="csv", text="name,address\n").pk


def address_of(route, row, ids):
    """The route with its places filled in."""
    if route.startswith("accounts/password/reset/key/^") or "(?P<" in route:
        return "/accounts/password/reset/key/1-abc/"
    for place, value in (
        ("<int:pk>", ids["pk"].get(row, 1)),
        ("<int:key_pk>", ids["key_pk"]),
        ("<int:customer>", ids["customer"]),
        ("<order_id>", ids["order_id"]),
        ("<slug:act>", "acknowledge"),
        ("<slug:kind>", "csv"),
        ("<path:rest>", "nowhere"),
    ):
        route = route.replace(place, str(value))
    assert "<" not in route, f"no value is known for a place in {route}"
    return "/" + route


def knock(client, door, url):
    """`login`, `missing`, `forbidden`, `no token` or `in`."""
    answer = client.generic(door.method, url, "{}", content_type="application/json")
    if answer.status_code == 302 and answer["Location"].startswith(LOGIN):
        return "login"
    known = {401: "no token", 403: "forbidden", 404: "missing"}
    assert answer.status_code != 500, f"{url} broke"
    return known.get(answer.status_code, "in")


def expected(door, role, world):
    """What a role meets at a door, for a row of `world`."""
    drill = role.startswith("drill")
    staff = role in {"ops", "manager", "drill_ops"}
    own_world = not door.row or (world == "drill") == drill
    if door.who == "token":
        return "no token"
    if door.who == "nothing":
        return "missing"
    if door.who in {"staff", "act"} and not staff:
        return "missing"
    if door.who == "customer" and staff:
        return "missing"
    if door.who == "act" and role == "manager":
        return "forbidden"
    if door.row == "draft":  # only its owner's, who is `ops`
        return "in" if role in {"ops", "drill_ops"} else "missing"
    if not own_world or (door.row and role == "stranger"):
        return "missing"
    return "in"


def test_every_address_is_classified():
    known = {name for name, _route in addresses()}
    assert known - set(DOORS) == set(), "say in DOORS who may pass"
    assert set(DOORS) - known == set(), "these addresses are gone"


def test_who_has_not_signed_in_meets_the_sign_in_page(client, worlds, draft):
    ids = worlds["real"].ids(draft)
    met = {}
    for name, route in addresses():
        door = DOORS[name]
        wanted = {"open": "in", "token": "no token", "nothing": "missing"}.get(door.who, "login")
        if knock(client, door, address_of(route, door.row, ids)) != wanted:
            met[name] = wanted
    assert met == {}


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("world", ["real", "drill"])
def test_every_role_meets_what_is_theirs_and_nothing_else(
    client, worlds, people, draft, role, world
):
    wrong = {}
    for name, route in addresses():
        door = DOORS[name]
        client.force_login(people[role])
        url = address_of(route, door.row, worlds[world].ids(draft))
        wanted, met = expected(door, role, world), knock(client, door, url)
        if met != wanted and not (door.who == "open" and met == "in"):
            wrong[name] = f"wanted {wanted}, met {met}"
    assert wrong == {}


def without_own_marks(answer):
    """The page without its time, its form secret and the address it was asked at."""
    changing = rb'data-now="\d+"|name="csrfmiddlewaretoken" value="\w+"|/leases/\d+/'
    return re.sub(changing, b"", answer.content)


def test_rows_that_do_not_exist_answer_like_rows_of_others(client, worlds, people):
    client.force_login(people["stranger"])
    others = client.get(f"/leases/{worlds['real'].lease.pk}/")
    nobody = client.get("/leases/999999/")
    assert others.status_code == nobody.status_code == 404
    assert without_own_marks(others) == without_own_marks(nobody)


def test_nothing_a_stranger_or_a_manager_sent_was_done(client, worlds, people):
    world = worlds["real"]
    for role in ("stranger", "manager", "drill_ops"):
        client.force_login(people[role])
        url = f"/nodes/{world.node.pk}/enrol/{world.key.pk}/pin"
        client.post(url, {"fingerprint": world.key.fingerprint})
    assert HostKey.objects.get(pk=world.key.pk).state == "offered"


def test_a_fragment_asked_for_without_signing_in_leaves_the_page(client, db):
    answer = client.get(
        "/board/rows", headers={"HX-Request": "true", "HX-Current-URL": "http://testserver/board/"}
    )
    assert answer.status_code == 200
    assert answer["HX-Redirect"] == f"{LOGIN}?next=/board/"


def test_a_person_switched_off_is_signed_out(client, worlds, people):
    client.force_login(people["customer"])
    people["customer"].is_active = False
    people["customer"].save()
    assert client.get("/my/")["Location"].startswith(LOGIN)


def test_who_leaves_a_customer_loses_sight_of_its_leases(client, worlds, people):
    client.force_login(people["customer"])
    url = f"/leases/{worlds['real'].lease.pk}/"
    assert client.get(url).status_code == 200
    Membership.objects.filter(user=people["customer"]).delete()
    assert client.get(url).status_code == 404
