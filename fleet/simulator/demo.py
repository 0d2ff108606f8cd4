"""Makes the demo: the drill fleet, its customers and leases, and logins with random passwords."""

import json
import logging
import secrets
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
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
    """A demo account. `customer` is empty for staff; `renewed`: the password was made just now."""

    role: str
    email: str
    password: str
    name: str
    language: str = "en"
    zone: str = "Asia/Shanghai"
    customer: str = ""
    renewed: bool = False


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
        replace(each, password=kept[each.email])
        if each.email in kept
        else replace(each, password=secrets.token_urlsafe(9), renewed=True)
        for each in PEOPLE
    ]
    if any(each.renewed for each in people):
        kinds = ("role", "email", "password")
        rows = [{kind: str(getattr(each, kind)) for kind in kinds} for each in people]
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
    except (FileNotFoundError, world.Unreadable):
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
    """Accounts that are missing, all in drill mode; a password that was made anew is set."""
    known = {user.email: user for user in User.objects.filter(email__in=[p.email for p in people])}
    fresh = [each for each in people if each.email not in known or each.renewed]
    if not fresh:
        return
    # Hashing is slow on purpose, and frees the interpreter while it works.
    with ThreadPoolExecutor() as pool:
        hashes = list(pool.map(make_password, [each.password for each in fresh]))
    hashed = dict(zip([each.email for each in fresh], hashes, strict=True))
    for email, user in known.items():
        user.password = hashed.get(email, user.password)
    User.objects.bulk_update([u for u in known.values() if u.email in hashed], ["password"])
    missing = [each for each in fresh if each.email not in known]
    made = User.objects.bulk_create(_user(each, hashed[each.email]) for each in missing)
    Membership.objects.bulk_create(
        Membership(user=user, customer=renters[each.customer])
        for each, user in zip(missing, made, strict=True)
        if each.customer
    )


def _user(login: Login, password: str) -> User:
    return User(
        email=login.email,
        password=password,
        name=login.name,
        role=login.role,
        language=login.language,
        zone=login.zone,
        drill_mode=True,
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
