"""Every page for every role: who sees it, who is sent to sign in, who gets 404."""

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

STAFF = ["ops", "manager"]
CUSTOMERS = ["customer", "stranger"]
PAGES = {
    "/board/": STAFF,
    "/board/rows": STAFF,
    "/fleet/": STAFF,
    "/fleet/rows": STAFF,
    "/fleet/strip": STAFF,
    "/nodes/{node}/": STAFF,
    "/nodes/{node}/rows": STAFF,
    "/leases/{lease}/": [*STAFF, "customer"],
    "/leases/{lease}/rows": [*STAFF, "customer"],
    "/my/{customer}/rows": ["customer"],
    "/tickets/": STAFF,
    "/tickets/rows": STAFF,
    "/tickets/new": STAFF,
    "/tickets/{ticket}/": STAFF,
    "/tickets/{ticket}/rows": STAFF,
    "/incidents/{incident}/": STAFF,
    "/incidents/{incident}/rows": STAFF,
    "/reports/": STAFF,
    "/my/statement/{customer}/": ["customer"],
    "/my/tickets/of/{customer}/rows": ["customer"],
    "/my/tickets/{ticket}/": ["customer"],
    "/my/tickets/{ticket}/rows": ["customer"],
    "/drill/": STAFF,
    "/settings/": [*STAFF, *CUSTOMERS],
    "/accounts/password/change/": [*STAFF, *CUSTOMERS],
}
ACTS = {
    "/nodes/{node}/examine": {"ops": 302, "manager": 403, "customer": 404},
    "/tickets/{ticket}/write": {"ops": 422, "manager": 403, "customer": 404},
    "/tickets/{ticket}/assign": {"ops": 302, "manager": 403, "customer": 404},
    "/tickets/{ticket}/class": {"ops": 302, "manager": 302, "customer": 404},
    "/tickets/{ticket}/merge": {"ops": 302, "manager": 403, "customer": 404},
    "/tickets/{ticket}/act/acknowledge": {"ops": 302, "manager": 403, "customer": 404},
    "/incidents/{incident}/take": {"ops": 302, "manager": 403, "customer": 404},
    "/incidents/{incident}/wake": {"ops": 302, "manager": 403, "customer": 404},
    "/incidents/{incident}/snooze": {"ops": 422, "manager": 403, "customer": 404},
    "/incidents/{incident}/tell": {"ops": 422, "manager": 403, "customer": 404},
    "/incidents/{incident}/merge": {"ops": 302, "manager": 403, "customer": 404},
    "/incidents/{incident}/split": {"ops": 302, "manager": 403, "customer": 404},
    "/incidents/{incident}/close": {"ops": 302, "manager": 403, "customer": 404},
    "/incidents/{incident}/reopen": {"ops": 302, "manager": 403, "customer": 404},
    "/incidents/{incident}/triage": {"ops": 302, "manager": 403, "customer": 404},
    "/incidents/{incident}/examine": {"ops": 302, "manager": 403, "customer": 404},
    "/my/tickets/{ticket}/say": {"ops": 404, "manager": 404, "customer": 422},
    "/my/tickets/{ticket}/works": {"ops": 404, "manager": 404, "customer": 302},
    "/my/tickets/{ticket}/fails": {"ops": 404, "manager": 404, "customer": 302},
    "/my/tickets/{ticket}/withdraw": {"ops": 404, "manager": 404, "customer": 302},
    "/drill/inject": {"ops": 422, "manager": 403, "customer": 404},
    "/drill/clear": {"ops": 302, "manager": 403, "customer": 404},
    "/settings/drill": {"ops": 302, "manager": 302, "customer": 404},
    "/settings/theme": {"ops": 302, "manager": 302, "customer": 302},
    "/settings/language": {"ops": 302, "manager": 302, "customer": 302},
}
PUBLIC = [
    "/accounts/login/",
    "/accounts/signup/",
    "/accounts/inactive/",
    "/accounts/password/reset/",
    "/accounts/password/reset/done/",
    "/accounts/password/reset/key/done/",
    "/accounts/password/reset/key/1-set-password/",
]


def address(template: str, fleet) -> str:
    return template.format(
        node=fleet.node.pk,
        lease=fleet.lease.pk,
        customer=fleet.customer.pk,
        ticket=fleet.ticket.pk,
        incident=fleet.incident.pk,
    )


@pytest.mark.parametrize("template", PAGES)
@pytest.mark.parametrize("who", [*STAFF, *CUSTOMERS])
def test_a_page_is_shown_to_whom_it_belongs_and_does_not_exist_for_others(
    template: str, who: str, fleet, sign_in: Callable[[str], Client]
) -> None:
    fleet.lost_card()
    response = sign_in(who).get(address(template, fleet))
    assert response.status_code == (200 if who in PAGES[template] else 404)


