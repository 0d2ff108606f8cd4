"""What people type is read with suspicion."""

import re
from pathlib import Path

import pytest

from fleet import typed

ROOT = Path(__file__).resolve().parents[2]
APPS = ("config", "tickets", "diagnostics", "fleet")


@pytest.mark.parametrize(
    "text", ["", "²", "٣", "-1", "+1", " 1", "1_0", "1.0", "9" * 19, "9" * 400, str(2**63)]
)
def test_what_is_no_number_of_a_database_is_none(text: str) -> None:
    assert typed.number(text) is None


def test_ascii_digits_are_a_number() -> None:
    assert [typed.number(text) for text in ("0", "007", str(2**63 - 1))] == [0, 7, 2**63 - 1]


def test_no_source_asks_isdigit_which_says_yes_to_what_int_refuses() -> None:
    asking = [
        f"{path.relative_to(ROOT)}:{number}"
        for app in APPS
        for path in (ROOT / app).rglob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(r"\.is(digit|numeric)\(", line)
    ]
    assert asking == []


@pytest.mark.parametrize(
    "text", ["gw.example", "gw-1", "10.0.0.1", "fd00::1", "sh_r01", "localhost", "a.b.", "xn--fiq"]
)
def test_names_and_addresses_are_hosts(text: str) -> None:
    assert typed.is_host(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a b",
        "a;b",
        "-oProxyCommand=x",
        "[::1]:22",
        "bad host!",
        "1.2.3",
        "999.1.1.1",
        "a..b",
        "a/b",
        "a\n",
        "a" * 254,
        "$(x)",
        "a-",
    ],
)
def test_what_a_shell_or_an_option_could_hide_in_is_no_host(text: str) -> None:
    assert not typed.is_host(text)


def test_a_long_hostile_host_is_judged_at_once() -> None:
    assert not typed.is_host("a" * 252 + "!")
    assert not typed.is_host("a-" * 120 + "!")


def test_names_of_nodes_may_be_chinese_and_never_paths_options_or_orders() -> None:
    assert all(map(typed.is_node_name, ("sh-r01-n03", "上海-01", "n_1.a")))
    wrong = ("", "../../etc", "a..b", "sp ace", "-o", "a/b", "esc\x1b[31m", "a\n", "a\u202eb")
    assert not any(map(typed.is_node_name, wrong))


def test_names_of_containers_are_those_docker_allows() -> None:
    assert all(map(typed.is_container, ("lease-1", "a", "A_b.c")))
    assert not any(map(typed.is_container, ("", "-v", "x; rm -rf /", "a b", "a\n", "容器")))


@pytest.mark.parametrize("text", ["a\n", "\x1b[31m", "a\u202eb", "a\u200bb", "a\0", "\ud800"])
def test_what_nobody_sees_is_no_line_and_is_spelled_out_for_a_terminal(text: str) -> None:
    assert not typed.is_line(text)
    assert typed.is_line(typed.visible(text))


def test_words_of_any_script_stay_as_they_are() -> None:
    assert typed.visible("上海 · é “x”") == "上海 · é “x”"
