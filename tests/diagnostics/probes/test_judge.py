"""A visit as a whole: healthy is ok, unreadable is unknown, a broken step hides what is above."""

import json

import pytest

from diagnostics.findings import messages, sentences
from diagnostics.probes import judge as judging
from diagnostics.probes import registry
from diagnostics.probes.reading import LADDER, Probe, Reading, SectionState, Verdict

BAD_STATES = [state for state in SectionState if state is not SectionState.OK]
PAIRS = [(probe, need) for probe in registry.PROBES for need in probe.needs]


def test_a_healthy_node_is_ok_in_every_reading(node) -> None:
    judged = node.judged()
    assert [r for r in judged.readings if r.verdict is not Verdict.OK] == []
    assert (judged.verdict, judged.failing_layer) == (Verdict.OK, "")
    assert {reading.probe for reading in judged.readings} == {p.name for p in registry.PROBES}


@pytest.mark.parametrize("state", BAD_STATES, ids=str)
@pytest.mark.parametrize(("probe", "need"), PAIRS, ids=lambda p: getattr(p, "name", p))
def test_a_probe_whose_section_is_not_good_says_unknown(node, probe, need, state) -> None:
    node.states[need] = state
    mine = [reading for reading in node.judged().readings if reading.probe == probe.name]
    assert mine
    assert {reading.verdict for reading in mine} == {Verdict.UNKNOWN}


@pytest.mark.parametrize(("probe", "need"), PAIRS, ids=lambda p: getattr(p, "name", p))
def test_a_section_that_never_came_is_unknown(node, probe, need) -> None:
    del node.facts[need]
    mine = [reading for reading in node.judged().readings if reading.probe == probe.name]
    assert mine
    assert {reading.verdict for reading in mine} == {Verdict.UNKNOWN}


@pytest.mark.parametrize(
    "reached",
    ["unreachable", "auth_refused", "host_key_changed", "timeout", "no_python", "kit_refused"],
)
def test_a_node_that_was_not_reached_is_ok_in_nothing_but_its_ports(node, reached) -> None:
    node.reached = reached
    judged = node.judged()
    ok = {reading.probe for reading in judged.readings if reading.verdict is Verdict.OK}
    assert ok <= {"access_path"}
    assert node.reading("node_reachable").verdict is Verdict.FAIL
    assert judged.failing_layer == "access"


@pytest.mark.parametrize(
    ("reached", "code"),
    [
        ("unreachable", "node_unreachable"),
        ("host_key_changed", "ssh_host_key_changed"),
        ("auth_refused", "probe_access_denied"),
        ("timeout", "probe_access_denied"),
    ],
)
def test_why_a_node_was_not_reached_is_named(node, reached, code) -> None:
    node.reached = reached
    assert node.reading("node_reachable").code == code


def test_a_driver_that_is_not_loaded_hides_what_stands_on_it(node) -> None:
    node.facts["driver"] |= {"loaded": False, "version": ""}
    node.facts["nvidia"]["answer"] = "not_loaded"
    node.states["gpus"] = SectionState.MISSING
    judged = node.judged()
    assert judged.failing_layer == "driver"
    assert node.reading("lease_container", "lease:A").reason == "layer_below"
    assert node.reading("disk_space").verdict is Verdict.OK  # storage stands beside
    assert not [r for r in judged.readings if r.target.startswith("gpu:") and r.verdict == "ok"]


def test_a_broken_card_hides_only_its_own_higher_layers(node) -> None:
    node.card(0, state="lost")
    assert node.reading("persistence", "gpu:GPU-a").reason == "layer_below"
    assert node.reading("persistence", "gpu:GPU-b").verdict is Verdict.OK
    assert node.reading("lease_container", "lease:A").verdict is Verdict.OK


def test_the_failing_layer_is_that_of_the_root(node) -> None:
    node.facts["containers"][0]["state"] = "exited"
    node.port("refused")
    assert node.codes() == {("container_stopped", "lease:A"), ("ssh_connection_refused", "path:7")}
    assert node.judged().failing_layer == "runtime"


def test_a_probe_that_breaks_says_nothing_about_the_node(node, monkeypatch) -> None:
    def breaks(observation, expectation) -> list[Reading]:
        raise ZeroDivisionError

    broken = Probe("disk_space", "", LADDER[0], (), breaks)
    monkeypatch.setattr(judging, "PROBES", (broken, *registry.PROBES[:1]))
    reading = node.reading("disk_space")
    assert (reading.verdict, reading.reason) == (Verdict.UNKNOWN, "probe_error")
    assert node.reading("node_reachable").verdict is Verdict.OK


@pytest.mark.parametrize("wreck", [None, [], {}, 7, "text", [None], [{}], {"lines": None}])
@pytest.mark.parametrize("section", ["gpus", "pci", "kernel", "nvidia", "containers", "disks"])
def test_facts_of_any_shape_never_make_judging_raise(node, section, wreck) -> None:
    node.facts[section] = wreck
    judged = node.judged()
    assert judged.readings


def test_what_is_remembered_is_plain_json_and_survives_a_visit_without_answer(node) -> None:
    node.logged("NVRM: Xid (PCI:0000:41:00): 79, pid=7, GPU has fallen off the bus.")
    memory = judging.remember(node.seen(), node.expectation)
    assert json.loads(json.dumps(memory)) == memory
    assert memory["slots"] == {"0000:41:00.0": "GPU-a", "0000:42:00.0": "GPU-b"}
    node.expecting(memory=memory)
    node.reached = "unreachable"
    assert judging.remember(node.seen(), node.expectation) == memory
    node.reached = "ok"
    node.states["kernel"] = SectionState.TIMEOUT
    kept = judging.remember(node.seen(), node.expectation)
    assert (kept["cursor"], kept["xids"]) == (memory["cursor"], memory["xids"])


def test_every_probe_has_a_title_and_a_name_of_its_own() -> None:
    names = [probe.name for probe in registry.PROBES]
    assert len(names) == len(set(names))
    for probe in registry.PROBES:
        assert messages.probe_title(probe.name) == probe.title


@pytest.mark.parametrize("reason", sorted(sentences.SENTENCES))
def test_every_reason_is_a_whole_sentence_even_without_values(reason: str) -> None:
    said = messages.sentence(reason, {})
    assert said[0].isupper() or said[0] in "–"
    assert said.rstrip().endswith((".", "–")) or said.endswith(")s.")
    assert "%(" not in said
