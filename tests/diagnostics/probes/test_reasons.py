"""Every reason a probe's source can give has words."""

import ast
from pathlib import Path

from django.utils import translation

from diagnostics.catalogue.load import FAULTS
from diagnostics.findings import messages
from diagnostics.findings.sentences import SENTENCES
from diagnostics.probes.reading import SectionState

PROBES = Path(__file__).parents[3] / "diagnostics" / "probes"


def words_of(path: Path) -> set[str]:
    """Plain words in a probe's source that look like a reason or a code."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value.replace("_", "").isalpha()
        and "_" in node.value
    }


def reasons_of(path: Path) -> set[str]:
    """The fourth argument of every Reading, and the first of every Why."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            at = {"Reading": 3, "Why": 0}.get(node.func.id)
            if at is not None and len(node.args) > at:
                found |= {
                    each.value
                    for each in ast.walk(node.args[at])
                    if isinstance(each, ast.Constant) and isinstance(each.value, str)
                }
    return found - {"section_"}


def test_every_reason_written_in_a_probe_has_a_sentence() -> None:
    paths = sorted(PROBES.rglob("*.py"))
    reasons = set().union(*map(reasons_of, paths))
    assert len(reasons) > 30
    assert reasons - set(SENTENCES) == set()


def test_every_sentence_is_used_by_a_probe_or_made_from_a_state() -> None:
    written = set().union(*map(words_of, PROBES.rglob("*.py")))
    made = {f"section_{state}" for state in SectionState if state is not SectionState.OK}
    made |= {f"heat_{rule}_{v}" for rule in ("margin", "limits", "fixed")
             for v in ("ok", "warn", "fail")}  # fmt: skip
    made |= {f"path_{o}" for o in ("refused", "timeout", "reset", "no_banner", "wrong_banner",
                                   "error")}  # fmt: skip
    made |= {"is_it_us"}  # said by diagnostics.examine
    assert made <= set(SENTENCES)
    assert set(SENTENCES) - written - made == set()


def test_every_code_written_in_a_probe_is_in_the_catalogue() -> None:
    for path in PROBES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Reading":
                code = node.args[4] if len(node.args) > 4 else None
                if isinstance(code, ast.Constant) and code.value:
                    assert code.value in FAULTS, (path.name, code.value)


def test_values_stand_in_a_sentence_with_their_units() -> None:
    heat = {"temperature_c": 83, "margin_c": 2, "warn_c": -5, "fail_c": 0}
    assert messages.sentence("heat_margin_warn", heat) == "83 °C, only 2 °C below the card's limit."
    power = {"limit_w": 320.5, "agreed_w": 450}
    assert messages.sentence("power_limit_differs", power) == (
        "The power limit is 320.5 W instead of the agreed 450 W."
    )
    lanes = {"width_x": 4, "most_x": 16}
    assert messages.sentence("pcie_narrow", lanes) == "PCIe runs at x4 instead of x16."
    assert "98 % full" in messages.sentence("disk_full", {"mount": "/", "used_pct": 98.0}).replace(
        "full: 98 % used", "98 % full"
    )


def test_a_value_that_was_not_read_is_a_dash_never_zero() -> None:
    assert messages.sentence("heat_fixed_ok", {"temperature_c": None}).startswith("– ") or (
        "–" in messages.sentence("heat_fixed_ok", {"temperature_c": None})
    )


def test_what_a_host_says_cannot_break_a_sentence() -> None:
    said = messages.sentence("section_error", {"section": "disks", "text": "100 %s %(x)d <b>"})
    assert "100 %s %(x)d <b>" in said
    assert "the disks" in said


def test_a_driver_error_is_named_in_the_readers_language() -> None:
    values = {"number": 79, "name": "GPU has fallen off the bus", "count": 2}
    with translation.override("en"):
        assert "GPU has fallen off the bus" in messages.sentence("xid_fatal", values)
    with translation.override("zh-hans"):
        assert "掉卡" in messages.sentence("xid_fatal", values)


def test_a_duration_is_said_in_its_largest_units() -> None:
    said = [messages.sentence("host_restarted", {"uptime_s": s}) for s in (45, 720, 7500, 273600)]
    assert [text.rpartition(" for ")[2] for text in said] == [
        "45 s.",
        "12 min.",
        "2 h 5 min.",
        "3 d 4 h.",
    ]
