"""The catalogue: complete, consistent, and readable in both languages."""

import csv
from pathlib import Path

import pytest

from diagnostics.catalogue.load import FAULTS, XIDS, explains, fault, xid
from diagnostics.probes.reading import Layer

LAYERS = {layer.value for layer in Layer}
REMEDIES = {
    *("none", "advise_customer", "restart_sshd", "reset_port", "reset_environment"),
    *("restart_container", "kill_orphans", "restore_power_limit", "reset_gpu", "reload_driver"),
    *("reboot_node", "power_cycle", "swap_node", "drain_node", "free_disk", "update_driver"),
    *("inspect_hardware", "rma"),
}
# Faults only the parser or a rule names, never a number of xid.csv.
SEVERITIES = {"info", "low", "medium", "high", "critical"}


def test_a_fault_speaks_the_readers_language() -> None:
    row = fault("gpu_missing")
    assert row.title("en") == row.title("de") == "Fewer GPUs than the lease says"
    assert row.title("zh-hans") == row.title("zh_CN") == "GPU 缺失（识别不到卡）"
    assert row.advice("zh-hans") != row.advice("en")


def test_an_unheard_of_code_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        fault("gpu_on_fire")


@pytest.mark.parametrize("code", sorted(FAULTS))
def test_every_fault_is_whole(code: str) -> None:
    row = FAULTS[code]
    assert row.layer in LAYERS
    assert row.severity in SEVERITIES
    assert row.opens in {"incident", "worklist", "record"}
    assert row.fixed_by in {"customer", "platform", "either"}
    assert row.customer_fault in {"yes", "no", "unclear"}
    assert row.sla_class in {"port", "complex", "general", ""}
    assert (row.sla_class == "") == (row.opens == "record")
    assert row.remedies
    assert set(row.remedies) <= REMEDIES
    assert all(row.english)
    assert all(row.chinese)


def test_every_consequence_names_faults_that_exist_and_none_explains_itself() -> None:
    for row in FAULTS.values():
        assert set(row.consequence_of) <= set(FAULTS), row.code
        assert not any(explains(row.code, cause) for cause in row.consequence_of), row.code


def test_every_xid_leads_to_a_fault() -> None:
    for row in XIDS.values():
        assert row.fault in FAULTS, row.number
        assert row.layer in LAYERS, row.number
        assert row.severity in {"app", "info", "action", "fatal", "not_applicable"}, row.number
        assert set(row.action) <= REMEDIES, row.number
        assert row.confidence in {"high", "medium", "low"}, row.number


def test_a_fatal_xid_is_never_a_mere_record() -> None:
    for row in XIDS.values():
        if row.severity == "fatal":
            assert fault(row.fault).severity in {"high", "critical"}, row.number
            assert fault(row.fault).opens == "incident", row.number


def test_a_number_that_is_not_listed_is_looked_at_and_never_acted_on() -> None:
    row = xid(888)
    assert (row.number, row.fault, row.action) == (888, "xid_unknown", ())
    assert xid(79).fault == "gpu_fallen_off_bus"
    assert xid(45).consequence_only


def test_a_cause_explains_over_several_steps() -> None:
    assert explains("gpu_fallen_off_bus", "gpu_missing")
    assert explains("gpu_disabled_by_firmware", "gpu_missing")
    assert not explains("gpu_missing", "gpu_fallen_off_bus")
    assert not explains("disk_full", "gpu_missing")


@pytest.mark.parametrize("name", ["faults.csv", "xid.csv"])
def test_the_tables_are_utf8_with_one_row_a_code(name: str) -> None:
    data = (Path(__file__).parents[3] / "diagnostics/catalogue" / name).read_bytes()
    assert not data.startswith(b"\xef\xbb\xbf")
    codes = [row["code"] for row in csv.DictReader(data.decode("utf-8").splitlines(True))]
    assert len(codes) == len(set(codes)) == {"faults.csv": 145, "xid.csv": 120}[name]
