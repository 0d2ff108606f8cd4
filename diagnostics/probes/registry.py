"""Every probe, in the order of an examination. A new probe is a file and a line here."""

from diagnostics.probes.access import access_path, node_reachable
from diagnostics.probes.driver import driver_answers, driver_loaded, driver_versions, persistence
from diagnostics.probes.hardware import (
    event_reasons,
    gpu_count,
    gpu_state,
    pcie_width,
    power_limit,
    temperature,
    xid,
)
from diagnostics.probes.reading import Probe
from diagnostics.probes.runtime import host_restart, lease_container
from diagnostics.probes.storage import disk_inodes, disk_space

PROBES: tuple[Probe, ...] = (
    node_reachable.PROBE,
    access_path.PROBE,
    host_restart.PROBE,
    gpu_count.PROBE,
    gpu_state.PROBE,
    xid.PROBE,
    pcie_width.PROBE,
    temperature.PROBE,
    event_reasons.PROBE,
    power_limit.PROBE,
    driver_loaded.PROBE,
    driver_answers.PROBE,
    driver_versions.PROBE,
    persistence.PROBE,
    lease_container.PROBE,
    disk_space.PROBE,
    disk_inodes.PROBE,
)
