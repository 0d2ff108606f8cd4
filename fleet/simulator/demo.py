"""Makes the demo: the drill fleet, its customers and leases, and logins with random passwords."""

import json
import logging
import secrets
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import DatabaseError
from django.utils import timezone

from fleet.changes.errors import Refused, StaleState
from fleet.inventory.models import Credential
from fleet.leases.facts import PathFacts
from fleet.leases.services import upsert_lease
from fleet.people.models import Customer, Membership, Role, User
from fleet.simulator import plan, seeding, world
from fleet.simulator.sites import HERON, NODES, XINGHE
from fleet.simulator.world import World
from fleet.transport import keys

log = logging.getLogger(__name__)

USERS = ("halfhour-probe", "halfhour-act")
CREDENTIAL = "drill fleet"
CONFIRM_EVERY_S = 300.0


@dataclass(frozen=True, slots=True)
class Login:
    """A demo account. `customer` is empty for staff."""

    role: str
    email: str
    password: str
    name: str
    language: str = "en"
    zone: str = "Asia/Shanghai"
    customer: str = ""


PEOPLE = (
    Login(Role.OPS, "ops@demo.example", "", "Robin Ops"),
    Login(Role.MANAGER, "manager@demo.example", "", "Morgan Manager"),
    Login(
        Role.CUSTOMER,
        "heron@demo.example",
        "",
        "Ada Heron",
        zone="Asia/Singapore",
        customer=HERON,
    ),
    Login(Role.CUSTOMER, "xinghe@demo.example", "", "林晓", language="zh-hans", customer=XINGHE),
)


def folder() -> Path:
    """Where this installation keeps its simulator."""
    return Path(settings.DATA_DIR) / "simulator"


def logins() -> list[Login]:
    """The demo's logins; passwords are made once and kept in DATA_DIR/demo-logins.json."""
    path = Path(settings.DATA_DIR) / "demo-logins.json"
    kept: dict[str, str] = {}
    if path.exists():
        kept = {row["email"]: row["password"] for row in json.loads(path.read_text("utf-8"))}
    people = [
        replace(each, password=kept.get(each.email) or secrets.token_urlsafe(9)) for each in PEOPLE
    ]
    if any(each.email not in kept for each in people):
        rows = [asdict(each) for each in people]
        world.write_private(path, json.dumps(rows, ensure_ascii=False, indent=1))
    return people


def credential() -> Credential:
    """The key we log in to simulated hosts with."""
    found = Credential.objects.filter(name=CREDENTIAL).first()
    if found is not None:
        return found
    private, public = keys.generate("drill")
    return Credential.objects.create(
        name=CREDENTIAL, username=USERS[0], secret=keys.encrypt(private), public_key=public
    )


def make_world(key: Credential, *, nodes: int, move: bool) -> World:
    """The kept world, or a new one; `move` chooses new ports and keeps everything else."""
    try:
        known: World | None = world.load(folder())
    except FileNotFoundError:
        known = None
    if known is None or move or len(known.hosts) != nodes:
        ports = plan.free_ports()
        kept = {host.name: host for host in known.hosts} if known else {}
        hosts = tuple(
            replace(
                planned.host,
                host_key=kept.get(planned.host.name, planned.host).host_key,
                host_public=kept.get(planned.host.name, planned.host).host_public,
            )
            for planned in plan.draw(nodes)
        )
        known = World(port=next(ports), users=USERS, authorized=(), hosts=hosts)
    if known.authorized != (key.public_key,):
        known = replace(known, authorized=(key.public_key,))
        world.save(known, folder())
    return known


def seed(*, nodes: int = NODES, move: bool = False) -> list[Login]:
    """Make sure the demo exists and return its logins; a second call only fills what is missing.

    `move` gives the hosts new ports, for when another program took theirs. Raises KeyUnreadable
    without HALFHOUR_KEYS.
    """
    now = timezone.now()
    key = credential()
    known = make_world(key, nodes=nodes, move=move)
    renters = seeding.write(known, plan.places(nodes), key, now)
    confirm_leases(known)
    people = logins()
    make_users(people, renters)
    return people


def make_users(people: list[Login], renters: Mapping[str, Customer]) -> None:
    """Accounts that do not exist yet, all in drill mode. A changed password stays changed."""
    known = set(User.objects.values_list("email", flat=True))
    missing = [each for each in people if each.email not in known]
    if not missing:
        return
    # Hashing is slow on purpose, and frees the interpreter while it works.
    with ThreadPoolExecutor() as pool:
        hashes = list(pool.map(make_password, [each.password for each in missing]))
    users = User.objects.bulk_create(
        User(
            email=each.email,
            password=hashed,
            name=each.name,
            role=each.role,
            language=each.language,
            zone=each.zone,
            drill_mode=True,
        )
        for each, hashed in zip(missing, hashes, strict=True)
    )
    Membership.objects.bulk_create(
        Membership(user=user, customer=renters[each.customer])
        for each, user in zip(missing, users, strict=True)
        if each.customer
    )


def confirm_leases(known: World) -> int:
    """Speak as the order system: every lease is as it was. Returns how many were confirmed."""
    confirmed = 0
    for host in known.hosts:
        for container in host.containers:
            paths = [
                PathFacts(host.address, port.port, port.port, port.kind, port.inside)
                for port in container.ports
            ]
            try:
                upsert_lease(order_id=container.order, paths=paths)
                confirmed += 1
            except (Refused, StaleState, DatabaseError) as error:
                log.warning("order %s could not be confirmed: %s", container.order, error)
    return confirmed
