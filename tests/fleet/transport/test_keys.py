"""Private keys at rest and in the process."""

import base64
import subprocess
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from fleet.transport import keys
from fleet.transport.ssh import load_key


def test_a_secret_comes_back_and_its_token_hides_it() -> None:
    token = keys.encrypt("ünlock")
    assert keys.decrypt(token) == "ünlock"
    assert "ünlock" not in token


def test_after_rotation_old_tokens_open_and_new_ones_need_the_new_key(
    settings: pytest.FixtureRequest,
) -> None:
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    settings.HALFHOUR_KEYS = [old]  # type: ignore[attr-defined]
    token = keys.encrypt("secret")
    settings.HALFHOUR_KEYS = [new, old]  # type: ignore[attr-defined]
    assert keys.decrypt(token) == "secret"
    rotated = keys.rotate(token)
    settings.HALFHOUR_KEYS = [new]  # type: ignore[attr-defined]
    assert keys.decrypt(rotated) == "secret"
    with pytest.raises(keys.KeyUnreadable):
        keys.decrypt(token)


@pytest.mark.parametrize("configured", [[], ["not a key"]])
def test_missing_or_broken_keys_are_told_plainly(
    settings: pytest.FixtureRequest, configured: list[str]
) -> None:
    settings.HALFHOUR_KEYS = configured  # type: ignore[attr-defined]
    with pytest.raises(keys.KeyUnreadable, match="HALFHOUR_KEYS"):
        keys.encrypt("secret")


def test_a_generated_pair_fits_together(tmp_path: Path) -> None:
    private, public = keys.generate()
    path = tmp_path / "key"
    path.write_text(private)
    path.chmod(0o600)
    derived = subprocess.run(["ssh-keygen", "-y", "-f", path], check=True, capture_output=True)
    assert derived.stdout.split()[:2] == public.encode().split()[:2]
    assert load_key(private).get_base64() == public.split()[1]


def test_the_fingerprint_is_the_one_ssh_keygen_prints(tmp_path: Path) -> None:
    public = keys.generate()[1]
    path = tmp_path / "key.pub"
    path.write_text(public)
    printed = subprocess.run(["ssh-keygen", "-lf", path], check=True, capture_output=True)
    assert keys.fingerprint(public) in printed.stdout.decode()


NISTP = base64.b64encode(b"\0\0\0\x13ecdsa-sha2-nistp256rest").decode()


@pytest.mark.parametrize("wrong", ["", "ssh-ed25519", "ssh-ed25519 !!", f"ssh-ed25519 {NISTP}"])
def test_what_is_no_public_key_has_no_fingerprint(wrong: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        keys.fingerprint(wrong)


def test_the_ring_loads_a_key_once() -> None:
    ring, loads = keys.KeyRing(), []
    ring.put(1, "text")
    for _ in range(3):
        assert ring.get(1, lambda text: loads.append(text) or text) == "text"
    assert loads == ["text"]
    assert 1 in ring
    assert 2 not in ring


def test_a_replaced_key_is_loaded_anew() -> None:
    ring = keys.KeyRing()
    ring.put(1, "old")
    assert ring.get(1, str.upper) == "OLD"
    ring.put(1, "new")
    assert ring.get(1, str.upper) == "NEW"


def test_the_ring_shows_no_key() -> None:
    ring = keys.KeyRing()
    ring.put(1, "secret")
    assert "secret" not in repr(ring)


def test_an_unknown_key_is_missing() -> None:
    with pytest.raises(keys.KeyMissing, match="7"):
        keys.KeyRing().get(7, str)
