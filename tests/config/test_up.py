"""`manage.py up`: when it refuses to start it says why in one sentence, and touches nothing."""

import os
import socket
import subprocess
import sys
from pathlib import Path

from config import instance

ROOT = Path(__file__).resolve().parents[2]


def up(folder: Path, *options: str, **environment: str) -> str:
    """Run `up`, which must refuse; what it says."""
    kept = {"PATH": os.environ["PATH"], "HALFHOUR_DATA": str(folder), "PORT": "1"}
    done = subprocess.run(
        [sys.executable, "manage.py", "up", *options],
        cwd=ROOT,
        env={**kept, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert not (folder / "halfhour.sqlite3").exists()
    return done.stderr


def test_a_taken_port_is_named_with_a_way_out(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        said = up(tmp_path, "--demo", PORT=str(port))
    assert f"Port {port} of 127.0.0.1 is taken. Choose another: PORT=" in said


def test_a_number_that_is_no_port_is_refused(tmp_path: Path) -> None:
    assert "70000 is no port" in up(tmp_path, "--demo", PORT="70000")


def test_a_second_start_on_the_same_folder_is_refused(tmp_path: Path) -> None:
    with instance.lock(tmp_path):
        said = up(tmp_path, "--demo", PORT=str(instance.free_port()))
    assert f"Halfhour already runs on {tmp_path} (process {os.getpid()})." in said


def test_a_real_installation_without_keys_is_refused(tmp_path: Path) -> None:
    said = up(tmp_path, PORT=str(instance.free_port()))
    assert "Set SECRET_KEY and HALFHOUR_KEYS first" in said


def test_keys_that_cannot_be_used_are_refused(tmp_path: Path) -> None:
    port = str(instance.free_port())
    said = up(tmp_path, PORT=port, SECRET_KEY="x" * 60, HALFHOUR_KEYS="too-short")
    assert "fleet.E002" in said


def test_a_bad_database_address_is_named(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env={
            "PATH": os.environ["PATH"],
            "HALFHOUR_DATA": str(tmp_path),
            "DATABASE_URL": "mysql://x/y",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert "DATABASE_URL: unknown scheme 'mysql'" in done.stderr
