"""Reads a host key as people write it. Pure."""

import base64
import binascii
from dataclasses import dataclass

ALGORITHMS = frozenset(
    {
        "ssh-ed25519",
        "ecdsa-sha2-nistp256",
        "ecdsa-sha2-nistp384",
        "ecdsa-sha2-nistp521",
        "ssh-rsa",
    }
)
LONGEST = 4096


class BadHostKey(ValueError):
    """The text is no public host key."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A public host key: `algorithm` and base64 `body`."""

    algorithm: str
    body: str

    def __str__(self) -> str:
        return f"{self.algorithm} {self.body}"


def read_host_key(text: str) -> PublicKey:
    """`algorithm base64 [comment]`, as in a `.pub` file; a line of `ssh-keyscan` works too.

    Raises BadHostKey when the base64 does not hold a key of that algorithm.
    """
    words = text.split()
    if len(words) > 2 and words[0] not in ALGORITHMS:
        words = words[1:]
    if len(words) < 2 or words[0] not in ALGORITHMS or len(words[1]) > LONGEST:
        raise BadHostKey(text[:80])
    algorithm, body = words[0], words[1]
    try:
        blob = base64.b64decode(body, validate=True)
    except binascii.Error as error:
        raise BadHostKey(text[:80]) from error
    if not _holds(blob, algorithm):
        raise BadHostKey(text[:80])
    return PublicKey(algorithm, body)


def _holds(blob: bytes, algorithm: str) -> bool:
    """The blob is length-prefixed fields (RFC 4253, 6.6) that end exactly, the first the name."""
    fields: list[bytes] = []
    while blob:
        length = int.from_bytes(blob[:4], "big")
        if len(blob) < 4 + length:
            return False
        fields.append(blob[4 : 4 + length])
        blob = blob[4 + length :]
    return len(fields) >= 2 and fields[0] == algorithm.encode() and all(fields)
