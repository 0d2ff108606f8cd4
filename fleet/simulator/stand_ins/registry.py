"""Which tools a simulated host has. A tool that is not here is really not there."""

from fleet.simulator.stand_ins import journal, network, pci, system
from fleet.simulator.stand_ins.answer import Tool
from fleet.simulator.stand_ins.docker import docker
from fleet.simulator.stand_ins.nvidia_smi import nvidia_smi

TOOLS: dict[str, Tool] = {
    "nvidia-smi": nvidia_smi,
    "journalctl": journal.journalctl,
    "dmesg": journal.dmesg,
    "docker": docker,
    "ss": network.ss,
    "ip": network.ip,
    "iptables": network.iptables,
    "nft": network.nft,
    "lspci": pci.lspci,
    "systemctl": system.systemctl,
    "df": system.df,
    "ps": system.ps,
    "pgrep": system.pgrep,
    "free": system.free,
    "uname": system.uname,
    "hostname": system.hostname,
    "nproc": system.nproc,
    "uptime": system.uptime,
    "fuser": system.fuser,
    "modinfo": system.modinfo,
    "lsmod": system.lsmod,
    "dkms": system.dkms,
}
