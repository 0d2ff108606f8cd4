"""What an installation keeps in its own folder, and when `up` refuses to start."""

import os
import socket
import stat
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from cryptography.fernet import Fernet

from config import env, instance


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("SECRET_KEY", "HALFHOUR_KEYS", "REDIS_URL", "HALFHOUR_DEMO"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HALFHOUR_DATA", str(tmp_path))
    env.instance.cache_clear()
    yield tmp_path
    env.instance.cache_clear()


def test_a_demo_makes_keys_of_its_own_that_only_its_owner_may_read(folder: Path) -> None:
    assert instance.prepare(demo=True)
    assert stat.S_IMODE((folder / "instance.env").stat().st_mode) == 0o600
    assert len(env.text("SECRET_KEY")) >= 50
    Fernet(env.words("HALFHOUR_KEYS", "")[0])
    assert env.flag("HALFHOUR_DEMO", False)


def test_a_second_start_changes_nothing() -> None:
    instance.prepare(demo=True)
    before = env.instance()
    assert not instance.prepare(demo=True)
    assert env.instance() == before


def test_the_environment_wins_over_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    instance.prepare(demo=True)
    monkeypatch.setenv("SECRET_KEY", "mine")
    assert env.text("SECRET_KEY") == "mine"


def test_a_real_installation_must_bring_its_keys() -> None:
    with pytest.raises(instance.Refused, match="SECRET_KEY and HALFHOUR_KEYS"):
        instance.prepare(demo=False)


def test_a_real_installations_keys_are_never_written_beside_its_data(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_KEY", "mine-alone")
    monkeypatch.setenv("HALFHOUR_KEYS", "fernet-key")
    instance.prepare(demo=False)
    assert "mine-alone" not in (folder / "instance.env").read_text()
    assert "fernet-key" not in (folder / "instance.env").read_text()


@pytest.mark.parametrize("first", [True, False])
def test_demo_and_real_data_never_share_a_folder(
    first: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_KEY", "x")
    monkeypatch.setenv("HALFHOUR_KEYS", "y")
    instance.prepare(demo=first)
    with pytest.raises(instance.Refused, match="HALFHOUR_DATA"):
        instance.prepare(demo=not first)


def test_our_own_broker_keeps_its_password_and_moves_when_its_port_is_taken() -> None:
    instance.prepare(demo=True)
    before = urlsplit(env.text("REDIS_URL"))
    assert before.hostname == "127.0.0.1"
    assert before.password
    with socket.socket() as other:
        other.bind(("127.0.0.1", before.port or 0))
        other.listen()
        assert instance.prepare(demo=True)
    after = urlsplit(env.text("REDIS_URL"))
    assert after.password == before.password
    assert after.port != before.port


def test_a_broker_of_your_own_is_used_and_not_written_down(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REDIS_URL", "redis://elsewhere:6379/0")
    instance.prepare(demo=True)
    assert not instance.embedded()
    assert "elsewhere" not in (folder / "instance.env").read_text()


def test_one_folder_has_one_owner(folder: Path) -> None:
    with instance.lock(folder), pytest.raises(instance.Refused, match=f"process {os.getpid()}"):
        instance.lock(folder)
    instance.lock(folder).close()


def test_a_taken_port_is_noticed() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        assert not instance.is_free(other.getsockname()[1])
    assert instance.is_free(instance.free_port())


def test_a_value_may_stand_in_a_file_of_its_own(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "key").write_text("from a file\n")
    monkeypatch.setenv("SECRET_KEY_FILE", str(folder / "key"))
    assert env.text("SECRET_KEY") == "from a file"


@pytest.mark.parametrize(("value", "flag"), [("yes", True), ("0", False), ("", False)])
def test_a_switch_understands_plain_words(
    value: str, flag: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SWITCH", value)
    assert env.flag("SWITCH", not flag) is flag


def test_a_bad_value_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SWITCH", "perhaps")
    with pytest.raises(env.BadSetting, match="SWITCH='perhaps'"):
        env.flag("SWITCH", True)
    with pytest.raises(env.BadSetting, match="SWITCH='perhaps'"):
        env.number("SWITCH", 1)
