"""What a page is sent when a region changes."""

from fleet.live.page import Shown, frames, refetch
from fleet.live.region import Rows


def rows(**texts: str) -> Rows:
    return Rows({row: f'<tr id="{row}"><td>{text}</td></tr>' for row, text in texts.items()})


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def shown(*, version: int | None = 1) -> tuple[Shown, Clock]:
    clock = Clock()
    page = Shown("board", version, clock=clock)
    page.update(rows(a="1", b="1"), 1)
    return page, clock


def test_a_page_of_unknown_age_is_told_to_refetch() -> None:
    assert Shown("board").update(rows(a="1"), 7) == [refetch("board")]


def test_a_page_rendered_at_an_older_version_is_told_to_refetch() -> None:
    assert Shown("board", 6).update(rows(a="1"), 7) == [refetch("board")]


def test_a_page_rendered_at_this_very_version_is_left_alone() -> None:
    assert Shown("board", 7).update(rows(a="1"), 7) == []


def test_only_the_changed_row_is_sent() -> None:
    page, _ = shown()
    assert page.update(rows(a="1", b="2"), 2) == ['<tr id="b"><td>2</td></tr>']


def test_nothing_is_sent_when_nothing_looks_different() -> None:
    page, _ = shown()
    assert page.update(rows(a="1", b="1"), 2) == []


def test_a_row_that_came_went_or_moved_makes_the_page_refetch() -> None:
    for new in (rows(a="1", b="1", c="1"), rows(a="1"), rows(b="1", a="1")):
        page, _ = shown()
        assert page.update(new, 2) == [refetch("board")]


def test_while_a_page_fetches_its_rows_are_not_trusted() -> None:
    page, clock = shown()
    page.update(rows(a="1"), 2)
    clock.now += 1.9
    assert page.update(rows(a="1"), 3) == [refetch("board")]
    clock.now += 0.2
    assert page.update(rows(a="2"), 4) == ['<tr id="a"><td>2</td></tr>']


def test_rows_of_different_kinds_travel_in_frames_of_their_own() -> None:
    assert frames(["<tr id=a></tr>", "<tr id=b></tr>", " <div id=c></div>", "<TR id=d></TR>"]) == [
        "<tr id=a></tr><tr id=b></tr>",
        " <div id=c></div>",
        "<TR id=d></TR>",
    ]
