"""What a reading says, in words: one whole sentence per reason, in the reader's language.

A sentence's places are named after the values of the reading; numbers get their unit from the
name's ending (`_c` °C, `_w` W, `_gib` GiB, `_pct` %, `_s` s, `_ms` ms). Values come from hosts:
they are text, and pages escape them like any other.
"""

from collections.abc import Mapping

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop as N_  # noqa: N812
from django.utils.translation import pgettext

from diagnostics.probes.reading import Value
from fleet.people import formats

UNITS = {"c": "°C", "w": "W", "mib": "MiB", "gib": "GiB", "pct": "%", "s": "s", "ms": "ms"}

PROBES = {
    "node_reachable": N_("Node reachable"),
    "access_path": N_("Published port from outside"),
    "host_restart": N_("Host restart"),
    "gpu_count": N_("Cards present"),
    "gpu_state": N_("Card answers"),
    "xid": N_("Driver errors (Xid)"),
    "pcie_width": N_("PCIe link"),
    "temperature": N_("Temperature"),
    "event_reasons": N_("Clock limits"),
    "power_limit": N_("Power limit"),
    "driver_loaded": N_("Driver loaded"),
    "driver_answers": N_("Driver answers"),
    "driver_versions": N_("Driver versions"),
    "persistence": N_("Persistence mode"),
    "lease_container": N_("Container of the lease"),
    "disk_space": N_("Disk space"),
    "disk_inodes": N_("Inodes"),
}

# What could not be read, as it stands inside a sentence.
THINGS = {
    "nvidia": N_("the driver's answer"),
    "gpus": N_("the cards"),
    "driver": N_("the kernel module"),
    "pci": N_("the PCI bus"),
    "kernel": N_("the kernel log"),
    "containers": N_("the containers"),
    "sockets": N_("the listening ports"),
    "disks": N_("the disks"),
    "procs": N_("the processes"),
    "width_x": N_("the PCIe width"),
    "temperature_c": N_("the temperature"),
    "reasons": N_("the clock limits"),
    "limit_w": N_("the power limit"),
    "persistence": N_("the persistence mode"),
}

UNKNOWN = {
    "not_reached": N_("The node was not reached, so this could not be checked."),
    "layer_below": N_("A lower layer fails, so this could not be judged."),
    "is_it_us": N_("Our own network failed during the visit, so this could not be checked."),
    "probe_error": N_("The check itself failed (%(error)s); it says nothing about the node."),
    "section_absent": N_("The node sent nothing about %(section)s."),
    "section_missing": N_("The node has no tool that shows %(section)s (%(text)s)."),
    "section_empty": N_("The node's tool said nothing about %(section)s."),
    "section_denied": N_("Our account may not read %(section)s."),
    "section_timeout": N_("The node did not show %(section)s in time."),
    "section_garbage": N_("What the node sent about %(section)s cannot be read."),
    "section_truncated": N_("The node's answer broke off before %(section)s."),
    "section_error": N_("The node's tool failed at %(section)s: %(text)s"),
    "value_unread": N_("The card does not tell %(value)s."),
    "card_not_answering": N_("The card does not answer, so this could not be read."),
    "boot_id_unread": N_("The node's boot id could not be read."),
}

ACCESS = {
    "node_reached": N_("We logged in and the node answered."),
    "node_unreachable": N_("The node does not answer, three times within 15 s."),
    "host_key_changed": N_(
        "The node shows another host key than the pinned one; we did not log in."
    ),
    "auth_refused": N_("The node refuses our key."),
    "node_too_slow": N_("The node let us in and then did not answer in time."),
    "no_python": N_("The node has no python3, so it cannot be examined."),
    "kit_refused": N_("Our examination kit could not be run on the node."),
    "path_answers": N_("%(host)s:%(port)s answers in %(answer_ms)s."),
    "path_not_checked": N_("%(host)s:%(port)s was not checked."),
    "path_error": N_("%(host)s:%(port)s could not be dialled from our side (%(banner)s)."),
    "path_refused": N_("%(host)s:%(port)s refuses the connection: nobody listens there."),
    "path_timeout": N_("%(host)s:%(port)s does not answer: packets are dropped on the way."),
    "path_reset": N_("%(host)s:%(port)s closes the connection at once."),
    "path_no_banner": N_("%(host)s:%(port)s takes the connection and says nothing."),
    "path_wrong_banner": N_(
        "Something else than the customer's service answers at %(host)s:%(port)s: %(banner)s"
    ),
    "path_container_stopped": N_(
        "%(host)s:%(port)s does not answer because its container does not run."
    ),
    "path_port_taken": N_(
        "Port %(node_port)s of the node belongs to another container now: %(holder)s."
    ),
    "path_port_held": N_(
        "The container has lost its mapping of port %(node_port)s, and another program holds it."
    ),
    "path_mapping_gone": N_(
        "The container runs, but port %(node_port)s of the node no longer leads to it."
    ),
    "path_firewall": N_(
        "Container and port mapping are good, but %(host)s:%(port)s does not answer from outside:"
        " a firewall or the gateway drops it."
    ),
    "path_sshd_down": N_(
        "Container and port mapping are good, but no SSH service answers at %(host)s:%(port)s."
    ),
    "path_service_down": N_(
        "Container and port mapping are good, but the service at %(host)s:%(port)s does not answer."
    ),
}

