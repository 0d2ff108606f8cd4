"""The sentence of every reason a probe can give, by layer. `messages` fills their places."""

from django.utils.translation import gettext_noop

UNKNOWN = {
    "not_reached": gettext_noop("The node was not reached, so this could not be checked."),
    "layer_below": gettext_noop("A lower layer fails, so this could not be judged."),
    "is_it_us": gettext_noop(
        "Our own network failed during the visit, so this could not be checked."
    ),
    "probe_error": gettext_noop(
        "The check itself failed (%(error)s); it says nothing about the node."
    ),
    "section_absent": gettext_noop("The node sent nothing about %(section)s."),
    "section_missing": gettext_noop("The node has no tool that shows %(section)s (%(text)s)."),
    "section_empty": gettext_noop("The node's tool said nothing about %(section)s."),
    "section_denied": gettext_noop("Our account may not read %(section)s."),
    "section_timeout": gettext_noop("The node did not show %(section)s in time."),
    "section_garbage": gettext_noop("What the node sent about %(section)s cannot be read."),
    "section_truncated": gettext_noop("The node's answer broke off before %(section)s."),
    "section_error": gettext_noop("The node's tool failed at %(section)s: %(text)s"),
    "value_unread": gettext_noop("The card does not tell %(value)s."),
    "card_not_answering": gettext_noop("The card does not answer, so this could not be read."),
    "boot_id_unread": gettext_noop("The node's boot id could not be read."),
}

ACCESS = {
    "node_reached": gettext_noop("We logged in and the node answered."),
    "node_unreachable": gettext_noop("The node does not answer on its SSH port."),
    "host_key_changed": gettext_noop(
        "The node shows another host key than the pinned one; we did not log in."
    ),
    "auth_refused": gettext_noop("The node refuses our key."),
    "node_too_slow": gettext_noop("The node let us in and then did not answer in time."),
    "no_python": gettext_noop("The node has no python3, so it cannot be examined."),
    "kit_refused": gettext_noop("Our examination kit could not be run on the node."),
    "path_answers": gettext_noop("%(host)s:%(port)s answers in %(answer_ms)s."),
    "path_not_checked": gettext_noop("%(host)s:%(port)s was not checked."),
    "path_error": gettext_noop(
        "%(host)s:%(port)s could not be dialled from our side (%(banner)s)."
    ),
    "path_refused": gettext_noop("%(host)s:%(port)s refuses the connection: nobody listens there."),
    "path_timeout": gettext_noop(
        "%(host)s:%(port)s does not answer: packets are dropped on the way."
    ),
    "path_reset": gettext_noop("%(host)s:%(port)s closes the connection at once."),
    "path_no_banner": gettext_noop("%(host)s:%(port)s takes the connection and says nothing."),
    "path_wrong_banner": gettext_noop(
        "Something else than the customer's service answers at %(host)s:%(port)s: %(banner)s"
    ),
    "path_container_stopped": gettext_noop(
        "%(host)s:%(port)s does not answer because its container does not run."
    ),
    "path_port_taken": gettext_noop(
        "Port %(node_port)s of the node belongs to another container now: %(holder)s."
    ),
    "path_port_held": gettext_noop(
        "The container has lost its mapping of port %(node_port)s, and another program holds it."
    ),
    "path_mapping_gone": gettext_noop(
        "The container runs, but port %(node_port)s of the node no longer leads to it."
    ),
    "path_firewall": gettext_noop(
        "Container and port mapping are good, but %(host)s:%(port)s does not answer from outside:"
        " a firewall or the gateway drops it."
    ),
    "path_sshd_down": gettext_noop(
        "Container and port mapping are good, but no SSH service answers at %(host)s:%(port)s."
    ),
    "path_service_down": gettext_noop(
        "Container and port mapping are good, but the service at %(host)s:%(port)s does not answer."
    ),
}

