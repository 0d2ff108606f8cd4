"""The node kit: what we send to a host, and the one command that checks and runs it.

The command compares every kit file with the hashes we hold before it runs anything, so a kit that
was altered on the host refuses itself (exit code 97) and is sent anew.
"""

import hashlib
import io
import re
import tarfile
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from fleet.transport.result import Transport

PROBE_TIMEOUT_S = 25
NO_PYTHON = 96
KIT_MISSING = 97
CURSOR = re.compile(r"[A-Za-z0-9=;:._-]{1,400}")
BOOT_ID = re.compile(r"[0-9a-f-]{1,40}")


def _source(module: str) -> bytes:
    """A module's file, without importing it."""
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise RuntimeError(f"{module} is not installed")
    return Path(spec.origin).read_bytes()


FILES: Mapping[str, bytes] = {
    "halfhour_probe.py": _source("diagnostics.nodekit.halfhour_probe"),
    "pynvml.py": _source("pynvml"),
}
HASHES = {name: hashlib.sha256(data).hexdigest() for name, data in FILES.items()}
VERSION = hashlib.sha256(repr(sorted(HASHES.items())).encode()).hexdigest()[:12]

# The kit lives in the account's own home, one folder a version; HALFHOUR_HOME moves it.
_FOLDER = f'd="${{HALFHOUR_HOME:-$HOME/.halfhour}}/kit-{VERSION}"'
_SUMS = "".join(f"{digest}  {name}\\n" for name, digest in HASHES.items())
# -I -S: nothing of the account's own Python set-up is imported, and it starts twice as fast.
_START = "import sys;sys.path.insert(0,sys.argv[1]);import halfhour_probe as p;p.main(sys.argv[2:])"
RUN = f"""{_FOLDER}
cd "$d" 2>/dev/null && printf '{_SUMS}' | sha256sum -c >/dev/null 2>&1 || exit {KIT_MISSING}
command -v python3 >/dev/null || exit {NO_PYTHON}
exec timeout -k 2 {PROBE_TIMEOUT_S} python3 -ISc '{_START}' "$d" "$@"
"""
# Unpacked beside its place and moved there whole; kits not used for a month go.
INSTALL = f"""set -e
umask 077
{_FOLDER}
mkdir -p "${{d%/*}}"
find "${{d%/*}}" -maxdepth 1 -name 'kit-*' -mtime +30 -exec rm -rf {{}} +
rm -rf "$d.$$"
mkdir "$d.$$"
tar -xzf - -C "$d.$$"
rm -rf "$d"
mv "$d.$$" "$d"
cd "$d"
printf '{_SUMS}' | sha256sum -c >/dev/null
command -v python3 >/dev/null || exit {NO_PYTHON}
python3 -IS -m compileall -q . >/dev/null 2>&1 || true
"""


def argv(memory: Mapping[str, object]) -> list[str]:
    """The command of a visit. `memory` is what `judge.remember` kept at the last one.

    Exit codes: 96 no python3, 97 kit missing or altered, 124 or 137 out of time.
    """
    boot, cursor = str(memory.get("boot_id", "")), str(memory.get("cursor", ""))
    if not (BOOT_ID.fullmatch(boot) and CURSOR.fullmatch(cursor)):
        boot, cursor = "", ""
    return ["sh", "-c", RUN, "halfhour-probe", boot, cursor]


@cache
def archive() -> bytes:
    """The kit's files, packed: the same bytes for the same version."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=6) as tar:
        for name, data in FILES.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), 0o600
            tar.addfile(entry, io.BytesIO(data))
    return packed.getvalue()


def install(transport: Transport, *, timeout: float) -> bool:
    """Send the kit; True when every file arrived as it was sent. Raises TransportError."""
    command = ["sh", "-c", INSTALL, "halfhour-install"]
    return transport.run(command, timeout=timeout, stdin=archive()).status == 0