HARDWARE = {
    "host_kept_running": N_("The host has been running since the last visit."),
    "host_restarted": N_("The host restarted without notice; it has been up for %(uptime_s)s."),
    "gpu_present": N_("The card is there, in slot %(slot)s."),
    "gpu_not_seen": N_("Neither the driver nor the bus shows this card."),
    "gpu_not_on_bus": N_("The PCI bus no longer shows the card of slot %(slot)s."),
    "gpu_not_in_driver": N_(
        "The PCI bus shows a card in slot %(slot)s, but the driver does not list it."
    ),
    "gpu_swapped": N_("Another card sits in slot %(slot)s: %(other)s."),
    "gpu_counts_agree": N_("Record, bus and driver agree: %(record)s cards."),
    "gpu_counts_differ": N_(
        "Cards on record: %(record)s, on the bus: %(bus)s, in the driver: %(driver)s."
    ),
    "gpu_count_short": N_("Only %(bus)s of %(record)s cards are on the bus."),
    "gpu_not_on_record": N_("The driver shows a card that is not on record: %(uuid)s."),
    "no_cards_on_record": N_(
        "No cards are on record for this node (on the bus: %(bus)s, in the driver: %(driver)s)."
    ),
    "leased_gpu_absent": N_("A leased card is not on this node: %(uuid)s."),
    "leased_gpus_present": N_("All leased cards are on this node."),
    "gpu_answers": N_("The card answers."),
    "gpu_lost": N_("The host has lost the card in slot %(slot)s: it has fallen off the bus."),
    "gpu_errors": N_("The card in slot %(slot)s is listed, but its readings fail."),
    "gpu_reset_required": N_("The driver says that the card in slot %(slot)s needs a reset."),
    "gpu_reboot_required": N_(
        "The driver says that the card in slot %(slot)s needs a restart of the host."
    ),
    "xid_none": N_("No driver errors in the kernel log."),
    "xid_noted": N_("Xid %(number)s was logged (%(name)s); noted, nothing to do."),
    "xid_consequence": N_(
        "Xid %(number)s was logged. It only follows other events and is no fault by itself."
    ),
    "xid_fatal": N_("Xid %(number)s: %(name)s. Logged %(count)s times since the last boot."),
    "xid_action": N_("Xid %(number)s: %(name)s. Logged %(count)s times within this incident."),
    "xid_program": N_(
        "Xid %(number)s: %(name)s. This usually comes from the program, not the card."
    ),
    "xid_recovery": N_("The driver changed its advice for the card: %(line)s"),
    "xid_not_listed": N_("Xid %(number)s is not in our list: %(line)s"),
    "xid_impossible": N_(
        "Xid %(number)s cannot come from this card model; check the record: %(line)s"
    ),
    "pcie_full": N_("PCIe runs at its full width, %(width_x)s."),
    "pcie_narrow": N_("PCIe runs at %(width_x)s instead of %(most_x)s."),
    "pcie_slow": N_("PCIe runs at generation %(gen)s instead of %(gen_max)s under load."),
    "heat_hw_slowdown": N_(
        "The hardware itself has cut the clocks because of heat, at %(temperature_c)s."
    ),
    "heat_sw_slowdown": N_(
        "The driver lowers the clocks because of heat, at %(temperature_c)s. The memory may be"
        " the hot part."
    ),
    "heat_margin_ok": N_("%(temperature_c)s, %(margin_c)s below the card's limit."),
    "heat_margin_warn": N_("%(temperature_c)s, only %(margin_c)s below the card's limit."),
    "heat_margin_fail": N_("%(temperature_c)s: the card has reached its limit."),
    "heat_limits_ok": N_("%(temperature_c)s, below the card's own limits."),
    "heat_limits_warn": N_("%(temperature_c)s, near the temperature the card holds itself to."),
    "heat_limits_fail": N_("%(temperature_c)s, close to the card's slowdown limit."),
    "heat_fixed_ok": N_("%(temperature_c)s. The card does not tell its limits."),
    "heat_fixed_warn": N_("%(temperature_c)s is warm: from %(warn_c)s on we look closer."),
    "heat_fixed_fail": N_("%(temperature_c)s is too hot: the line is %(fail_c)s."),
    "clocks_free": N_("Nothing holds the clocks down."),
    "power_cap": N_("The power limit of %(limit_w)s caps the clocks: normal under full load."),
    "power_brake": N_("The power brake cuts the clocks: power supply or board."),
    "hw_slowdown": N_("The hardware has cut the clocks to half or less and does not say why."),
    "heat_bit": N_("Heat lowers the clocks."),
    "power_limit_as_agreed": N_("The power limit is %(limit_w)s, as agreed."),
    "power_limit_not_agreed": N_("The power limit is %(limit_w)s; no other value is agreed."),
    "power_limit_differs": N_("The power limit is %(limit_w)s instead of the agreed %(agreed_w)s."),
}

