"""Numbers of command lines: what they cannot mean is refused before anything is asked."""

import pytest
from django.core.management import CommandError, call_command


@pytest.mark.parametrize(
    "words",
    [
        ("findings", "--limit", "-5"),
        ("findings", "--limit", "1" + "0" * 30),
        ("findings", "--limit", "²"),
        ("examine", "n", "--wait", "nan"),
        ("examine", "n", "--wait", "0"),
        ("examine", "n", "--wait", "soon"),
        ("jump_host", "j", "a", "--host-key", "x", "--port", "70000"),
        ("simulate", "seed", "--nodes", "0"),
        ("simulate", "seed", "--nodes", "1" + "0" * 30),
        ("token", "revoke", "1" + "0" * 30),
    ],
)
def test_a_number_out_of_range_is_refused_with_its_range(words):
    with pytest.raises(CommandError, match="please"):
        call_command(*words)


def test_a_name_of_a_books_length_is_no_node(make_node):
    make_node(name="n1")
    with pytest.raises(CommandError, match="There is no node"):
        call_command("enrol", "x" * 100_000)
