"""The driver, the containers, restarts and disks."""

import pytest

from diagnostics.probes.reading import ExpectedGpu, SectionState, Verdict


def hang(node) -> None:
    node.facts["nvidia"] |= {"answer": "hung", "driver": None}
    node.states["gpus"] = SectionState.TIMEOUT


def test_a_missing_driver_is_named_when_cards_are_there(node) -> None:
    node.facts["driver"] |= {"loaded": False, "version": ""}
    node.facts["nvidia"]["answer"] = "not_loaded"
    node.states["gpus"] = SectionState.MISSING
    assert node.reading("driver_loaded").code == "driver_not_loaded"


def test_nouveau_in_its_place_is_named(node) -> None:
    node.facts["driver"] |= {"loaded": False, "version": "", "nouveau": True}
    node.facts["nvidia"]["answer"] = "not_loaded"
    assert node.reading("driver_loaded").code == "nouveau_conflict"


def test_a_host_without_cards_and_driver_is_unknown_not_ok(node) -> None:
    node.expecting(gpus=(), leases=(), paths=())
    node.facts["driver"] |= {"loaded": False, "version": ""}
    node.facts["nvidia"]["answer"] = "no_tool"
    node.facts["pci"] = []
    node.states["gpus"] = SectionState.MISSING
    assert node.reading("driver_loaded").verdict is Verdict.UNKNOWN
    assert node.reading("driver_answers").reason == "no_nvidia_tool"


def test_cards_that_an_unloaded_driver_hides_do_not_hide_the_driver(node) -> None:
    node.facts["driver"] |= {"loaded": False, "version": ""}
    node.facts["nvidia"]["answer"] = "no_tool"
    node.facts["pci"] = []
    node.states["gpus"] = SectionState.MISSING
    node.expecting(gpus=tuple(ExpectedGpu(gpu.uuid) for gpu in node.expectation.gpus))
    assert node.reading("gpu_count").code == "gpu_missing"  # nobody knows which slots
    assert node.reading("driver_loaded").code == "driver_not_loaded"
    assert node.judged().failing_layer == "driver"


def test_a_slow_driver_is_not_a_hung_one_until_it_stays_silent(node) -> None:
    hang(node)
    verdicts = []
    for _visit in range(3):
        verdicts.append(node.reading("driver_answers").verdict)
        node.later()
    assert verdicts == [Verdict.UNKNOWN, Verdict.UNKNOWN, Verdict.FAIL]
    node.facts["nvidia"] |= {"answer": "ok", "driver": "580.65.06"}
    assert node.reading("driver_answers").verdict is Verdict.OK


def test_a_process_stuck_in_the_kernel_is_proof_at_once(node) -> None:
    hang(node)
    node.facts["procs"] = [{"pid": 9, "wchan": "rm_wait", "seconds": 190, "name": "nvidia-smi"}]
    reading = node.reading("driver_answers")
    assert (reading.verdict, reading.code) == (Verdict.FAIL, "driver_hung")
    assert reading.values["stuck_s"] == 190


def test_our_own_process_that_will_not_die_is_proof_at_once(node) -> None:
    hang(node)
    node.facts["nvidia"]["stuck"] = [4242]
    assert node.reading("driver_answers").code == "driver_hung"


def test_versions_that_differ_are_named(node) -> None:
    node.facts["nvidia"] |= {"answer": "mismatch", "driver": None}
    node.states["gpus"] = SectionState.MISSING
    assert node.reading("driver_versions").code == "driver_library_mismatch"
    assert node.codes() == {("driver_library_mismatch", "node")}


def test_an_unknown_error_of_the_library_on_the_host_is_named(node) -> None:
    node.facts["nvidia"] |= {"answer": "unknown_error"}
    assert node.reading("driver_answers").code == "nvml_init_unknown_error"


def test_a_container_killed_for_memory_says_so(node) -> None:
    node.facts["containers"][0] |= {"state": "exited", "exit_code": 137, "oom": True}
    reading = node.reading("lease_container", "lease:A")
    assert (reading.code, reading.reason) == ("container_stopped", "container_killed_for_memory")


def test_a_container_that_is_gone_is_not_running(node) -> None:
    node.facts["containers"].pop(0)
    assert node.reading("lease_container", "lease:A").reason == "container_gone"
    assert node.reading("lease_container", "lease:B").verdict is Verdict.OK


def test_a_container_engine_that_is_down_is_the_nodes(node) -> None:
    node.states["containers"] = SectionState.ERROR
    node.texts["containers"] = "Cannot connect to the Docker daemon at unix:///var/run/docker.sock."
    assert node.reading("lease_container").code == "docker_daemon_down"
    assert node.reading("lease_container", "lease:A").verdict is Verdict.UNKNOWN


def test_a_restart_is_news_for_half_an_hour(node) -> None:
    node.later()
    node.boot = "0f6e8f58-0000-4000-8000-00000000beef"
    assert node.reading("host_restart").code == "unplanned_reboot"
    node.later(1700)
    assert node.reading("host_restart").code == "unplanned_reboot"
    node.later(200)
    assert node.reading("host_restart").verdict is Verdict.OK


def test_an_announced_restart_is_no_surprise(node) -> None:
    node.expecting(restart_announced_at=node.now)
    node.later()
    node.boot = "0f6e8f58-0000-4000-8000-00000000beef"
    reading = node.reading("host_restart")
    assert (reading.verdict, reading.reason) == (Verdict.OK, "host_restarted_as_announced")


@pytest.mark.parametrize("after_s", [-1, 900])
def test_an_announcement_covers_the_restart_that_follows_it_and_no_other(node, after_s) -> None:
    node.later()
    node.boot = "0f6e8f58-0000-4000-8000-00000000beef"
    node.expecting(restart_announced_at=node.now - after_s)
    assert node.reading("host_restart").code == "unplanned_reboot"


def test_the_first_visit_knows_of_no_restart(node) -> None:
    assert node.reading("host_restart").verdict is Verdict.OK


@pytest.mark.parametrize(
    ("used", "verdict"), [(849, "ok"), (850, "warn"), (949, "warn"), (950, "fail"), (1000, "fail")]
)
def test_a_disk_fills_in_steps(node, used, verdict) -> None:
    node.facts["disks"]["space"] = [{"mount": "/", "size": 1100, "used": used, "free": 1000 - used}]
    reading = node.reading("disk_space")
    assert reading.verdict == verdict
    assert reading.code == ("" if verdict == "ok" else "disk_full")


def test_the_fullest_of_root_and_docker_counts_and_others_do_not(node) -> None:
    rows = [("/", 400), ("/var/lib/docker", 960), ("/mnt/full", 1000)]
    node.facts["disks"]["space"] = [
        {"mount": mount, "size": 1000, "used": used, "free": 1000 - used} for mount, used in rows
    ]
    reading = node.reading("disk_space")
    assert (reading.values["mount"], reading.verdict) == ("/var/lib/docker", Verdict.FAIL)


def test_inodes_run_out_while_there_is_room(node) -> None:
    node.facts["disks"]["inodes"] = [{"mount": "/", "size": 1000, "used": 999, "free": 1}]
    assert node.reading("disk_space").verdict is Verdict.OK
    assert node.reading("disk_inodes").code == "inodes_exhausted"


def test_a_file_system_that_does_not_count_inodes_is_fine(node) -> None:
    node.facts["disks"]["inodes"] = [{"mount": "/", "size": 0, "used": 0, "free": 0}]
    assert node.reading("disk_inodes").reason == "inodes_not_counted"
