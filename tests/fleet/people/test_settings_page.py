"""What people may change about their own screens."""

import pytest
from django.test import Client

from config.assets import compile_messages
from fleet.people.models import Role, User
from tests import factories

GIVEN = {"name": "Lin", "language": "zh-hans", "zone": "UTC", "theme": "dark", "density": "roomy"}


@pytest.fixture
def person(db: None) -> User:
    compile_messages()
    return factories.make_user(Role.OPS, drill_mode=True)


@pytest.fixture
def client(person: User) -> Client:
    made = Client()
    made.force_login(person)
    return made


def test_settings_are_kept_and_change_the_next_page(client: Client, person: User) -> None:
    page = client.post("/settings/", GIVEN, follow=True).content.decode()
    assert 'lang="zh-hans" data-theme="dark" data-density="roomy"' in page
    assert "设置已保存。" in page
    assert "时区：UTC（UTC+0）" in page
    person.refresh_from_db()
    assert (person.name, person.drill_mode) == ("Lin", False)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("language", "fr"),
        ("zone", "Mars/Base"),
        ("zone", "../etc"),
        ("theme", "pink"),
        ("density", ""),
    ],
)
def test_a_value_that_does_not_exist_is_told_at_its_field(
    client: Client, person: User, field: str, value: str
) -> None:
    page = client.post("/settings/", {**GIVEN, field: value}).content.decode()
    assert f'id="id_{field}_error"' in page
    assert 'lang="en"' in page
    person.refresh_from_db()
    assert person.language == "en"


def test_a_customer_is_not_offered_drill_mode_and_cannot_take_it(db: None, client: Client) -> None:
    customer = factories.make_user()
    client.force_login(customer)
    assert "drill_mode" not in client.get("/settings/").content.decode()
    client.post("/settings/", {**GIVEN, "drill_mode": "on"})
    customer.refresh_from_db()
    assert customer.drill_mode is False
    assert client.post("/settings/drill", {"drill_mode": "on"}).status_code == 404


def test_nobody_can_raise_their_role_through_the_form(client: Client, person: User) -> None:
    User.objects.filter(pk=person.pk).update(role=Role.MANAGER)
    client.post("/settings/", {**GIVEN, "role": "ops", "is_staff": "on", "email": "x@example.org"})
    person.refresh_from_db()
    assert person.role == Role.MANAGER
    assert person.is_staff is False
    assert person.email != "x@example.org"


def test_the_language_switch_holds_for_a_person_and_for_a_browser(
    client: Client, person: User
) -> None:
    answer = client.post("/settings/language", {"language": "zh-hans", "next": "/settings/"})
    assert answer["Location"] == "/settings/"
    person.refresh_from_db()
    assert person.language == "zh-hans"
    assert "设置" in client.get("/settings/").content.decode()
    stranger = Client()
    stranger.post("/settings/language", {"language": "zh-hans"})
    assert "登录" in stranger.get("/accounts/login/").content.decode()
    stranger.post("/settings/language", {"language": "xx"})
    assert "登录" in stranger.get("/accounts/login/").content.decode()


def test_the_theme_switch(client: Client, person: User) -> None:
    client.post("/settings/theme", {"theme": "dark"})
    client.post("/settings/theme", {"theme": "pink"})
    person.refresh_from_db()
    assert person.theme == "dark"
    assert 'data-theme="dark"' in client.get("/settings/").content.decode()


@pytest.mark.parametrize(
    "next_", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", ""]
)
def test_a_switch_never_leads_to_another_site(client: Client, next_: str) -> None:
    answer = client.post("/settings/theme", {"theme": "dark", "next": next_})
    assert answer["Location"] == "/"


def test_a_zone_that_is_gone_from_the_database_falls_back_to_utc(
    client: Client, person: User
) -> None:
    User.objects.filter(pk=person.pk).update(zone="Gone/Zone")
    assert "UTC (UTC+0)" in client.get("/settings/").content.decode()
