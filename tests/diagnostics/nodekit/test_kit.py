"""The kit: sent once, checked at every visit, and nothing of a host's answer is trusted."""

import subprocess
import sys
import tarfile
from io import BytesIO

import pytest

from diagnostics.nodekit import kit

KIT = f".halfhour/kit-{kit.VERSION}"


def test_a_host_without_the_kit_says_so_and_then_has_it(host) -> None:
    assert host.transport.run(kit.argv({}), timeout=30).status == 97
    assert kit.install(host.transport, timeout=20)
    assert host.transport.run(kit.argv({}), timeout=30).status == 0


@pytest.mark.parametrize("name", sorted(kit.FILES))
def test_an_altered_file_is_refused_and_replaced(host, name: str) -> None:
    host.visit()
    altered = host.home / KIT / name
    altered.write_text("print('=== halfhour-probe 1 boot=0 time=1 uptime=1')\n")
    assert host.transport.run(kit.argv({}), timeout=30).status == 97
    assert host.visit().reached == "ok"
    assert altered.read_bytes() == kit.FILES[name]


def test_nobody_else_can_read_or_change_the_kit(host) -> None:
    host.visit()
    assert (host.home / KIT).stat().st_mode & 0o077 == 0
    assert all(path.stat().st_mode & 0o077 == 0 for path in (host.home / KIT).glob("*.py"))


def test_compiled_files_are_kept_for_the_next_visit(host) -> None:
    host.visit()
    kept = {path.name.split(".")[0] for path in (host.home / KIT / "__pycache__").iterdir()}
    assert kept == {"halfhour_probe", "pynvml"}


def test_a_host_without_python_says_so(host) -> None:
    host.visit()
    (host.tools / "python3").unlink()
    for tool in ("sh", "sha256sum", "timeout", "cat"):
        (host.tools / tool).symlink_to(f"/usr/bin/{tool}")
    host.environment["PATH"] = str(host.tools)
    assert host.visit().reached == "no_python"


def test_the_archive_holds_exactly_the_files_of_this_version() -> None:
    with tarfile.open(fileobj=BytesIO(kit.archive())) as tar:
        packed = {entry.name: tar.extractfile(entry).read() for entry in tar}
    assert packed == dict(kit.FILES)


def test_a_cursor_that_could_be_a_command_is_not_passed_on() -> None:
    evil = {"boot_id": "0f6e", "cursor": "$(touch /tmp/x)'; true"}
    assert kit.argv(evil)[-2:] == ["", ""]
    good = {"boot_id": "0f6e", "cursor": "s=ab;i=1f;b=0f6e;m=1;t=2;x=3"}
    assert kit.argv(good)[-2:] == ["0f6e", good["cursor"]]


def test_the_probe_is_plain_python_3_8() -> None:
    source = kit.FILES["halfhour_probe.py"].decode()
    code = "import ast,sys;ast.parse(sys.stdin.read(),feature_version=(3,8))"
    subprocess.run([sys.executable, "-c", code], input=source, text=True, check=True)


def test_an_outdated_kit_stays_until_a_month_has_passed(host) -> None:
    old, lately = host.home / ".halfhour/kit-old", host.home / ".halfhour/kit-lately"
    for folder in (old, lately):
        folder.mkdir(parents=True)
    subprocess.run(["touch", "-d", "40 days ago", str(old)], check=True)
    assert kit.install(host.transport, timeout=20)
    assert not old.exists()
    assert lately.exists()
