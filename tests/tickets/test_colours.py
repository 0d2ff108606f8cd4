"""Every text stands out from what it stands on, in light and in dark (WCAG AA: 4.5 to 1)."""

import re
from pathlib import Path

import pytest

TOKENS = Path(__file__).parents[2] / "static" / "css" / "tokens.css"
STATUS = ("critical", "high", "medium", "low", "ok", "unknown", "drill")
TEXT = [
    *(
        (text, ground)
        for text in ("text", "quiet", "accent")
        for ground in ("ground", "surface", "sunken")
    ),
    *((status, ground) for status in STATUS for ground in ("surface", "ground", "sunken")),
    *((status, f"{status}-tint") for status in STATUS),
    *(("text", f"{status}-tint") for status in STATUS),
    ("on-accent", "accent"),
]
SHAPES = [("edge", "surface"), ("edge", "ground"), ("focus", "surface"), ("focus", "ground")]
SHAPES += [("surface", status) for status in STATUS]


def roles(theme: int) -> dict[str, str]:
    """Role → #rrggbb in this theme (0 light, 1 dark)."""
    found = dict(re.findall(r"--([\w-]+):\s*([^;]+);", TOKENS.read_text(encoding="utf-8")))

    def colour(value: str) -> str:
        pair = re.fullmatch(r"light-dark\((.+),\s*(.+)\)", value.strip())
        if pair:
            return colour(pair[theme + 1])
        named = re.fullmatch(r"var\(--([\w-]+)\)", value.strip())
        return colour(found[named[1]]) if named else value.strip()

    return {name: colour(value) for name, value in found.items()}


def contrast(one: str, other: str) -> float:
    """The ratio WCAG 2 defines."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (
            part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_the_measure_is_right() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), TEXT)
def test_text_is_readable(text: str, ground: str, theme: int) -> None:
    colours = roles(theme)
    assert contrast(colours[text], colours[ground]) >= 4.5


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("shape", "ground"), SHAPES)
def test_edges_of_fields_focus_and_shapes_are_seen(shape: str, ground: str, theme: int) -> None:
    colours = roles(theme)
    assert contrast(colours[shape], colours[ground]) >= 3


def test_only_the_tokens_name_colours() -> None:
    """So that the pairs above are all there are."""
    for sheet in TOKENS.parent.glob("*.css"):
        text = re.sub(r"(?s)/\*.*?\*/", "", sheet.read_text(encoding="utf-8"))
        if sheet != TOKENS:
            assert not re.search(r"#[0-9a-fA-F]{3,8}\b(?![^{]*\{)", text), sheet.name
