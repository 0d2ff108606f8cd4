"""The source keeps its shape, and every rule about it really refuses what it forbids."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.contracts import shape

ROOT = Path(__file__).resolve().parents[2]
Check = Callable[[Path], list[str]]

PLANTED: dict[Check, dict[str, str]] = {
    shape.long_files: {"fleet/long.py": '"""Long."""\n' + "X = 1\n" * 300},
    shape.long_functions: {"fleet/long.py": "def f():\n" + "    x = 1\n" * 40},
    shape.refused_names: {"fleet/utils.py": '"""Anything."""\n'},
    shape.missing_docstrings: {"fleet/silent.py": "X = 1\n"},
    shape.hidden_imports: {"fleet/dodge.py": "def f():\n    from fleet.leases import models\n"},
    shape.hidden_logic: {"fleet/models.py": "class A:\n    def save(self):\n        pass\n"},
    shape.chinese_in_source: {"templates/board.html": "<p>机器</p>\n"},
    shape.inline_code: {"templates/board.html": '<a onclick="go()">x</a>\n'},
}


@pytest.mark.parametrize("check", shape.CHECKS, ids=lambda check: check.__name__)
def test_the_source_keeps_its_shape(check: Check) -> None:
    assert check(ROOT) == []


@pytest.mark.parametrize("check", shape.CHECKS, ids=lambda check: check.__name__)
def test_each_rule_of_shape_refuses_a_planted_violation(check: Check, tmp_path: Path) -> None:
    for name, text in PLANTED[check].items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert len(check(tmp_path)) == 1


def test_a_view_may_be_fifteen_lines_and_no_more(tmp_path: Path) -> None:
    (tmp_path / "tickets").mkdir()
    views = tmp_path / "tickets" / "views.py"
    views.write_text("def f():\n" + "    x = 1\n" * 14, encoding="utf-8")
    assert shape.long_functions(tmp_path) == []
    views.write_text("def f():\n" + "    x = 1\n" * 15, encoding="utf-8")
    assert len(shape.long_functions(tmp_path)) == 1
