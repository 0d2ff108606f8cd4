"""ss, ip, iptables, nft, conntrack numbers: sockets, addresses, firewall of a simulated host."""

import re

from fleet.simulator.host import SimHost
from fleet.simulator.processes import Process, processes
from fleet.simulator.stand_ins.answer import Answer

HEADER = "State  Recv-Q Send-Q Local Address:Port  Peer Address:PortProcess\n"


def _listeners(host: SimHost) -> list[Process]:
    return sorted((p for p in processes(host) if p.port), key=lambda process: process.port)


def _ss_line(process: Process, address: str, named: bool) -> str:
    line = f"LISTEN 0      4096   {f'{address}:{process.port}':>20} {f'{address}:*':>13}"
    if named:
        # Names need root; our wrappers have it.
        line += f' users:(("{process.name}",pid={process.pid},fd=7))'
    return line + "\n"


def ss(host: SimHost, words: list[str]) -> Answer:
    """Listening TCP sockets; `sport = :N` as filter."""
    flags = "".join(word[1:] for word in words if re.fullmatch(r"-[A-Za-z0-9]+", word))
    wanted = re.search(r"sport\s*=\s*:(\d+)", " ".join(words))
    lines = [] if "H" in flags or "--no-header" in words else [HEADER]
    if "u" in flags and "t" not in flags:
        return Answer("".join(lines))
    for process in _listeners(host):
        if wanted and process.port != int(wanted[1]):
            continue
        named = "p" in flags
        if "6" not in flags:
            lines.append(_ss_line(process, "0.0.0.0", named))  # noqa: S104
        if "4" not in flags:
            lines.append(_ss_line(process, "[::]", named))
    return Answer("".join(lines))


def ip(host: SimHost, words: list[str]) -> Answer:
    """Addresses, links and routes."""
    what = next((word for word in words if not word.startswith("-")), "addr")
    address = host.spec.address
    if "addr".startswith(what) or what == "address":
        if "-br" in words or "-brief" in words:
            return Answer(
                f"lo               UNKNOWN        127.0.0.1/8\n"
                f"enp195s0f0       UP             {address}/24\n"
                f"docker0          UP             172.17.0.1/16\n"
            )
        return Answer(
            "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default\n"
            "    inet 127.0.0.1/8 scope host lo\n"
            "2: enp195s0f0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group "
            "default\n"
            f"    inet {address}/24 brd {address.rsplit('.', 1)[0]}.255 scope global enp195s0f0\n"
            "3: docker0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group "
            "default\n"
            "    inet 172.17.0.1/16 brd 172.17.255.255 scope global docker0\n"
        )
    if "route".startswith(what):
        gateway = f"{address.rsplit('.', 1)[0]}.254"
        return Answer(
            f"default via {gateway} dev enp195s0f0 proto static\n172.17.0.0/16 dev docker0\n"
        )
    if "link".startswith(what):
        return Answer(
            "2: enp195s0f0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP\n"
        )
    return Answer("", 255, f'Object "{what}" is unknown, try "ip help".\n')


def _dropped(host: SimHost) -> list[int]:
    return [fault.port for fault in host.faults("port_firewall")]


def _nat(host: SimHost) -> list[str]:
    rules = ["-N DOCKER", "-A DOCKER -i docker0 -j RETURN"]
    for number, container in enumerate(host.spec.containers):
        for port in container.ports:
            if host.published(container, port):
                rules.append(
                    f"-A DOCKER ! -i docker0 -p tcp -m tcp --dport {port.port} "
                    f"-j DNAT --to-destination 172.17.0.{2 + number}:{port.inside}"
                )
    return rules


def iptables(host: SimHost, words: list[str]) -> Answer:
    """`-t nat -S [DOCKER]`, `-S [CHAIN]`: where a firewall fault shows."""
    if "nat" in words:
        return Answer("".join(f"{rule}\n" for rule in ["-P PREROUTING ACCEPT", *_nat(host)]))
    rules = ["-P INPUT ACCEPT", "-P FORWARD DROP", "-P OUTPUT ACCEPT", "-N DOCKER-USER"]
    rules += [
        f"-A DOCKER-USER -i enp195s0f0 -p tcp -m conntrack --ctorigdstport {port} -j DROP"
        for port in _dropped(host)
    ]
    rules.append("-A DOCKER-USER -j RETURN")
    chain = next((word for word in words if word.isupper() and word[0] != "-"), None)
    return Answer(
        "".join(f"{rule}\n" for rule in rules if chain is None or f" {chain} " in f"{rule} ")
    )


def nft(host: SimHost, words: list[str]) -> Answer:
    """`list ruleset`."""
    if words[:2] != ["list", "ruleset"]:
        return Answer("", 1, "Error: syntax error\n")
    drops = "".join(
        f'\t\tiifname "enp195s0f0" ct original proto-dst {port} counter drop\n'
        for port in _dropped(host)
    )
    return Answer(
        "table ip filter {\n\tchain DOCKER-USER {\n" + drops + "\t\tcounter return\n\t}\n}\n"
    )