HARDWARE = {
    "host_kept_running": gettext_noop("The host has been running since the last visit."),
    "host_restarted_as_announced": gettext_noop(
        "The host restarted as announced; it has been up for %(uptime_s)s."
    ),
    "host_restarted": gettext_noop(
        "The host restarted without notice; it has been up for %(uptime_s)s."
    ),
    "gpu_present": gettext_noop("The card is there, at PCI address %(slot)s."),
    "gpu_not_seen": gettext_noop("Neither the driver nor the bus shows this card."),
    "gpu_not_on_bus": gettext_noop("The PCI bus no longer shows the card at PCI address %(slot)s."),
    "gpu_not_in_driver": gettext_noop(
        "The PCI bus shows a card at PCI address %(slot)s, but the driver does not list it."
    ),
    "gpu_swapped": gettext_noop("Another card sits at PCI address %(slot)s: %(other)s."),
    "gpu_counts_agree": gettext_noop("Record, bus and driver agree: %(record)s cards."),
    "gpu_counts_differ": gettext_noop(
        "Cards on record: %(record)s, on the bus: %(bus)s, in the driver: %(driver)s."
    ),
    "gpu_count_short": gettext_noop("Only %(bus)s of %(record)s cards are on the bus."),
    "gpu_not_on_record": gettext_noop("The driver shows a card that is not on record: %(uuid)s."),
    "no_cards_on_record": gettext_noop(
        "No cards are on record for this node (on the bus: %(bus)s, in the driver: %(driver)s)."
    ),
    "leased_gpu_absent": gettext_noop("A leased card is not on this node: %(uuid)s."),
    "leased_gpus_present": gettext_noop("All leased cards are on this node."),
    "gpu_answers": gettext_noop("The card answers."),
    "gpu_lost": gettext_noop(
        "The host has lost the card at PCI address %(slot)s: it has fallen off the bus."
    ),
    "gpu_errors": gettext_noop(
        "The card at PCI address %(slot)s is listed, but its readings fail."
    ),
    "gpu_reset_required": gettext_noop(
        "The driver says that the card at PCI address %(slot)s needs a reset."
    ),
    "gpu_reboot_required": gettext_noop(
        "The driver says that the card at PCI address %(slot)s needs a restart of the host."
    ),
    "xid_none": gettext_noop("No driver errors in the kernel log."),
    "xid_noted": gettext_noop("Xid %(number)s was logged (%(name)s); noted, nothing to do."),
    "xid_consequence": gettext_noop(
        "Xid %(number)s was logged. It only follows other events and is no fault by itself."
    ),
    "xid_fatal": gettext_noop(
        "Xid %(number)s: %(name)s. Lines in the kernel log since the last boot: %(count)s."
    ),
    "xid_action": gettext_noop("Xid %(number)s: %(name)s. Lines in the kernel log: %(count)s."),
    "xid_program": gettext_noop(
        "Xid %(number)s: %(name)s. This usually comes from the program, not the card."
    ),
    "xid_recovery": gettext_noop("The driver changed its advice for the card: %(line)s"),
    "xid_not_listed": gettext_noop("Xid %(number)s is not in our list: %(line)s"),
    "xid_impossible": gettext_noop(
        "Xid %(number)s cannot come from this card model; check the record: %(line)s"
    ),
    "pcie_full": gettext_noop("PCIe runs at its full width, %(width_x)s."),
    "pcie_narrow": gettext_noop("PCIe runs at %(width_x)s instead of %(most_x)s."),
    "pcie_slow": gettext_noop("PCIe runs at generation %(gen)s instead of %(gen_max)s under load."),
    "heat_hw_slowdown": gettext_noop(
        "The hardware itself has cut the clocks because of heat, at %(temperature_c)s."
    ),
    "heat_sw_slowdown": gettext_noop(
        "The driver lowers the clocks because of heat, at %(temperature_c)s. The memory may be"
        " the hot part."
    ),
    "heat_margin_ok": gettext_noop("%(temperature_c)s, %(margin_c)s below the card's limit."),
    "heat_margin_warn": gettext_noop(
        "%(temperature_c)s, only %(margin_c)s below the card's limit."
    ),
    "heat_margin_fail": gettext_noop("%(temperature_c)s: the card has reached its limit."),
    "heat_limits_ok": gettext_noop("%(temperature_c)s, below the card's own limits."),
    "heat_limits_warn": gettext_noop(
        "%(temperature_c)s, near the temperature the card holds itself to."
    ),
    "heat_limits_fail": gettext_noop("%(temperature_c)s, close to the card's slowdown limit."),
    "heat_fixed_ok": gettext_noop("%(temperature_c)s. The card does not tell its limits."),
    "heat_fixed_warn": gettext_noop(
        "%(temperature_c)s is warm: from %(warn_c)s on we look closer."
    ),
    "heat_fixed_fail": gettext_noop("%(temperature_c)s is too hot: the line is %(fail_c)s."),
    "clocks_free": gettext_noop("Nothing holds the clocks down."),
    "power_cap": gettext_noop(
        "The power limit of %(limit_w)s caps the clocks: normal under full load."
    ),
    "power_brake": gettext_noop(
        "The power brake cuts the clocks (event reasons %(bits)s): %(power_w)s of %(limit_w)s."
    ),
    "hw_slowdown": gettext_noop(
        "The hardware has cut the clocks to half or less and does not say why."
    ),
    "heat_bit": gettext_noop("Heat lowers the clocks (event reasons %(bits)s)."),
    "power_limit_as_agreed": gettext_noop("The power limit is %(limit_w)s, as agreed."),
    "power_limit_not_agreed": gettext_noop(
        "The power limit is %(limit_w)s; no other value is agreed."
    ),
    "power_limit_differs": gettext_noop(
        "The power limit is %(limit_w)s instead of the agreed %(agreed_w)s."
    ),
}

