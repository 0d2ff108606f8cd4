"""nvidia-smi: which of its answers is asked for, and what it says when the driver is unwell."""

from fleet.simulator.host import CardNow, SimHost
from fleet.simulator.stand_ins import smi_csv, smi_fields
from fleet.simulator.stand_ins.answer import Answer, option
from fleet.simulator.stand_ins.smi_report import report
from fleet.simulator.stand_ins.smi_table import table
from fleet.simulator.stand_ins.smi_xml import xml

# Exit codes of the man page of nvidia-smi; 18 is NVML's for a version mismatch.
ARGUMENT, PERMISSION, NOT_FOUND, LOST, MISMATCH = 2, 4, 6, 15, 18
# The real one takes longer; a drill should not.
DELAY_S = 0.03
BUSY_FLAGS = ("-r", "--gpu-reset", "-pm", "--persistence-mode", "-pl", "--power-limit", "-lgc")
INVALID = "Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n\n"


def _chosen(host: SimHost, wanted: str | None) -> list[CardNow] | None:
    """The cards of `-i`: by index, UUID or PCI address. None if one of them is not there."""
    cards = host.cards()
    if wanted is None:
        return cards
    found = []
    for word in wanted.split(","):
        names = word.strip().lower()
        match = [
            card
            for card in cards
            if names
            in {str(card.index), card.spec.uuid.lower(), card.spec.bdf, f"0000{card.spec.bdf}"}
        ]
        if not match:
            return None
        found += match
    return found


def listing(cards: list[CardNow]) -> Answer:
    """`nvidia-smi -L`."""
    lines = [
        smi_csv.lost_line(card)
        if card.lost
        else f"GPU {card.index}: {card.spec.model} (UUID: {card.spec.uuid})\n"
        for card in cards
    ]
    return Answer("".join(lines), LOST if any(card.lost for card in cards) else 0)


def _topology(cards: list[CardNow]) -> Answer:
    names = [f"GPU{card.index}" for card in cards]
    lines = ["\t" + "\t".join(names) + "\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"]
    half = (len(cards) + 1) // 2
    for card in cards:
        links = [
            "X" if other is card else "NODE" if card.index // half == other.index // half else "SYS"
            for other in cards
        ]
        lines.append(
            f"GPU{card.index}\t" + "\t".join(f" {link} " for link in links) + "\t\t\tN/A\n"
        )
    return Answer("".join(lines))


def _asked(host: SimHost, words: list[str], cards: list[CardNow]) -> Answer:
    style = option(words, "--format") or ""
    query = option(words, "--query-gpu")
    if query is not None:
        return smi_csv.query_gpu(host, cards, query, style)
    query = option(words, "--query-compute-apps")
    if query is not None:
        return smi_csv.query_apps(host, cards, query, style)
    if "-L" in words or "--list-gpus" in words:
        return listing(cards)
    lost = next((card for card in cards if card.lost), None)
    if lost is not None:
        return Answer(smi_csv.lost_line(lost), LOST)
    if "-q" in words or "--query" in words:
        if "-x" in words or "--xml-format" in words:
            return Answer(xml(host, cards))
        return Answer(report(host, cards, option(words, "-d", "--display")))
    if words[:1] == ["topo"]:
        return _topology(cards)
    if words[:1] == ["nvlink"]:
        return Answer(
            "".join(f"GPU {c.index}: {c.spec.model} (UUID: {c.spec.uuid})\n" for c in cards)
        )
    rest = [word for word in words if word not in {"-i", "--id"} and not word.startswith("--id=")]
    if rest and not (len(rest) == 1 and option(words, "-i", "--id")):
        return Answer(INVALID, ARGUMENT)
    return Answer(table(host, cards))


def nvidia_smi(host: SimHost, words: list[str]) -> Answer:
    """Any call of nvidia-smi."""
    if host.has("driver_hung"):
        return Answer(hang=True)
    if host.has("driver_mismatch"):
        library = ".".join(host.spec.driver_new.split(".")[:2])
        return Answer(
            "Failed to initialize NVML: Driver/library version mismatch\n"
            f"NVML library version: {library}\n",
            MISMATCH,
        )
    wanted = option(words, "-i", "--id")
    cards = _chosen(host, wanted)
    if cards is None:
        return Answer(f"No devices were found matching {wanted}\n", NOT_FOUND)
    if any(word.startswith(BUSY_FLAGS) for word in words):
        where = smi_fields.bus_id(cards[0])
        return Answer(
            f"Unable to change a setting of GPU {where}: Insufficient Permissions\n"
            "Terminating early due to previous errors.\n",
            PERMISSION,
        )
    answer = _asked(host, words, cards)
    slow = 0.8 if any(card.broken for card in cards) else DELAY_S
    return Answer(answer.out, answer.status, answer.err, delay=slow)
