"""`nvidia-smi --query-gpu`, `--query-compute-apps`: the CSV answers."""

from fleet.simulator.host import CardNow, SimHost
from fleet.simulator.processes import Process, processes
from fleet.simulator.stand_ins import smi_fields
from fleet.simulator.stand_ins.answer import Answer
from fleet.simulator.stand_ins.smi_fields import ALIASES, FIELDS, UNKNOWN_ERROR

LOST_STATUS, ARGUMENT_STATUS = 15, 2
APP_FIELDS = ("timestamp", "gpu_name", "gpu_bus_id", "gpu_serial", "gpu_uuid", "pid")
APP_NAMES = {"process_name": "", "name": "", "used_gpu_memory": "MiB", "used_memory": "MiB"}


def lost_line(card: CardNow) -> str:
    """What every nvidia-smi answer says in place of a card that left the bus."""
    where = smi_fields.bus_id(card)[4:]
    return (
        f"Unable to determine the device handle for GPU{card.index}: {where}: GPU is lost.  "
        "Reboot the system to recover this GPU\n"
    )


def _style(words: str) -> tuple[bool, bool] | None:
    """(header, units) of `--format=`; None if it is not CSV."""
    parts = {part.strip() for part in words.split(",")}
    if "csv" not in parts:
        return None
    return "noheader" not in parts, "nounits" not in parts


def _with_unit(value: str, unit: str, units: bool) -> str:
    return f"{value} {unit}" if units and unit and not value.startswith("[") else value


def invalid_field(name: str) -> Answer:
    return Answer(f'Field "{name}" is not a valid field to query.\n\n', ARGUMENT_STATUS)


def query_gpu(host: SimHost, cards: list[CardNow], wanted: str, style: str) -> Answer:
    """One row a card; one unknown field fails the whole query."""
    how = _style(style)
    if how is None:
        return Answer('"--format=" is required and must contain "csv".\n', ARGUMENT_STATUS)
    header, units = how
    names = [name.strip() for name in wanted.split(",")]
    for name in names:
        field = FIELDS.get(ALIASES.get(name, name))
        if field is None or field.since > smi_fields.branch(host):
            return invalid_field(name)
    fields = [FIELDS[ALIASES.get(name, name)] for name in names]
    lines = []
    if header:
        titled = zip(names, fields, strict=True)
        lines.append(", ".join(f"{n} [{f.unit}]" if f.unit else n for n, f in titled) + "\n")
    for card in cards:
        if card.lost:
            lines.append(lost_line(card))
            continue
        values = (_with_unit(smi_fields.read(host, card, f), f.unit, units) for f in fields)
        lines.append(", ".join(values) + "\n")
    status = LOST_STATUS if any(card.lost for card in cards) else 0
    return Answer("".join(lines), status)


def _app_value(host: SimHost, card: CardNow, process: Process, name: str) -> str:
    if name == "pid":
        return str(process.pid)
    if name in {"process_name", "name"}:
        return process.command.split()[0]
    if name in {"used_gpu_memory", "used_memory"}:
        return UNKNOWN_ERROR if card.broken else str(process.memory_mib)
    return FIELDS[ALIASES.get(name, name)].value(host, card)


def query_apps(host: SimHost, cards: list[CardNow], wanted: str, style: str) -> Answer:
    """One row a process and card."""
    how = _style(style)
    if how is None:
        return Answer('"--format=" is required and must contain "csv".\n', ARGUMENT_STATUS)
    header, units = how
    names = [name.strip() for name in wanted.split(",")]
    for name in names:
        if name not in APP_FIELDS and name not in APP_NAMES:
            return invalid_field(name)
    lines = []
    if header:
        unit = {name: f"{name} [{APP_NAMES[name]}]" for name in names if APP_NAMES.get(name)}
        lines.append(", ".join(unit.get(name, name) for name in names) + "\n")
    running = processes(host)
    for card in cards:
        if card.lost:
            lines.append(lost_line(card))
            continue
        for process in running:
            if card.spec.uuid in process.cards:
                values = (
                    _with_unit(_app_value(host, card, process, n), APP_NAMES.get(n, ""), units)
                    for n in names
                )
                lines.append(", ".join(values) + "\n")
    status = LOST_STATUS if any(card.lost for card in cards) else 0
    return Answer("".join(lines), status)
