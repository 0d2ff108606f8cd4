"""Chinese is complete: every sentence of the source has its translation, with the same places."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
PLACE = re.compile(r"%\((\w+)\)[sd]|\{(\w+)\}")


def catalogue(path: Path = SOURCE) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale="zh_Hans")


def english(message) -> str:
    return message.id if isinstance(message.id, str) else message.id[1]


def chinese(message) -> str:
    return message.string if isinstance(message.string, str) else message.string[0]


MESSAGES = [message for message in catalogue() if message.id]


def test_there_is_no_untranslated_and_no_doubtful_message() -> None:
    assert len(MESSAGES) > 500
    assert [english(m) for m in MESSAGES if not chinese(m) or m.fuzzy] == []


def test_the_catalogue_holds_every_message_of_the_source(tmp_path: Path) -> None:
    if shutil.which("xgettext") is None:
        pytest.fail("gettext is not installed")
    for name in ("config", "fleet", "diagnostics", "tickets", "templates"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "locale" / "zh_Hans" / "LC_MESSAGES").mkdir(parents=True)
    argv = [sys.executable, "-m", "django", "makemessages", "-l", "zh_Hans", "--no-location"]
    env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)}
    subprocess.run(argv, cwd=tmp_path, env=env, check=True, capture_output=True)
    fresh = (tmp_path / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po").read_text("utf-8")
    # Without a plural rule makemessages writes two empty plurals; Chinese has one.
    (tmp_path / "fresh.po").write_text(re.sub(r"msgstr\[1\] .*\n", "", fresh), encoding="utf-8")
    wanted = {(m.context, english(m)) for m in catalogue(tmp_path / "fresh.po") if m.id}
    assert wanted - {(m.context, english(m)) for m in MESSAGES} == set()


@pytest.mark.parametrize("message", MESSAGES, ids=lambda m: english(m)[:60])
def test_a_translation_keeps_the_places_and_writes_chinese(message) -> None:
    said = chinese(message)
    assert set(PLACE.findall(english(message))) == set(PLACE.findall(said))
    assert "！" not in said
    assert "!" not in said
    assert not re.search(r"[\u4e00-\u9fff] ?[,;:?](?=[\u4e00-\u9fff ])", said)
    bare = PLACE.sub("\ue000", said)  # neither Chinese nor Latin
    assert not re.search(r"[，。；：？、）] | [，。；：？、（]", bare)
    assert not re.search(
        r"[\u4e00-\u9fff][A-Za-z0-9]|[A-Za-z0-9][\u4e00-\u9fff]", DATES.sub("", bare)
    )


# Dates have no spaces inside: 2026年11月30日.
DATES = re.compile(r"Y年n月j日")

FORBIDDEN = {
    "事故": "故障",
    "误报": "正常现象",
    "节点": "主机",
    "违约": "超时",
    "尽快": "a time",
    "稍后": "a time",
    "马上": "a time",
    "亲": "您",
    "块卡": "张卡",
    "下架": "停租隔离",
}


@pytest.mark.parametrize("word", FORBIDDEN)
def test_words_the_glossary_refuses_are_not_used(word: str) -> None:
    assert [chinese(m) for m in MESSAGES if word in chinese(m)] == []
