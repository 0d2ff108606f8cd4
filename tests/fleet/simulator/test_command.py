"""`manage.py simulate` as a person types it."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from fleet.simulator import control

from .conftest import Served, make_folder

ROOT = Path(__file__).resolve().parents[3]
NODE = "sh-r01-n01"


@pytest.fixture
def typed(served: Served, monkeypatch: pytest.MonkeyPatch, db: None):
    monkeypatch.setattr(control, "DEFAULT_SOCKET", served.folder / "control.sock")

    def run(*words: str) -> str:
        out = StringIO()
        call_command("simulate", *words, stdout=out)
        return out.getvalue()

    yield run
    run("clear", NODE)


def test_a_place_the_fault_does_not_take_is_refused(capsys):
    with pytest.raises(CommandError, match="does not strike a card"):
        call_command("simulate", "inject", "any", "disk_full", gpu="1")
    with pytest.raises(CommandError, match="does not strike a port"):
        call_command("simulate", "inject", "any", "overheating", path="1")


def test_list_names_nodes_and_faults(typed):
    answer = json.loads(typed("list", "--json"))
    assert answer["nodes"][0]["node"] == NODE
    assert {"name", "title", "code"} == set(answer["faults"][0])
    assert f"{NODE}  127.77.1.11" in typed("list")


def test_inject_and_clear_say_what_they_did(typed):
    done = json.loads(typed("inject", NODE, "gpu_off_bus", "--gpu", "3", "--json"))
    assert (done["node"], done["fault"], done["gpu"]) == (NODE, "gpu_off_bus", 3)
    assert typed("state", NODE).count('"lost": true') == 1
    assert "gpu_off_bus GPU 3" in typed("clear", NODE)
    assert typed("inject", NODE, "port_taken").startswith("port_taken port ")


def test_a_path_may_be_named_by_its_id(typed, served, make_lease, make_node, make_path):
    host = served.world.host(NODE)
    port = host.containers[1].ports[0].port
    lease = make_lease(node=make_node(name=NODE, simulated=True))
    path = make_path(lease=lease, public_host=host.address, public_port=port)
    done = json.loads(typed("inject", NODE, "port_taken", "--path", str(path.pk), "--json"))
    assert done["port"] == port


def test_a_wrong_name_is_an_error_in_one_sentence(typed):
    with pytest.raises(CommandError, match="no node “sh-r01-n00”") as no:
        typed("inject", "sh-r01-n00", "disk_full")
    assert no.value.returncode == 2
    with pytest.raises(CommandError, match="There is no fault"):
        typed("inject", NODE, "gremlins")


def test_without_a_simulator_the_command_says_how_to_start_one(monkeypatch, tmp_path):
    monkeypatch.setattr(control, "DEFAULT_SOCKET", tmp_path / "control.sock")
    with pytest.raises(CommandError, match="simulate serve"):
        call_command("simulate", "list")


def manage(data: Path, *words: str, **more: object) -> "subprocess.Popen[str]":
    environment = os.environ | {
        "HALFHOUR_DATA": str(data),
        "DATABASE_URL": f"sqlite:///{data}/halfhour.sqlite3",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    argv = [sys.executable, "manage.py", *words]
    return subprocess.Popen(
        argv, cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def done(process: "subprocess.Popen[str]") -> tuple[int, str, str]:
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_serving_without_a_fleet_says_what_to_do(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    with pytest.raises(CommandError, match="simulate seed"):
        call_command("simulate", "serve")


def test_serving_twice_says_so(settings, served):
    settings.DATA_DIR = served.folder.parent
    (served.folder.parent / "simulator").symlink_to(served.folder)
    with pytest.raises(CommandError, match="already running"):
        call_command("simulate", "serve")


def test_a_taken_port_is_named_with_the_way_out(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    made = make_folder(tmp_path / "simulator", nodes=1)
    with socket.socket() as other:
        other.bind((made.hosts[0].address, made.port))
        other.listen()
        with pytest.raises(CommandError, match="simulate seed --move"):
            call_command("simulate", "serve")


def test_a_newcomer_migrates_seeds_serves_injects_and_stops(tmp_path):
    assert done(manage(tmp_path, "migrate", "-v0"))[0] == 0
    status, out, _err = done(manage(tmp_path, "simulate", "seed", "--nodes", "3"))
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()] == [
        "ops",
        "manager",
        "customer",
        "customer",
    ]
    serving = manage(tmp_path, "simulate", "serve")
    try:
        assert serving.stdout
        assert "3 simulated hosts answer on port" in serving.stdout.readline()
        status, out, _err = done(
            manage(tmp_path, "simulate", "inject", NODE, "overheating", "--json")
        )
        assert (status, json.loads(out)["code"]) == (0, "thermal_throttling")
    finally:
        begun = time.monotonic()
        serving.send_signal(signal.SIGTERM)
        serving.communicate(timeout=10)
    assert serving.returncode == 0
    assert time.monotonic() - begun < 5
    assert not (tmp_path / "simulator" / "control.sock").exists()
