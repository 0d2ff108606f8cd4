"""Pages over sockets, with a real database and a real Valkey."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.sessions.models import Session

from fleet.people.models import Customer, Role, User

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.worker]
Make = Callable[..., Any]
REFETCH = {"refetch": "names"}
SETTLED = 2.1  # s until a page that was told to refetch is trusted to have done so


@pytest.fixture
def anna(make_customer: Make, db: None) -> Customer:
    return make_customer(name="Anna")


@pytest.fixture
def staff(make_user: Make, session_of: Make) -> str:
    return session_of(make_user(Role.OPS))


async def test_a_change_reaches_an_open_page_as_the_one_changed_row(
    anna: Customer, make_customer: Make, staff: str, open_page: Make, rename: Make
) -> None:
    await sync_to_async(make_customer)(name="Bert")
    page = await open_page("names", staff)
    assert await page.next() == REFETCH
    await page.silence(seconds=SETTLED)
    await rename(anna, "Adam")
    assert await page.next(seconds=2) == f'<tr id="c-{anna.pk}"><td>Adam</td></tr>'


async def test_a_new_row_makes_the_page_refetch(
    anna: Customer, staff: str, open_page: Make, rename: Make
) -> None:
    page = await open_page("names", staff)
    assert await page.next() == REFETCH
    await page.silence(seconds=SETTLED)
    await sync_to_async(Customer.objects.create)(name="Berta")
    await rename(anna, "Anna")
    assert await page.next(seconds=2) == REFETCH


async def test_a_page_that_says_how_new_it_is_needs_no_refetch(
    anna: Customer, staff: str, open_page: Make, rename: Make
) -> None:
    await rename(anna, "Anja")
    page = await open_page("names@1", staff)
    await page.silence(seconds=1)
    await rename(anna, "Adam")
    assert "Adam" in await page.next(seconds=2)


async def test_a_bare_bump_reaches_every_key_of_a_region(
    anna: Customer, staff: str, open_page: Make, rename: Make
) -> None:
    page = await open_page("names:page=2@0", staff)
    await page.silence(seconds=1)
    await rename(anna, "Adam")
    assert "Adam" in await page.next(seconds=2)


async def test_many_pages_share_one_rendering(
    anna: Customer, make_user: Make, session_of: Make, open_page: Make, rename: Make, rendered: Any
) -> None:
    people = [await sync_to_async(make_user)(Role.OPS) for _ in range(4)]
    chinese = await sync_to_async(make_user)(Role.OPS, language="zh-hans")
    sessions = [await sync_to_async(session_of)(user) for user in [*people, chinese]]
    pages = [await open_page("names@0", session) for session in sessions]
    await asyncio.sleep(1)
    rendered.clear()
    await rename(anna, "Adam")
    for page in pages:
        assert "Adam" in await page.next(seconds=3)
    assert sorted(language for _, _, language in rendered) == ["en", "zh-hans"]


async def test_a_storm_of_changes_is_rendered_at_most_twice_a_second(
    anna: Customer, staff: str, open_page: Make, rename: Make, rendered: Any
) -> None:
    page = await open_page("names@0", staff)
    await asyncio.sleep(1)
    rendered.clear()
    for number in range(40):
        await rename(anna, f"Anna {number}")
        await asyncio.sleep(0.04)
    last = ""
    while "Anna 39" not in last:
        last = await page.next(seconds=2)
    assert len(rendered) <= 6


async def test_a_page_hears_a_heartbeat_at_once_and_every_five_seconds(
    anna: Customer, staff: str, open_page: Make
) -> None:
    page = await open_page("names", staff)
    first = await page.beat(seconds=2)
    assert 4000 < await page.beat() - first < 6500


@pytest.mark.parametrize(
    ("regions", "code"),
    [
        ("", 4400),
        (",".join(f"mine:{n}" for n in range(13)), 4400),
        ("nonsense", 4404),
        ("mine:0", 4404),
        ("mine:abc", 4404),
    ],
)
async def test_a_socket_that_asks_wrongly_is_accepted_and_closed(
    regions: str, code: int, staff: str, open_page: Make
) -> None:
    page = await open_page(regions, staff)
    assert await page.next() == f"closed {code}"


async def test_another_address_is_closed(staff: str, open_page: Make) -> None:
    page = await open_page("names", staff, path="/ws/other")
    assert await page.next() == "closed 4404"


async def test_a_stranger_is_closed(open_page: Make, db: None) -> None:
    page = await open_page("names", "no-such-session")
    assert await page.next() == "closed 4401"


async def test_a_customer_cannot_follow_what_is_not_theirs(
    make_user: Make, make_customer: Make, session_of: Make, open_page: Make, rename: Make
) -> None:
    ours, other = [await sync_to_async(make_customer)() for _ in range(2)]
    session = await sync_to_async(_session)(make_user, session_of, customer=ours)
    for regions in (f"mine:{other.pk}", f"mine:{ours.pk},mine:{other.pk}", "names"):
        page = await open_page(regions, session)
        assert await page.next() == "closed 4404"
    page = await open_page(f"mine:{ours.pk}@0", session)
    await page.silence(seconds=1)
    await rename(other, "Somebody else", f"mine:{other.pk}")
    await page.silence(seconds=1.5)
    await rename(ours, "We", f"mine:{ours.pk}")
    assert await page.next() == '<p id="name">We</p>'


async def test_who_leaves_a_company_hears_no_more_of_it(
    make_user: Make, make_customer: Make, session_of: Make, open_page: Make, rename: Make
) -> None:
    ours = await sync_to_async(make_customer)()
    user = await sync_to_async(make_user)(customer=ours)
    page = await open_page(f"mine:{ours.pk}@0", await sync_to_async(session_of)(user))
    await page.silence(seconds=1)
    await sync_to_async(user.memberships.all().delete)()
    await rename(ours, "We", f"mine:{ours.pk}")
    assert await page.next() == "closed 4404"


@pytest.mark.parametrize("how", ["signed out", "switched off", "new password"])
async def test_a_session_that_ended_is_closed_before_anything_is_sent(
    how: str, anna: Customer, make_user: Make, session_of: Make, open_page: Make, rename: Make
) -> None:
    user = await sync_to_async(make_user)(Role.OPS)
    session = await sync_to_async(session_of)(user)
    page = await open_page("names@0", session)
    await page.silence(seconds=1)
    await sync_to_async(_end)(how, user, session)
    await rename(anna, "Adam")
    assert await page.next() == "closed 4401"


def _session(make_user: Make, session_of: Make, **fields: Any) -> str:
    return str(session_of(make_user(**fields)))


def _end(how: str, user: User, session: str) -> None:
    if how == "signed out":
        Session.objects.filter(session_key=session).delete()
        return
    if how == "switched off":
        user.is_active = False
    else:
        user.set_password("another")
    user.save()
