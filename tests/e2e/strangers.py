"""What a customer can reach that is not theirs: nothing, by any address and on any socket."""

from playwright.sync_api import Browser

from tests.e2e import pixels
from tests.parts.stack import Stack
from tests.parts.visitor import Visitor

MINE = (
    "select distinct l.id, c.id from fleet_lease l join fleet_customer c on c.id = l.customer_id"
    " join fleet_membership m on m.customer_id = c.id join fleet_user u on u.id = m.user_id"
    " where u.email = ?"
)


def _others(stack: Stack, email: str) -> tuple[list[int], list[int], list[int]]:
    """(their own leases, everybody else's leases, all nodes)."""
    own = [lease for lease, _ in stack.query(MINE, email)]
    every = [pk for (pk,) in stack.query("select id from fleet_lease")]
    nodes = [pk for (pk,) in stack.query("select id from fleet_node")]
    return own, [pk for pk in every if pk not in own], nodes


def _others_tickets(stack: Stack, email: str) -> list[int]:
    """Tickets of customers that this person does not act for."""
    rows = stack.query(
        "select t.id from tickets_ticket t where t.customer_id not in (select m.customer_id"
        " from fleet_membership m join fleet_user u on u.id = m.user_id where u.email = ?)",
        email,
    )
    return [pk for (pk,) in rows]


def walls(stack: Stack) -> list[str]:
    """Every address that answers a customer with anything but 404 although it is not theirs."""
    holes = []
    for number in (0, 1):
        email, password = stack.login("customer", number)
        visitor = Visitor(stack.url).sign_in(email, password)
        own, foreign, nodes = _others(stack, email)
        assert own, f"{email} has no lease"
        assert foreign, "there is no other customer"
        assert visitor.get(f"/leases/{own[0]}/").status == 200
        paths = [f"/leases/{pk}/{tail}" for pk in foreign for tail in ("", "rows")]
        paths += [f"/nodes/{pk}/{tail}" for pk in nodes for tail in ("", "rows")]
        paths += ["/board/", "/board/rows", "/fleet/", "/fleet/rows", "/drill/"]
        paths += ["/tickets/", "/tickets/rows", "/reports/", "/reports/file.csv"]
        paths += [
            f"/{mine}tickets/{pk}/{tail}"
            for pk in _others_tickets(stack, email)
            for mine in ("", "my/")
            for tail in ("", "rows")
        ]
        holes += [f"{email}: {path}" for path in paths if visitor.get(path).status != 404]
        posts = [f"/nodes/{pk}/examine" for pk in nodes]
        posts += ["/drill/inject", "/drill/clear"]
        holes += [f"{email}: POST {path}" for path in posts if visitor.post(path).status != 404]
    return holes


# Opens one socket for each region and collects what it says within a while: frames and close codes.
LISTEN = """async ([regions, seconds]) => {
  const heard = regions.map((region) => new Promise((done) => {
    const socket = new WebSocket(`ws://${location.host}/ws/live?regions=${region}`);
    const frames = [];
    let code = 0;
    socket.onmessage = (event) => frames.push(String(event.data));
    socket.onclose = (event) => { code = event.code; };
    setTimeout(() => { socket.close(); done({region, frames, code}); }, seconds * 1000);
  }));
  return Promise.all(heard);
}"""


def socket_hears(stack: Stack, browser: Browser, *, seconds: float = 12) -> list[str]:
    """What the second customer's sockets say of regions that are not theirs, beside a refusal."""
    email, _ = stack.login("customer", 1)
    _, foreign, nodes = _others(stack, email)
    other = [pk for lease in foreign for (pk,) in stack.query(
        "select customer_id from fleet_lease where id = ?", lease)]  # fmt: skip
    regions = ["board", "fleet", *(f"node:{pk}" for pk in nodes[:6])]
    regions += [f"lease:{pk}" for pk in foreign[:6]] + [f"mine:{pk}" for pk in sorted(set(other))]
    with pixels.signed_in(browser, stack, "customer", 1) as page:
        page.goto(f"{stack.url}/my/")
        heard = page.evaluate(LISTEN, [regions, seconds])
    return [
        f"{one['region']}: {one['code']} {one['frames'][:1]}"
        for one in heard
        if one["frames"] or not 4400 <= one["code"] < 4500
    ]
