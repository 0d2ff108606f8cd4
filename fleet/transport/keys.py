"""Private keys: encrypted at rest under HALFHOUR_KEYS, loaded once per process. No ORM, no SSH."""

import base64
import hashlib
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from django.conf import settings

Loaded = TypeVar("Loaded")


class KeyUnreadable(Exception):
    """HALFHOUR_KEYS is missing or malformed, or does not open this token."""


class KeyMissing(Exception):
    """No private key of that id was put into this process's ring."""


def encrypt(plain: str) -> str:
    """A Fernet token under the first key of HALFHOUR_KEYS. Raises KeyUnreadable."""
    return _fernet().encrypt(plain.encode()).decode("ascii")


def decrypt(token: str) -> str:
    """What `encrypt` was given; any key of HALFHOUR_KEYS may open it. Raises KeyUnreadable."""
    try:
        return _fernet().decrypt(token.encode()).decode()
    except InvalidToken:
        raise KeyUnreadable("no key of HALFHOUR_KEYS opens this token") from None


def rotate(token: str) -> str:
    """The same secret under the first key of HALFHOUR_KEYS. Raises KeyUnreadable."""
    try:
        return _fernet().rotate(token.encode()).decode("ascii")
    except InvalidToken:
        raise KeyUnreadable("no key of HALFHOUR_KEYS opens this token") from None


def _fernet() -> MultiFernet:
    return _fernet_of(tuple(settings.HALFHOUR_KEYS))


@lru_cache(maxsize=4)
def _fernet_of(keys: tuple[str, ...]) -> MultiFernet:
    if not keys:
        raise KeyUnreadable("HALFHOUR_KEYS is not set")
    try:
        return MultiFernet([Fernet(key) for key in keys])
    except ValueError:
        raise KeyUnreadable("HALFHOUR_KEYS holds something that is not a Fernet key") from None


def generate(comment: str = "halfhour") -> tuple[str, str]:
    """A new ed25519 pair: (private key in OpenSSH's PEM, public key as an authorized_keys line)."""
    private = Ed25519PrivateKey.generate()
    pem = private.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
    public = private.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    return pem.decode("ascii"), f"{public.decode('ascii')} {comment}"


def fingerprint(public: str) -> str:
    """`SHA256:…` of a public key given as `algorithm base64`, as ssh-keygen prints it.

    Raises ValueError when that is not a public key.
    """
    words = public.split()
    if len(words) < 2:
        raise ValueError("a public key is `algorithm base64`")
    blob = base64.b64decode(words[1], validate=True)
    name = words[0].encode()
    if blob[: 4 + len(name)] != len(name).to_bytes(4, "big") + name:
        raise ValueError("the algorithm is not the one inside the key")
    digest = base64.b64encode(hashlib.sha256(blob).digest()).decode("ascii")
    return f"SHA256:{digest.rstrip('=')}"


class KeyRing:
    """The private keys this process logs in with, by the id that `Address.key_id` names.

    Loading one costs up to 0.1 s (an RSA key, or one with a passphrase), so it happens once.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._texts: dict[int, str] = {}
        self._loaded: dict[int, object] = {}

    def __contains__(self, key_id: object) -> bool:
        return key_id in self._texts

    def __repr__(self) -> str:
        return f"<KeyRing of {len(self._texts)} keys>"

    def put(self, key_id: int, private_pem: str) -> None:
        """Make a key known. Another text under the same id replaces the old one."""
        with self._lock:
            if self._texts.get(key_id) != private_pem:
                self._texts[key_id] = private_pem
                self._loaded.pop(key_id, None)

    def get(self, key_id: int, load: Callable[[str], Loaded]) -> Loaded:
        """The key as `load` makes it from its text, the same object each time. Raises KeyMissing.

        `load` comes from the SSH side (`ssh.load_key`), which alone knows the library's type.
        """
        with self._lock:
            if key_id not in self._texts:
                raise KeyMissing(f"no private key {key_id} in this process")
            if key_id not in self._loaded:
                self._loaded[key_id] = load(self._texts[key_id])
            return self._loaded[key_id]  # type: ignore[return-value]


ring = KeyRing()
