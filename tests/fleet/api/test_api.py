"""The API: tokens with scopes, object-level access, an answer programs can read to every error."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from fleet.changes.errors import Refused
from fleet.changes.models import Event
from fleet.leases.models import Lease
from fleet.people import bearer
from fleet.people.models import ApiToken
from fleet.people.tokens import SCOPES, create_token, revoke_token

START = "2026-11-01T00:00:00+08:00"


@pytest.fixture
def caller(client, make_user):
    """Calls the API with a token of `user` (ops if not said)."""

    def make(user=None, scopes=SCOPES):
        user = user or make_user("ops")
        _token, secret = create_token(user=user, name="robot", scopes=scopes)

        def call(method, path, body=None, **headers):
            sent = {"content_type": "application/json"} if body is not None else {}
            data = body if isinstance(body, str) else json.dumps(body)
            return client.generic(
                method,
                "/api/v1" + path,
                data if body is not None else "",
                HTTP_AUTHORIZATION=f"Bearer {secret}",
                **sent,
                **headers,
            )

        return call

    return make


def problem_of(answer, status):
    assert answer.status_code == status
    assert answer["Content-Type"] == "application/problem+json"
    body = answer.json()
    assert set(body) == {"type", "title", "status", "detail", "errors"}
    assert body["status"] == status
    return body


def test_a_secret_is_shown_once_and_only_its_digest_is_kept(make_user):
    token, secret = create_token(user=make_user("ops"), name="robot", scopes=["nodes:read"])
    assert secret.startswith("hh_")
    assert secret not in str(ApiToken.objects.values().get())
    assert secret not in str(list(Event.objects.values()))
    assert token.digest != secret


@pytest.mark.parametrize("scopes", [[], ["everything"]])
def test_a_token_needs_scopes_that_exist(make_user, scopes):
    with pytest.raises(Refused, match="nodes:read"):
        create_token(user=make_user("ops"), name="robot", scopes=scopes)


@pytest.mark.parametrize(
    "sent", [{}, {"HTTP_AUTHORIZATION": "Basic eDp5"}, {"HTTP_AUTHORIZATION": "Bearer no"}]
)
def test_without_a_token_in_force_the_answer_is_401(client, db, sent):
    answer = client.get("/api/v1/nodes", **sent)
    problem_of(answer, 401)
    assert answer["WWW-Authenticate"].startswith("Bearer")


def test_a_signed_in_browser_is_no_token(client, make_user):
    client.force_login(make_user("ops"))
    problem_of(client.get("/api/v1/nodes"), 401)


def test_a_revoked_token_and_one_of_a_person_switched_off_are_refused(client, make_user):
    ops = make_user("ops")
    token, secret = create_token(user=ops, name="robot", scopes=SCOPES)
    sent = {"HTTP_AUTHORIZATION": f"Bearer {secret}"}
    assert client.get("/api/v1/nodes", **sent).status_code == 200
    assert ApiToken.objects.get().last_used_at is not None
    ops.is_active = False
    ops.save()
    problem_of(client.get("/api/v1/nodes", **sent), 401)
    ops.is_active = True
    ops.save()
    revoke_token(token=token)
    problem_of(client.get("/api/v1/nodes", **sent), 401)


@pytest.mark.parametrize(
    ("method", "path", "scope"),
    [
        ("GET", "/nodes", "nodes:read"),
        ("GET", "/nodes/1", "nodes:read"),
        ("GET", "/leases", "leases:read"),
        ("GET", "/leases/A", "leases:read"),
        ("PUT", "/leases/A", "leases:write"),
        ("GET", "/findings", "findings:read"),
        ("GET", "/events", "events:read"),
    ],
)
def test_every_call_needs_its_scope(caller, method, path, scope):
    others = [word for word in SCOPES if word != scope]
    body = problem_of(caller(scopes=others)(method, path, {} if method == "PUT" else None), 403)
    assert scope in body["detail"]


def test_too_many_calls_in_a_minute_are_told_when_to_come_back(caller, monkeypatch):
    monkeypatch.setattr(bearer, "CALLS_A_MINUTE", 3)
    call = caller()
    answers = [call("GET", "/nodes") for _ in range(8)]  # a minute may end among them
    late = next(answer for answer in answers if answer.status_code == 429)
    problem_of(late, 429)
    assert 1 <= int(late["Retry-After"]) <= 60


def test_nodes_come_with_place_and_cards_in_pages(caller, make_node):
    for name in ("c", "a", "b"):
        make_node(name=name, gpus=2, rack="R1")
    body = caller()("GET", "/nodes?limit=2&offset=1").json()
    assert body["count"] == 3
    assert [node["name"] for node in body["items"]] == ["b", "c"]
    assert len(body["items"][0]["gpus"]) == 2
    assert caller()("GET", "/nodes?name=a").json()["count"] == 1
    problem_of(caller()("GET", "/nodes?limit=9999"), 422)
    problem_of(caller()("GET", "/nodes?state=odd"), 422)


def test_what_is_not_theirs_does_not_exist(caller, make_node, make_lease, make_customer, make_user):
    mine, other = make_customer(), make_customer()
    own, foreign = make_lease(customer=mine), make_lease(customer=other)
    call = caller(make_user(customer=mine))
    assert [item["order_id"] for item in call("GET", "/leases").json()["items"]] == [own.order_id]
    assert call("GET", f"/leases/{own.order_id}").status_code == 200
    problem_of(call("GET", f"/leases/{foreign.order_id}"), 404)
    problem_of(call("GET", f"/nodes/{own.node_id}"), 404)
    assert call("GET", "/nodes").json() == {"items": [], "count": 0}
    assert call("GET", "/events").json() == {"items": [], "count": 0}


def test_drill_rows_are_not_in_a_real_answer(caller, make_node, make_user):
    simulated, real = make_node(simulated=True), make_node()
    assert problem_of(caller()("GET", f"/nodes/{simulated.pk}"), 404)
    drilling = caller(make_user("ops", drill_mode=True))
    assert drilling("GET", f"/nodes/{simulated.pk}").status_code == 200
    problem_of(drilling("GET", f"/nodes/{real.pk}"), 404)


def said(to_node, customer, **more):
    return {
        "customer": customer.name,
        "node": to_node.name,
        "starts_at": START,
        "gpus": [gpu.uuid for gpu in to_node.gpus.all()],
        "price": "3.50",
        "paths": [{"public_host": "gw.example", "public_port": 2201, "node_port": 2201}],
        **more,
    }


def test_the_order_system_says_a_lease_and_says_it_again(caller, make_node, make_customer):
    node, customer = make_node(gpus=2), make_customer()
    call = caller()
    first = call("PUT", "/leases/A-1", said(node, customer)).json()
    assert first["outcome"] == "created"
    assert first["lease"]["confirmation"] == "confirmed"
    assert first["lease"]["price"] == "3.50"
    assert first["lease"]["paths"][0]["public_port"] == 2201
    assert call("PUT", "/leases/A-1", said(node, customer)).json()["outcome"] == "unchanged"
    changed = call("PUT", "/leases/A-1", {"image": "new", "price": None}).json()
    assert (changed["outcome"], changed["changed"]) == ("updated", ["image", "price"])
    old = (timezone.now() - timedelta(hours=1)).isoformat()
    stale = call("PUT", "/leases/A-1", {"image": "old", "confirmed_at": old}).json()
    assert (stale["outcome"], stale["lease"]["image"]) == ("stale", "new")
    assert Event.objects.get(kind="lease_created").actor_id is not None


def test_bad_word_is_refused_field_by_field(caller, make_node, make_customer):
    node, customer = make_node(gpus=1), make_customer()
    call = caller()
    unknown = problem_of(call("PUT", "/leases/A", said(node, customer, node="nowhere")), 422)
    assert unknown["errors"] == [{"field": "node", "message": "No node is called “nowhere”."}]
    wrong = said(node, customer, starts_at="yesterday", colour="red")
    fields = {
        error["field"] for error in problem_of(call("PUT", "/leases/A", wrong), 422)["errors"]
    }
    assert fields == {"starts_at", "colour"}
    naive = said(node, customer, starts_at="2026-11-01T00:00:00")
    problem_of(call("PUT", "/leases/A", naive), 422)
    problem_of(call("PUT", "/leases/A", "{no json"), 400)
    assert not Lease.objects.exists()


@pytest.mark.parametrize(
    "body",
    [
        '{"image": "a\\u0000b"}',
        '{"limits": {"cpu": NaN}}',
        '{"limits": {"a\\u0000": 1}}',
        "[]",
        "7",
    ],
)
def test_values_no_database_holds_are_refused_not_broken(caller, make_lease, body):
    lease = make_lease()
    answer = caller()("PUT", f"/leases/{lease.order_id}", body)
    assert answer.status_code in {400, 422}, answer.content
    problem_of(answer, answer.status_code)


def test_a_filter_with_a_nul_finds_nothing_or_is_refused(caller):
    assert caller()("GET", "/nodes?name=a%00b").status_code in {200, 422}


def test_a_move_that_is_not_allowed_is_409(caller, make_lease):
    lease = make_lease()
    problem_of(caller()("PUT", f"/leases/{lease.order_id}", {"state": "planned"}), 409)


def test_only_ops_say_leases(caller, make_user, make_lease):
    lease = make_lease()
    for user in (make_user("manager"), make_user(customer=lease.customer)):
        problem_of(caller(user)("PUT", f"/leases/{lease.order_id}", {"image": "x"}), 403)


def test_a_real_order_cannot_touch_the_drill(caller, make_lease, make_node, make_customer):
    drill = make_lease(node=make_node(simulated=True), customer=make_customer(simulated=True))
    taken = problem_of(caller()("PUT", f"/leases/{drill.order_id}", {"image": "x"}), 422)
    assert taken["errors"][0]["field"] == "order_id"
    named = problem_of(caller()("PUT", "/leases/A", said(drill.node, drill.customer)), 422)
    assert {error["field"] for error in named["errors"]} == {"customer", "node"}


def test_findings_are_told_in_the_callers_language_and_only_to_whom_they_hurt(
    caller, make_finding, make_lease, make_user
):
    lease = make_lease()
    make_finding(node=lease.node, lease=lease)
    make_finding()
    every = caller()("GET", "/findings").json()
    assert every["count"] == 2
    mine = caller(make_user(customer=lease.customer))("GET", "/findings").json()
    assert [(item["lease"], item["node"]) for item in mine["items"]] == [(lease.order_id, None)]
    assert mine["items"][0]["sentence"]


def test_facts_are_listed_newest_first(caller, make_node):
    from fleet.inventory.services import move_node

    node = make_node()
    move_node(node=node, to="quarantined")
    move_node(node=node, to="active")
    items = caller()("GET", f"/events?node_id={node.pk}").json()["items"]
    assert [item["data"]["to"] for item in items] == ["active", "quarantined"]


@pytest.mark.parametrize("path", ["/nowhere", "/nodes/1/x", "/nodes/999999999999"])
def test_addresses_that_do_not_exist_answer_404(caller, path):
    problem_of(caller()("GET", path), 404)


def test_a_fault_of_ours_is_500_without_details(caller, monkeypatch, make_node):
    make_node()

    def broken(user):
        raise RuntimeError("secret detail")

    monkeypatch.setattr("fleet.inventory.api.nodes_seen", broken)
    body = problem_of(caller()("GET", "/nodes"), 500)
    assert "secret" not in str(body)


def test_the_description_is_public_and_names_every_scope(client, db):
    described = client.get("/api/v1/openapi.json").json()
    assert {"/api/v1/nodes", "/api/v1/leases/{order_id}", "/api/v1/findings"} <= set(
        described["paths"]
    )
    assert all(scope in json.dumps(described) for scope in SCOPES)
    assert described["components"]["securitySchemes"]["Bearer"]["scheme"] == "bearer"


@pytest.mark.parametrize("path", ["/nodes", "/leases", "/findings", "/events"])
def test_ten_more_rows_need_the_same_queries(
    caller, path, make_lease, make_node, make_path, make_finding
):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from fleet.changes.services import record

    def grow(count):
        for _ in range(count):
            lease = make_lease(node=make_node(gpus=2))
            lease.gpus.set(lease.node.gpus.all())
            make_path(lease=lease)
            make_finding(node=lease.node, lease=lease)
            record(kind="lease_changed", lease=lease)

    call = caller()
    call("GET", path)
    counts = []
    for _ in range(2):
        grow(10)
        with CaptureQueriesContext(connection) as queries:
            assert call("GET", path).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_a_time_beyond_what_clocks_hold_is_told_not_broken(caller):
    call = caller()
    for path in ("/events?since=0001-01-01T00:00:00%2B14:00",):
        problem_of(call("GET", path), 422)
    for field, when in (
        ("starts_at", "0001-01-01T00:00:00+14:00"),
        ("ends_at", "9999-12-31T23:59:59-14:00"),
    ):
        problem_of(call("PUT", "/leases/HH-1", {field: when}), 422)


def test_a_call_that_is_too_large_says_how_much_fits(caller):
    body = problem_of(caller()("PUT", "/leases/HH-1", {"image": "x" * 5_000_000}), 413)
    assert "kB" in body["detail"]


@pytest.mark.parametrize("path", ["/nodes", "/leases", "/findings", "/events"])
def test_a_misspelt_parameter_is_named_instead_of_answered_with_everything(caller, path):
    body = problem_of(caller()("GET", f"{path}?stat=open&limit=5"), 422)
    assert [error["field"] for error in body["errors"]] == ["stat"]
    assert "limit" in body["errors"][0]["message"]
    assert "changed" not in body["detail"]


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/findings?severity=x", "severity"),
        ("/findings?code=x", "code"),
        ("/findings?limit=0", "limit"),
        ("/leases?state=x", "state"),
        ("/events?since=yesterday", "since"),
    ],
)
def test_a_refused_parameter_is_called_as_the_caller_wrote_it(caller, path, field):
    body = problem_of(caller()("GET", path), 422)
    assert [error["field"] for error in body["errors"]] == [field]


def test_a_refused_field_of_a_body_is_called_as_the_caller_wrote_it(caller):
    path = {"public_host": "h", "public_port": 0, "node_port": 22}
    body = problem_of(caller()("PUT", "/leases/HH-1", {"price": "x", "paths": [path]}), 422)
    fields = {error["field"] for error in body["errors"]}
    assert fields == {"price", "paths.0.public_port"}


@pytest.mark.parametrize("path", ["/nodes", "/leases/HH-1", "/"])
def test_a_wrong_method_is_told_which_there_are(caller, path):
    answer = caller()("DELETE", path)
    body = problem_of(answer, 405)
    assert answer["Allow"]
    assert answer["Allow"] in body["detail"]


def test_the_entrance_says_where_the_description_is(client, db):
    assert client.get("/api/v1/").json()["openapi"] == "/api/v1/openapi.json"
