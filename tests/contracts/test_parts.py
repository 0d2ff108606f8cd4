"""The parts the other tests stand on really work."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
import redis
from django.conf import settings

from tests.parts.processes import wait_until
from tests.parts.valkey import Valkey


def test_the_tests_talk_to_a_valkey_of_their_own() -> None:
    assert redis.from_url(settings.REDIS_URL).ping()
    assert not settings.REDIS_URL.endswith(":6379/0")


def test_a_frozen_valkey_answers_nothing_until_it_is_thawed(private_valkey: Valkey) -> None:
    client = redis.from_url(private_valkey.url, socket_timeout=0.2)
    private_valkey.freeze()
    with pytest.raises(redis.TimeoutError):
        client.ping()
    private_valkey.thaw()
    assert client.ping()


@pytest.mark.sshd
def test_one_sshd_is_many_hosts_with_their_own_commands(sshd: Any, tmp_path: Path) -> None:
    for host in sshd.hosts:
        host.stand_in("nvidia-smi", f"echo {host.address}")
    for host in sshd.hosts:
        argv = ["ssh", "-i", sshd.folder / "keys" / "client", "-p", str(host.port)]
        options = ["-o", "StrictHostKeyChecking=no", "-o", f"UserKnownHostsFile={tmp_path / 'k'}"]
        done = subprocess.run(
            [*argv, *options, f"{host.username}@{host.address}", "nvidia-smi"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == host.address


@pytest.mark.postgres
def test_postgres_is_reached_over_tcp(postgres: Any) -> None:
    import psycopg

    with psycopg.connect(postgres.url) as connection:
        assert connection.execute("select 1").fetchone() == (1,)


@pytest.mark.browser
def test_chromium_renders_chinese(browser: Any) -> None:
    page = browser.new_page()
    page.set_content("<title>半小时</title><p>机器不可达</p>")
    assert page.title() == "半小时"
    page.close()


@pytest.mark.docker
def test_a_lease_container_answers_ssh_on_its_published_port(dockerd: Any, port: int) -> None:
    import socket

    dockerd.run_lease("smoke", port, "")

    def banner() -> bytes:
        with socket.create_connection(("127.0.0.1", port), 1) as connection:
            connection.settimeout(1)
            try:
                return connection.recv(64)
            except OSError:
                return b""

    assert wait_until(banner, seconds=20, what="an SSH banner").startswith(b"SSH-2.0-OpenSSH")
