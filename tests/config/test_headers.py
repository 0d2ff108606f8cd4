"""What every answer tells the browser, and who may read the measurements."""

from typing import Any

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


def test_pages_allow_scripts_and_styles_of_our_own_only(client: Client) -> None:
    headers = client.get("/accounts/login/").headers
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["object-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"


def test_errors_carry_the_policy_too(client: Client) -> None:
    answer = client.get("/no/such/page")
    assert answer.status_code == 404
    assert "script-src 'self'" in answer.headers["Content-Security-Policy"]


def test_livez_asks_nothing_of_the_database(client: Client, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        answer = client.get("/livez")
    assert answer.status_code == 200


def test_metrics_are_open_on_the_machine_itself(client: Client, make_finding: Any) -> None:
    make_finding(severity="critical")
    text = client.get("/metrics").content.decode()
    assert 'halfhour_findings_open{drill="false",severity="critical"} 1.0' in text
    assert "halfhour_nodes_never_examined 1.0" in text


def test_drill_nodes_are_counted_apart(client: Client, make_node: Any, make_watch: Any) -> None:
    make_watch(node=make_node(), verdict="ok")
    make_watch(node=make_node(simulated=True), verdict="fail")
    text = client.get("/metrics").content.decode()
    assert 'halfhour_nodes{drill="false",verdict="ok"} 1.0' in text
    assert 'halfhour_nodes{drill="true",verdict="fail"} 1.0' in text


@pytest.mark.parametrize(
    "stranger",
    [{"REMOTE_ADDR": "192.0.2.1"}, {"HTTP_X_FORWARDED_FOR": "192.0.2.1"}],
)
def test_a_stranger_needs_the_token(
    stranger: dict[str, str], client: Client, settings: Any
) -> None:
    assert client.get("/metrics", **stranger).status_code == 404
    settings.METRICS_TOKEN = "open-sesame"
    assert client.get("/metrics", **stranger).status_code == 404
    wrong = client.get("/metrics", HTTP_AUTHORIZATION="Bearer x", **stranger)
    assert wrong.status_code == 404
    right = client.get("/metrics", HTTP_AUTHORIZATION="Bearer open-sesame", **stranger)
    assert right.status_code == 200
