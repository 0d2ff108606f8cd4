"""Times, ages and numbers as the glossary writes them, in English and Chinese."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone, translation

from fleet.people import formats


@pytest.fixture(autouse=True, scope="module")
def compiled() -> None:
    from config.assets import compile_messages

    compile_messages()


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-3, "00:00"),
        (0, "00:00"),
        (45, "00:45"),
        (272.9, "04:32"),
        (3599, "59:59"),
        (3600, "1:00:00"),
        (172799, "47:59:59"),
        (172800, "2 d 0 h"),
        (3 * 86400 + 7201, "3 d 2 h"),
    ],
)
def test_a_clock(seconds: float, said: str) -> None:
    assert formats.clock(seconds) == said


@pytest.mark.parametrize(
    ("seconds", "english", "chinese"),
    [
        (0, "0 s ago", "0 秒前"),
        (59.9, "59 s ago", "59 秒前"),
        (60, "1 min ago", "1 分钟前"),
        (3599, "59 min ago", "59 分钟前"),
        (3600, "1 h ago", "1 小时前"),
        (172799, "47 h ago", "47 小时前"),
        (172800, "2 d ago", "2 天前"),
    ],
)
def test_an_age(seconds: float, english: str, chinese: str) -> None:
    assert formats.ago(seconds) == english
    with translation.override("zh-hans"):
        assert formats.ago(seconds) == chinese


def test_a_moment_in_the_zone_of_the_reader() -> None:
    at = datetime(2026, 11, 30, 18, 16, tzinfo=UTC)
    with timezone.override("Asia/Shanghai"):
        assert formats.moment(at) == "2026-12-01 02:16"
        assert formats.moment_text(at) == "1 Dec 2026, 02:16"
        with translation.override("zh-hans"):
            assert formats.moment_text(at) == "2026年12月1日 02:16"
    assert formats.moment(None) == "–"


@pytest.mark.parametrize(
    ("value", "unit", "digits", "english", "chinese"),
    [
        (None, "W", 0, "–", "–"),
        (0, "W", 0, "0 W", "0 W"),
        (1234.5, "", 1, "1,234.5", "1,234.5"),
        (83, "°C", 0, "83 °C", "83 °C"),
        (99.5, "%", 2, "99.50 %", "99.50%"),
    ],
)
def test_a_number(value: float, unit: str, digits: int, english: str, chinese: str) -> None:
    assert formats.number(value, unit, digits) == english
    with translation.override("zh-hans"):
        assert formats.number(value, unit, digits) == chinese


@pytest.mark.parametrize(
    ("zone", "english", "chinese"),
    [
        ("Asia/Shanghai", "Beijing time (UTC+8)", "北京时间（UTC+8）"),
        ("Asia/Kolkata", "Asia/Kolkata (UTC+5:30)", "Asia/Kolkata（UTC+5:30）"),
        ("UTC", "UTC (UTC+0)", "UTC（UTC+0）"),
    ],
)
def test_a_zone(zone: str, english: str, chinese: str) -> None:
    assert formats.zone_label(zone) == english
    with translation.override("zh-hans"):
        assert formats.zone_label(zone) == chinese
