"""Enrolment of a host and the commands it leaves there: run for real below a folder."""

import shutil
import subprocess
from pathlib import Path

import pytest

KIT = Path(__file__).parents[3] / "diagnostics" / "nodekit"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKtvDm5vDm5vDm5vDm5vDm5vDm5vDm5vDm5vDm5vDm5v halfhour"
SUDOERS = "etc/sudoers.d/halfhour-probe"
HOME = "var/lib/halfhour-probe"


@pytest.fixture
def system(tmp_path: Path) -> Path:
    """The files of /etc that user management needs."""
    root = tmp_path / "system"
    (root / "etc").mkdir(parents=True)
    for name, text in {
        "passwd": "root:x:0:0:root:/root:/bin/sh\n",
        "shadow": "root:*:19000:0:99999:7:::\n",
        "group": "root:x:0:\nadm:x:4:syslog\nsystemd-journal:x:101:\ndocker:x:102:\n",
        "gshadow": "root:*::\n",
        "login.defs": "SYS_UID_MIN 100\nSYS_UID_MAX 999\n",
    }.items():
        (root / "etc" / name).write_text(text)
    return root


def install(system: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(KIT / "install"), *arguments, "--root", str(system)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def tree(root: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path.relative_to(root)): (path.stat().st_mode & 0o777, path.read_bytes())
        for path in root.rglob("*")
        if path.is_file()
    }


def wrapper(name: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [str(KIT / "wrappers" / name), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_scripts_pass_shellcheck() -> None:
    scripts = [KIT / "install", *sorted((KIT / "wrappers").iterdir())]
    subprocess.run(["shellcheck", *map(str, scripts)], check=True)


def test_a_host_is_enrolled(system: Path) -> None:
    done = install(system, "--key", KEY, "--from", "203.0.113.7")
    assert done.returncode == 0, done.stderr
    made = tree(system)
    assert made[f"{HOME}/.ssh/authorized_keys"] == (
        0o600,
        f'restrict,from="203.0.113.7" {KEY}\n'.encode(),
    )
    assert made[SUDOERS][0] == 0o440
    for name in ("halfhour-ports", "halfhour-holders"):
        assert made[f"usr/local/sbin/{name}"] == (
            0o755,
            (KIT / "wrappers" / name).read_bytes(),
        )
    groups = (system / "etc/group").read_text()
    assert "adm:x:4:syslog,halfhour-probe" in groups
    assert "systemd-journal:x:101:halfhour-probe" in groups
    assert "docker:x:102:\n" in groups  # that would be root


def test_the_sudo_rule_is_valid_and_names_only_the_read_only_commands(system: Path) -> None:
    install(system, "--key", KEY)
    visudo = shutil.which("visudo", path="/usr/sbin:/usr/bin:/sbin:/bin")
    assert visudo, "make test installs sudo"
    subprocess.run([visudo, "-c", "-q", "-f", str(system / SUDOERS)], check=True)
    rules = (system / SUDOERS).read_text()
    assert "*" not in rules
    assert "NOPASSWD: HALFHOUR_RO\n" in rules


def test_enrolling_again_changes_nothing(system: Path) -> None:
    install(system, "--key", KEY)
    before = tree(system)
    again = install(system, "--key", KEY)
    assert again.returncode == 0
    assert again.stdout == "Halfhour can log in as halfhour-probe\n"
    assert tree(system) == before


def test_a_new_key_replaces_the_old_one(system: Path) -> None:
    install(system, "--key", KEY)
    install(system, "--key", KEY.replace("m5v ", "m5w "))
    keys = (system / HOME / ".ssh/authorized_keys").read_text()
    assert keys.count("ssh-ed25519") == 1
    assert "m5w " in keys


def test_a_dry_run_says_everything_and_does_nothing(system: Path) -> None:
    before = tree(system)
    done = install(system, "--key", KEY, "--dry-run")
    assert done.returncode == 0
    assert "would make the user halfhour-probe" in done.stdout
    assert f"would write /{SUDOERS}" in done.stdout
    assert tree(system) == before


def test_removal_leaves_nothing_behind(system: Path) -> None:
    before = set(tree(system))
    install(system, "--key", KEY)
    assert install(system, "--remove", "--dry-run").returncode == 0
    assert (system / SUDOERS).exists()
    done = install(system, "--remove")
    assert done.returncode == 0, done.stderr
    left = {name for name in tree(system) if not name.endswith("-")}  # useradd keeps backups
    assert left == before
    assert "halfhour" not in (system / "etc/passwd").read_text()
    assert install(system, "--remove").returncode == 0


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--key"],
        ["--key", "not a key"],
        ["--key", f"{KEY}\nssh-ed25519 {'A' * 64} other"],
        ["--key", f'command="sh" {KEY}'],
        ["--key", KEY, "--from", '203.0.113.7",command="sh'],
        ["--key", KEY, "--unheard-of"],
    ],
)
def test_a_wrong_argument_is_refused_before_anything_is_done(system: Path, arguments) -> None:
    before = tree(system)
    done = install(system, *arguments)
    assert done.returncode == 10
    assert done.stderr.startswith("install: ")
    assert tree(system) == before


@pytest.mark.parametrize(
    "argument",
    ["", "0", "022", "65536", "123456", "22;id", "-1", "$(id)", "22 23", "--containers=x"],
)
def test_a_port_that_is_none_is_refused(argument: str) -> None:
    assert wrapper("halfhour-ports", argument).returncode == 10


@pytest.mark.parametrize("argument", ["", "-1", "01", "100", "0*", "../0", "ctl"])
def test_a_minor_number_that_is_none_is_refused(argument: str) -> None:
    assert wrapper("halfhour-holders", argument).returncode == 10


def test_too_many_arguments_are_refused() -> None:
    assert wrapper("halfhour-ports").returncode == 10
    assert wrapper("halfhour-ports", "22", "23").returncode == 10
    assert wrapper("halfhour-holders", "0", "1").returncode == 10


def test_the_holder_of_a_port_is_named() -> None:
    import socket

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        done = wrapper("halfhour-ports", str(port))
    assert f"127.0.0.1:{port}" in done.stdout
