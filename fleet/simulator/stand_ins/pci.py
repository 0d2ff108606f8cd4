"""lspci: which NVIDIA functions the bus has, and how their links are trained."""

import re

from fleet.simulator.host import CardNow, SimHost
from fleet.simulator.stand_ins.answer import Answer, option

SPEEDS = {1: "2.5GT/s", 4: "16GT/s"}
SUBSYSTEMS = {
    "1043": "ASUSTeK Computer Inc.",
    "1458": "Gigabyte Technology Co., Ltd",
    "1462": "Micro-Star International Co., Ltd. [MSI]",
    "10de": "NVIDIA Corporation",
}
NUMBERED = frozenset({"-n", "-nn"})


def _describe(card: CardNow, function: int, numbers: str) -> str:
    class_name, class_id = (
        ("VGA compatible controller", "0300") if not function else ("Audio device", "0403")
    )
    device_id = card.spec.device_id if not function else "22ba"
    chip = card.spec.model.replace("NVIDIA ", "")
    name = f"AD102 [{chip}]" if not function else "AD102 High Definition Audio Controller"
    revision = "ff" if card.lost else "a1"
    if numbers == "-n":
        return f"{class_id}: 10de:{device_id} (rev {revision})"
    tags = (f" [{class_id}]", f" [10de:{device_id}]") if numbers == "-nn" else ("", "")
    return f"{class_name}{tags[0]}: NVIDIA Corporation {name}{tags[1]} (rev {revision})"


def _detail(card: CardNow, function: int) -> list[str]:
    if card.lost:
        return ["\t!!! Unknown header type 7f", "\tKernel driver in use: nvidia"]
    maker = card.spec.subsystem[:4]
    speed, width = SPEEDS[card.generation], card.width
    notes = f"Speed {speed}{'' if card.generation == 4 else ' (downgraded)'}, Width x{width}"
    if width < 16:
        notes += " (downgraded)"
    return [
        f"\tSubsystem: {SUBSYSTEMS.get(maker, 'Device')} Device {card.spec.subsystem[5:]}",
        "\tControl: I/O+ Mem+ BusMaster+ SpecCycle- MemWINV- VGASnoop- ParErr- SERR- DisINTx+",
        "\tCapabilities: [78] Express (v2) Legacy Endpoint, MSI 00",
        "\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x16, ASPM L1, Exit Latency L1 <16us",
        f"\t\tLnkSta:\t{notes}",
        "\tCapabilities: [420 v2] Advanced Error Reporting",
        "\t\tUESta:\tDLP- SDES- TLP- FCP- CmpltTO- CmpltAbrt- UnxCmplt- RxOF- MalfTLP- ECRC-",
        "\t\tCESta:\tRxErr- BadTLP- BadDLLP- Rollover- Timeout- AdvNonFatalErr-",
        "\tKernel driver in use: " + ("nvidia" if not function else "snd_hda_intel"),
    ]


def _matches(card: CardNow, words: list[str]) -> bool:
    slot = option(words, "-s")
    if slot is not None:
        full = slot if slot.count(":") == 2 else f"0000:{slot}"
        if full.lower().rstrip(".") not in {card.spec.bdf, card.spec.bdf[:-2]}:
            return False
    device = option(words, "-d")
    if device is None:
        return True
    vendor, _, rest = device.lower().partition(":")
    wanted = rest.split(":", 1)[0]
    return vendor in {"", "10de"} and wanted in {"", card.spec.device_id, "22ba"}


def _flags(words: list[str]) -> set[str]:
    """Single letters joined in one word count one by one: `-Dnn`."""
    found: set[str] = set()
    for word in words:
        match = re.fullmatch(r"-([Dnkvtxm]+)", word)
        if match:
            letters = match[1]
            found |= {f"-{letter}" for letter in letters}
            found |= {"-nn"} if letters.count("n") > 1 else set()
            found |= {"-vv"} if letters.count("v") > 1 else set()
    return found


def lspci(host: SimHost, words: list[str]) -> Answer:
    """The cards and their audio functions; the rest of the board where it is asked for."""
    flags = _flags(words)
    numbers = "-nn" if "-nn" in flags else "-n" if "-n" in flags else ""
    cut = 0 if "-D" in flags else 5
    lines: list[str] = []
    if option(words, "-d") is None and option(words, "-s") is None:
        lines.append(
            f"{'0000:00:00.0'[cut:]} Host bridge: Advanced Micro Devices, Inc. [AMD] Root Complex"
        )
    for card in host.cards():
        if not _matches(card, words):
            continue
        for function in (0, 1):
            where = f"{card.spec.bdf[:-1]}{function}"[cut:]
            lines.append(f"{where} {_describe(card, function, numbers)}")
            if "-vv" in flags:
                lines += [*_detail(card, function), ""]
            elif "-k" in flags or "-v" in flags:
                lines += _detail(card, function)[-1:]
    return Answer("".join(f"{line}\n" for line in lines))
