"""Signing in and out, and the passwords."""

import re

import pytest
from django.core import mail
from django.core.cache import cache
from django.test import Client

from config.assets import compile_messages
from tests import factories


@pytest.fixture
def person(db: None):
    compile_messages()
    return factories.make_user(email="chen@example.org", password="a-long-secret")


def sign_in(client: Client, password: str, **more: str):
    return client.post(
        "/accounts/login/", {"login": "chen@example.org", "password": password, **more}
    )


def test_the_right_password_leads_to_where_one_wanted(person) -> None:
    assert sign_in(Client(), "a-long-secret")["Location"] == "/"
    answer = sign_in(Client(), "a-long-secret", next="/settings/")
    assert answer["Location"] == "/settings/"
    assert sign_in(Client(), "a-long-secret", next="https://evil.example")["Location"] == "/"


def test_a_wrong_password_is_told_without_saying_whether_the_account_exists(person) -> None:
    wrong = sign_in(Client(), "wrong").content.decode()
    nobody = Client().post("/accounts/login/", {"login": "no@example.org", "password": "wrong"})
    said = re.findall(r'(?s)class="wrong".*?</p>', wrong)
    assert said
    assert said == re.findall(r'(?s)class="wrong".*?</p>', nobody.content.decode())


def test_a_wrong_password_is_told_in_chinese_too(person) -> None:
    client = Client(headers={"accept-language": "zh-hans"})
    page = sign_in(client, "wrong").content.decode()
    said = re.search(r'(?s)class="wrong".*?</svg>(.*?)</p>', page)
    assert said
    assert re.search(r"[\u4e00-\u9fff]", said[1])


def test_an_account_that_is_switched_off_does_not_get_in(person) -> None:
    person.is_active = False
    person.save()
    answer = Client().post(
        "/accounts/login/", {"login": person.email, "password": "a-long-secret"}, follow=True
    )
    assert "_auth_user_id" not in answer.client.session
    assert "Account switched off" in answer.content.decode()


def test_signing_out_takes_a_post(person) -> None:
    client = Client()
    client.force_login(person)
    assert "_auth_user_id" in client.session
    assert client.get("/accounts/logout/").status_code == 200
    assert "_auth_user_id" in client.session
    client.post("/accounts/logout/")
    assert "_auth_user_id" not in client.session


def test_nobody_can_open_an_account(db: None) -> None:
    page = Client().get("/accounts/signup/").content.decode()
    assert "No open sign-up" in page
    new = {"email": "new@example.org", "password1": "a-long-secret"}
    Client().post("/accounts/signup/", new)
    assert not factories.User.objects.filter(email="new@example.org").exists()


def test_a_forgotten_password_is_replaced_by_a_mailed_link(person) -> None:
    client = Client()
    sent = client.post("/accounts/password/reset/", {"email": person.email}, follow=True)
    assert "Look into your mailbox" in sent.content.decode()
    link = re.search(r"http://\S+(/accounts/password/reset/key/\S+)", mail.outbox[0].body)
    assert link
    form = client.get(link[1], follow=True)
    action = re.search(
        r'method="post" action="(/accounts/password/reset/key/[^"]+)"', form.content.decode()
    )
    assert action
    new = {"password1": "another-long-secret", "password2": "another-long-secret"}
    assert "Password changed" in client.post(action[1], new, follow=True).content.decode()
    assert sign_in(Client(), "another-long-secret").status_code == 302
    old = Client().get(link[1], follow=True).content.decode()
    assert "This link has been used already" in old


def test_a_new_password_needs_the_old_one_and_must_be_strong(person) -> None:
    client = Client()
    client.force_login(person)
    sent = {"oldpassword": "wrong", "password1": "12345", "password2": "12345"}
    page = client.post("/accounts/password/change/", sent).content.decode()
    assert page.count('class="wrong"') >= 2
    strong = {
        "oldpassword": "a-long-secret",
        "password1": "kite-77-river",
        "password2": "kite-77-river",
    }
    assert client.post("/accounts/password/change/", strong).status_code == 302
    assert sign_in(Client(), "kite-77-river").status_code == 302


def test_wrong_guesses_from_elsewhere_do_not_lock_the_owner_out(person) -> None:
    cache.clear()
    for number in range(12):
        sign_in(Client(REMOTE_ADDR=f"203.0.113.{number // 6 + 1}"), "wrong")
    assert sign_in(Client(REMOTE_ADDR="198.51.100.7"), "a-long-secret")["Location"] == "/"


def test_one_address_does_not_guess_for_long(person) -> None:
    cache.clear()
    for _ in range(11):
        answer = sign_in(Client(REMOTE_ADDR="203.0.113.9"), "wrong")
    assert "Too many" in answer.content.decode()
    cache.clear()
