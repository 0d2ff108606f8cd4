"""docs/settings.md names every environment variable the code reads, and no other."""

import ast
import re
from pathlib import Path

from tests.contracts import shape

ROOT = Path(__file__).resolve().parents[2]
READERS = {"text", "number", "flag", "words", "addresses"}
# Not read through config.env: the data folder has to be known before instance.env can be.
READ_DIRECTLY = {"HALFHOUR_DATA"}


def read_by_the_code() -> set[str]:
    names = set(READ_DIRECTLY)
    for _, tree in shape.trees(ROOT):
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in READERS
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == "env"
                and isinstance(node.args[0], ast.Constant)
            ):
                names.add(node.args[0].value)
    return names


def test_the_page_of_settings_is_complete_and_current() -> None:
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([A-Z_]+)` \|", page, re.MULTILINE)) == read_by_the_code()
