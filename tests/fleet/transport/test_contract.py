"""What every transport promises, tried on a script, on OpenSSH and on the simulator."""

import pytest

from fleet.transport.result import OutputTooLarge, Transport
from tests.fleet.transport.scripted import Scripted, Unscripted


def test_words_reach_the_command_unchanged(pupil: Transport) -> None:
    result = pupil.run(["printf", "%s|", "a b", "$HOME", "it's"], timeout=5)
    assert result.output == b"a b|$HOME|it's|"
    assert result.argv == ("printf", "%s|", "a b", "$HOME", "it's")


def test_a_command_that_fails_is_a_result_not_an_error(pupil: Transport) -> None:
    result = pupil.run(["sh", "-c", "echo out; exit 3"], timeout=5)
    assert (result.status, result.output) == (3, b"out\n")


def test_stdout_and_stderr_come_together_in_the_order_written(pupil: Transport) -> None:
    result = pupil.run(["sh", "-c", "echo one; echo two >&2; echo three"], timeout=5)
    assert result.output == b"one\ntwo\nthree\n"


def test_a_command_ended_by_a_signal_says_which(pupil: Transport) -> None:
    assert pupil.run(["sh", "-c", "kill -9 $$"], timeout=5).status == 128 + 9


def test_output_need_not_be_utf_8(pupil: Transport) -> None:
    assert pupil.run(["printf", r"\377\376"], timeout=5).output == b"\xff\xfe"


def test_stdin_is_sent_whole_and_closed(pupil: Transport) -> None:
    assert pupil.run(["cat"], timeout=5, stdin=b"x" * 1000).output == b"x" * 1000


def test_without_stdin_a_reading_command_ends_at_once(pupil: Transport) -> None:
    assert pupil.run(["cat"], timeout=5).output == b""


def test_output_over_the_cap_is_an_error_that_carries_what_fitted(pupil: Transport) -> None:
    with pytest.raises(OutputTooLarge) as caught:
        pupil.run(["head", "-c", "70000", "/dev/zero"], timeout=5, cap=1000)
    assert caught.value.partial == bytes(1000)


def test_output_of_exactly_the_cap_is_accepted(pupil: Transport) -> None:
    assert (
        len(pupil.run(["head", "-c", "70000", "/dev/zero"], timeout=5, cap=70000).output) == 70000
    )


def test_a_transport_runs_one_command_after_another(pupil: Transport) -> None:
    for _ in range(3):
        assert pupil.run(["sh", "-c", "echo out; exit 3"], timeout=5).status == 3


def test_a_command_the_script_does_not_know_fails_loudly() -> None:
    with pytest.raises(Unscripted, match="nvidia-smi"):
        Scripted().run(["nvidia-smi"], timeout=1)
