"""A private dockerd, and an image with a real sshd made from this machine's own files."""

import os
import re
import shutil
import subprocess
import tarfile
from io import BytesIO
from pathlib import Path

from tests.parts.processes import spawn, stop, wait_until

BRIDGE = "hh-test0"
BRIDGE_ADDRESS = "172.31.250.1/24"
SSHD_CONFIG = """HostKey /etc/ssh/host_key
UsePAM no
PermitRootLogin prohibit-password
PasswordAuthentication no
StrictModes no
"""
ENTRY = """#!/bin/sh
ssh-keygen -q -t ed25519 -N '' -f /etc/ssh/host_key
mkdir -p /root/.ssh && echo "$AUTHORIZED" >/root/.ssh/authorized_keys
exec /usr/sbin/sshd -D -e
"""


def _with_libraries(program: str) -> list[Path]:
    """The program and every shared library the loader would open for it."""
    listing = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    return [Path(program), *(Path(path) for path in re.findall(r"(/[^\s]+)", listing))]


def lease_image() -> bytes:
    """A root file system (tar) of busybox and sshd: what a customer's container is like."""
    buffer = BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:

        def put(path: str, text: str, mode: int = 0o644) -> None:
            info = tarfile.TarInfo(path.lstrip("/"))
            info.size, info.mode = len(text.encode()), mode
            tar.addfile(info, BytesIO(text.encode()))

        def folder(path: str, mode: int = 0o755) -> None:
            info = tarfile.TarInfo(path.lstrip("/"))
            info.type, info.mode = tarfile.DIRTYPE, mode
            tar.addfile(info)

        def link(path: str, target: str) -> None:
            info = tarfile.TarInfo(path.lstrip("/"))
            info.type, info.linkname = tarfile.SYMTYPE, target
            tar.addfile(info)

        for path in ("proc", "sys", "dev", "run/sshd", "root", "var/log", "var/empty", "home"):
            folder(path)
        folder("tmp", 0o1777)
        files = {Path("/bin/busybox"), *_with_libraries("/usr/sbin/sshd")}
        files |= set(_with_libraries(shutil.which("ssh-keygen") or "/usr/bin/ssh-keygen"))
        for path in sorted(files):
            tar.add(path.resolve(), str(path).lstrip("/"))
        busybox = subprocess.run(["/bin/busybox", "--list"], capture_output=True, check=True)
        for applet in busybox.stdout.decode().split():
            if applet != "busybox":
                link(f"bin/{applet}", "busybox")
        put("etc/passwd", "root:x:0:0:root:/root:/bin/sh\nsshd:x:100:65534::/run/sshd:/bin/false\n")
        put("etc/group", "root:x:0:\nnogroup:x:65534:\n")
        put("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n")
        put("etc/ssh/sshd_config", SSHD_CONFIG)
        put("entry.sh", ENTRY, 0o755)
    return buffer.getvalue()


class Dockerd:
    """Touches neither iptables nor any other engine of the machine. Needs root or sudo."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]

    @property
    def host(self) -> str:
        return f"unix://{self.folder / 'docker.sock'}"

    def start(self) -> "Dockerd":
        self.folder.mkdir(parents=True, exist_ok=True)
        self._root("ip", "link", "add", BRIDGE, "type", "bridge")
        self._root("ip", "addr", "replace", BRIDGE_ADDRESS, "dev", BRIDGE)
        self._root("ip", "link", "set", BRIDGE, "up")
        log = (self.folder / "dockerd.log").open("ab")
        options = ["--data-root", self.folder / "root", "--exec-root", self.folder / "run"]
        options += ["--pidfile", self.folder / "pid", "-H", self.host, "--bridge", BRIDGE]
        options += ["--iptables=false", "--ip6tables=false", "--ip-masq=false"]
        options += ["-G", str(os.getgid()), "--config-file", self.folder / "none.json"]
        (self.folder / "none.json").write_text("{}", encoding="utf-8")
        self._process = spawn([*self.as_root, "dockerd", *options], log=log)
        wait_until(self._answers, seconds=60, what=f"dockerd (log in {self.folder}) answers")
        self.docker("import", "-c", 'CMD ["/entry.sh"]', "-", "lease:test", stdin=lease_image())
        return self

    def _root(self, *argv: str) -> None:
        subprocess.run([*self.as_root, *argv], check=False, capture_output=True)

    def _answers(self) -> bool:
        argv = ["docker", "-H", self.host, "info"]
        return subprocess.run(argv, check=False, capture_output=True).returncode == 0

    def docker(self, *argv: str, stdin: bytes | None = None) -> str:
        """Run one docker command; its output without the last newline."""
        command = ["docker", "-H", self.host, *argv]
        done = subprocess.run(command, input=stdin, capture_output=True, check=False)
        assert done.returncode == 0, f"{' '.join(argv)}: {done.stderr.decode()}"
        return done.stdout.decode().strip()

    def run_lease(self, name: str, port: int, authorized: str) -> None:
        """Start a container whose sshd is published on 127.0.0.1:`port`."""
        publish = f"127.0.0.1:{port}:22"
        self.docker("run", "-d", "--name", name, "-p", publish, "-e", f"AUTHORIZED={authorized}",
                    "lease:test")  # fmt: skip

    def stop(self) -> None:
        names = self.docker("ps", "-aq").split()
        if names:
            self.docker("rm", "-f", *names)
        stop(self._process, seconds=30)
        self._root("ip", "link", "del", BRIDGE)
        self._root("rm", "-rf", str(self.folder))