@pytest.mark.parametrize("template", PAGES)
def test_a_stranger_is_sent_to_sign_in_and_back(template: str, fleet) -> None:
    response = Client().get(address(template, fleet))
    assert response.status_code == 302
    assert response["Location"] == f"/accounts/login/?next={address(template, fleet)}"


@pytest.mark.parametrize("path", PUBLIC)
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_the_pages_before_sign_in_are_ours_in_both_languages(
    path: str, language: str, db: None
) -> None:
    client = Client(headers={"accept-language": language})
    page = client.get(path).content.decode()
    assert f'lang="{language}"' in page
    assert "css/tokens.css" in page
    assert 'id="main"' in page


@pytest.mark.parametrize("template", ACTS)
def test_acts_take_a_post_with_its_token_and_the_right_role(
    template: str, fleet, sign_in: Callable[[str], Client]
) -> None:
    path = address(template, fleet)
    for who, status in ACTS[template].items():
        client = sign_in(who)
        assert client.post(path).status_code == status
        assert client.get(path).status_code in ({405} if status != 404 else {404, 405})
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(fleet.people["ops"])
    refused = strict.post(path)
    assert refused.status_code == 403
    assert "The form is too old" in refused.content.decode()


def test_no_customer_meets_anything_of_another_customer(fleet, sign_in) -> None:
    stranger = sign_in("stranger")
    for lease, status in ((fleet.lease, 404), (fleet.other_lease, 200)):
        assert stranger.get(f"/leases/{lease.pk}/").status_code == status
        assert stranger.get(f"/leases/{lease.pk}/rows").status_code == status
    assert stranger.get(f"/my/{fleet.customer.pk}/rows").status_code == 404
    assert "HT-1" not in stranger.get("/my/").content.decode()


def test_the_start_page_is_the_board_for_staff_and_the_instances_for_customers(sign_in) -> None:
    assert sign_in("ops").get("/")["Location"] == "/board/"
    assert sign_in("customer").get("/")["Location"] == "/my/"
    assert sign_in("ops").get("/my/")["Location"] == "/board/"


def test_a_real_fleet_is_not_shown_in_drill_mode_nor_the_drill_outside_it(
    fleet, ops, make_node
) -> None:
    real = make_node(name="real-node")
    page = ops.get("/fleet/").content.decode()
    assert "sh-r01-n01" in page
    assert "real-node" not in page
    assert ops.get(f"/nodes/{real.pk}/").status_code == 404
    ops.post("/settings/drill", {"next": "/fleet/"})
    page = ops.get("/fleet/").content.decode()
    assert "real-node" in page
    assert "sh-r01-n01" not in page
    assert ops.get(f"/nodes/{fleet.node.pk}/").status_code == 404


@pytest.mark.parametrize("who", ["ops", "customer"])
def test_no_rendered_page_carries_code_or_style_of_its_own(who: str, fleet, sign_in) -> None:
    fleet.lost_card()
    fleet.dead_port()
    fleet.examined(fleet.reading("node_reachable", "access", "node", "ok", "node_reached"))
    client = sign_in(who)
    pages = [path for path, roles in PAGES.items() if who in roles] + ["/my/", *PUBLIC, "/nowhere"]
    for template in pages:
        page = client.get(address(template, fleet), follow=True).content.decode()
        assert not re.search(r"\sstyle=|<style|\son[a-z]+=|javascript:", page), template
        assert not re.search(r"<script(?![^>]*\ssrc=)", page), template


def test_every_address_of_ours_stands_in_the_list_above() -> None:
    """So that a new page cannot come without its roles."""
    listed = {re.sub(r"{(\w+)}|acknowledge", "*", path) for path in (*PAGES, *ACTS, *PUBLIC)}
    elsewhere = re.compile(
        r"^/(api/|healthz|livez|metrics|.*/file\.|fleet/import/|nodes/\*/enrol/)"
    )
    special = {
        "/",
        "/my/",
        "/my/tickets/",
        "/my/tickets/new",
        "/accounts/logout/",
        "/accounts/password/set/",
    }
    special |= {"/accounts/password/reset/key/*/"}
    ours = {path for path in _addresses(get_resolver()) if not elsewhere.match(path)}
    assert ours - special - listed == set()


def _addresses(resolver: URLResolver, prefix: str = "/") -> list[str]:
    found = []
    for each in resolver.url_patterns:
        path = prefix + re.sub(r"<[^>]+>", "*", str(each.pattern))
        if isinstance(each, URLPattern):
            found.append(
                re.sub(r"\^|\$|\(\?P.*\)", "", path.replace("(?P*[0-9A-Za-z]+)-(?P*.+)", "*"))
            )
        else:
            found += _addresses(each, path)
    return found
