"""How values and steps are written for people who copy or follow them."""

import pytest

from tickets import wording


@pytest.mark.parametrize("name", ["port", "node_port", "public_port"])
def test_a_port_is_written_as_it_is_typed(name):
    assert wording.value(name, 25254)[1] == "25254"


def test_a_quantity_has_its_unit():
    assert wording.value("limit_w", 1450)[1] == "1,450 W"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (
            "Take evidence first; a reset does not work here. Then move.",
            "Take evidence first; a reset does not work here.",
        ),
        ("先取证；重置无效。再迁移。", "先取证；重置无效。"),
        ("One step", "One step"),
    ],
)
def test_the_first_step_is_a_whole_sentence(text, first):
    assert wording.first_step(text) == first