DRIVER = {
    "driver_loaded": N_("Driver %(version)s is loaded."),
    "driver_not_loaded": N_("The NVIDIA driver is not loaded (kernel %(kernel)s)."),
    "nouveau_loaded": N_("Another driver (nouveau) has taken the cards."),
    "no_card_no_driver": N_("The node has no NVIDIA card and no driver, and none is on record."),
    "driver_answers": N_("The driver answers."),
    "driver_absent": N_("The driver is not loaded, so it has nothing to say."),
    "no_nvidia_tool": N_("The node has neither NVIDIA's library nor nvidia-smi: %(text)s"),
    "driver_denied": N_("Our account may not ask the driver."),
    "nvml_unknown_error": N_("NVIDIA's library cannot start on the host: unknown error."),
    "driver_answer_unclear": N_("The driver's answer is unclear: %(text)s"),
    "driver_stuck": N_("The driver hangs: %(process)s waits in the kernel and cannot be ended."),
    "driver_silent": N_("The driver has not answered for %(silent)s visits."),
    "driver_slow": N_("The driver did not answer within 10 s; we ask again at the next visit."),
    "driver_mismatch": N_(
        "The loaded driver (%(module)s) and the installed libraries are of different versions."
    ),
    "driver_versions_agree": N_("Driver and libraries are of one version, %(library)s."),
    "driver_versions_unread": N_("The versions could not be compared: the driver did not answer."),
    "persistence_on": N_("Persistence mode is on."),
    "persistence_off": N_("Persistence mode is off, which is the default and no fault."),
}

RUNTIME = {
    "docker_up": N_("The container engine answers."),
    "docker_down": N_("The container engine does not answer."),
    "container_runs": N_("Container %(container)s runs."),
    "container_gone": N_("The node has no container called %(container)s."),
    "container_stopped": N_(
        "Container %(container)s does not run: %(state)s, exit code %(exit_code)s."
    ),
    "container_killed_for_memory": N_(
        "Container %(container)s was ended because it ran out of memory."
    ),
}

STORAGE = {
    "disk_room": N_("%(mount)s is %(used_pct)s full, %(free_gib)s free."),
    "disk_filling": N_("%(mount)s is %(used_pct)s full, only %(free_gib)s free."),
    "disk_full": N_("%(mount)s is full: %(used_pct)s used, %(free_gib)s free."),
    "inodes_free": N_("%(used_pct)s of the inodes of %(mount)s are used."),
    "inodes_scarce": N_("%(used_pct)s of the inodes of %(mount)s are used: it gets tight."),
    "inodes_gone": N_("%(used_pct)s of the inodes of %(mount)s are used: no new file fits."),
    "inodes_not_counted": N_("The file systems do not limit their inodes."),
}

SENTENCES = {**UNKNOWN, **ACCESS, **HARDWARE, **DRIVER, **RUNTIME, **STORAGE}


class _Places(dict[str, str]):
    """Named places of a sentence; one without a value shows a dash."""

    def __missing__(self, name: str) -> str:
        return formats.NOTHING


def sentence(reason: str, values: Mapping[str, Value]) -> str:
    """What a reading says, in the active language. Raises KeyError for an unheard-of reason."""
    return _(SENTENCES[reason]) % _Places({name: _said(name, v) for name, v in values.items()})


def probe_title(name: str) -> str:
    """What a probe is called, in the active language. Raises KeyError."""
    return _(PROBES[name])


def _said(name: str, given: Value) -> str:
    """A value as it stands in a sentence: `83 °C`, `x16`, `the kernel log`."""
    if given is None or given == "":
        return formats.NOTHING
    if name in {"section", "value"}:
        return _(THINGS[str(given)]) if given in THINGS else str(given)
    if isinstance(given, str):
        return given
    stem, _line, suffix = name.rpartition("_")
    if stem and suffix == "x":
        return f"x{given}"
    if name == "uptime_s":
        return _duration(float(given))
    unit = UNITS.get(suffix, "") if stem else ""
    digits = 0 if float(given).is_integer() else 1
    return formats.number(given, unit, digits) if unit else str(given)


def _duration(seconds: float) -> str:
    """`45 s`, `12 min`, `2 h 5 min`, `3 d 4 h`."""
    whole = int(seconds)
    if whole < 60:
        return pgettext("duration", "%(n)d s") % {"n": whole}
    if whole < 3600:
        return pgettext("duration", "%(n)d min") % {"n": whole // 60}
    if whole < 172800:
        hours, minutes = whole // 3600, whole % 3600 // 60
        return pgettext("duration", "%(h)d h %(m)d min") % {"h": hours, "m": minutes}
    return pgettext("duration", "%(d)d d %(h)d h") % {
        "d": whole // 86400,
        "h": whole % 86400 // 3600,
    }