DRIVER = {
    "driver_loaded": gettext_noop("Driver %(version)s is loaded."),
    "driver_not_loaded": gettext_noop("The NVIDIA driver is not loaded (kernel %(kernel)s)."),
    "nouveau_loaded": gettext_noop("Another driver (nouveau) has taken the cards."),
    "no_card_no_driver": gettext_noop(
        "The node has no NVIDIA card and no driver, and none is on record."
    ),
    "driver_answers": gettext_noop("The driver answers."),
    "driver_absent": gettext_noop("The driver is not loaded, so it has nothing to say."),
    "no_nvidia_tool": gettext_noop(
        "The node has neither NVIDIA's library nor nvidia-smi: %(text)s"
    ),
    "driver_denied": gettext_noop("Our account may not ask the driver."),
    "nvml_unknown_error": gettext_noop("NVIDIA's library cannot start on the host: unknown error."),
    "driver_answer_unclear": gettext_noop("The driver's answer is unclear: %(text)s"),
    "driver_stuck": gettext_noop(
        "The driver hangs: %(process)s waits in the kernel and cannot be ended."
    ),
    "driver_silent": gettext_noop("The driver has not answered for %(silent)s visits."),
    "driver_slow": gettext_noop(
        "The driver did not answer within 10 s; we ask again at the next visit."
    ),
    "driver_mismatch": gettext_noop(
        "The loaded driver (%(module)s) and the installed libraries are of different versions."
    ),
    "driver_versions_agree": gettext_noop("Driver and libraries are of one version, %(library)s."),
    "driver_versions_unread": gettext_noop(
        "The versions could not be compared: the driver did not answer."
    ),
    "persistence_on": gettext_noop("Persistence mode is on."),
    "persistence_off": gettext_noop("Persistence mode is off, which is the default and no fault."),
}

RUNTIME = {
    "docker_up": gettext_noop("The container engine answers."),
    "docker_down": gettext_noop("The container engine does not answer."),
    "container_runs": gettext_noop("Container %(container)s runs."),
    "container_gone": gettext_noop("The node has no container called %(container)s."),
    "container_stopped": gettext_noop(
        "Container %(container)s does not run: %(state)s, exit code %(exit_code)s."
    ),
    "container_killed_for_memory": gettext_noop(
        "Container %(container)s was ended because it ran out of memory."
    ),
}

STORAGE = {
    "disk_room": gettext_noop("%(mount)s is %(used_pct)s full, %(free_gib)s free."),
    "disk_filling": gettext_noop("%(mount)s is %(used_pct)s full, only %(free_gib)s free."),
    "disk_full": gettext_noop("%(mount)s is full: %(used_pct)s used, %(free_gib)s free."),
    "inodes_free": gettext_noop("%(used_pct)s of the inodes of %(mount)s are used."),
    "inodes_scarce": gettext_noop(
        "%(used_pct)s of the inodes of %(mount)s are used: it gets tight."
    ),
    "inodes_gone": gettext_noop(
        "%(used_pct)s of the inodes of %(mount)s are used: no new file fits."
    ),
    "inodes_not_counted": gettext_noop("The file systems do not limit their inodes."),
}

SENTENCES = {**UNKNOWN, **ACCESS, **HARDWARE, **DRIVER, **RUNTIME, **STORAGE}
