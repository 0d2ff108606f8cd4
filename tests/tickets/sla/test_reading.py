"""Wrong input is named with where it stands; nothing is guessed, and nothing breaks the reader."""

import io
import json
import subprocess
import sys

import pytest
from django.core.management import call_command

from tests.tickets.sla.story import event, policy, reply, ticket, told, wrong

NOW = "2026-04-14T23:00:00Z"
FINE = {"now": NOW, "tickets": [ticket(reply("10:05", id="m"))]}


def changed(path, value):
    """FINE with one value put in, by a path of keys and numbers."""
    file = json.loads(json.dumps(FINE))
    place = file
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return file


HOURS = {"zone": "Asia/Shanghai", "hours": {"mon": [["09:00", "18:00"]]}}
WRONG = {
    "now": [(["now"], None), (["now"], 7), (["now"], "2026-04-14T23:00:00"), (["now"], "soon")],
    "tickets": [(["tickets"], None), (["tickets"], {})],
    "tickets[0]": [(["tickets", 0], "T1")],
    "tickets[0].id": [(["tickets", 0, "id"], None), (["tickets", 0, "id"], 7)],
    "tickets[0].class": [(["tickets", 0, "class"], "odd"), (["tickets", 0, "class"], None)],
    "tickets[0].source": [(["tickets", 0, "source"], "fax")],
    "tickets[0].has_portal_login": [(["tickets", 0, "has_portal_login"], 1)],
    "tickets[0].events": [(["tickets", 0, "events"], []), (["tickets", 0, "events"], None)],
    "tickets[0].events[1].at": [
        (["tickets", 0, "events", 1, "at"], "2026-04-14 10:05"),
        (["tickets", 0, "events", 1, "at"], "2026-02-30T10:05:00Z"),
        (["tickets", 0, "events", 1, "at"], "2026-04-14T24:05:00Z"),
        (["tickets", 0, "events", 1, "at"], "2026-04-14T10:05:00+25:00"),
        (["tickets", 0, "events", 1, "at"], "２０26-04-14T10:05:00Z"),
        (["tickets", 0, "events", 1, "at"], ["x"]),
    ],
    "tickets[0].events[1].kind": [
        (["tickets", 0, "events", 1, "kind"], "paused"),
        (["tickets", 0, "events", 1, "kind"], "broadcast"),
        (["tickets", 0, "events", 1, "kind"], None),
    ],
    "tickets[0].events[1].author": [
        (["tickets", 0, "events", 1, "author"], "robot"),
        (["tickets", 0, "events", 1, "author"], None),
    ],
    "tickets[0].events[1].text": [(["tickets", 0, "events", 1, "text"], 7)],
    "tickets[0].events[1].public": [(["tickets", 0, "events", 1, "public"], "yes")],
    "tickets[0].events[1].logged_at": [
        (["tickets", 0, "events", 1, "logged_at"], "2026-04-14T10:04:59Z"),
        (["tickets", 0, "events", 1, "logged_at"], "10:06"),
    ],
    "tickets[0].events[1].reason": [
        (["tickets", 0, "events", 1], event("10:05", "pause", text="Which?")),
    ],
    "tickets[0].events[1].verified": [
        (["tickets", 0, "events", 1], event("10:05", "automated_done")),
        (["tickets", 0, "events", 1], event("10:05", "automated_done", verified="yes")),
    ],
    "tickets[0].events[1].to": [(["tickets", 0, "events", 1], event("10:05", "class_changed"))],
    "tickets[0].events[1].into": [(["tickets", 0, "events", 1], event("10:05", "merged_into"))],
    "tickets[0].events[1].of": [(["tickets", 0, "events", 1], event("10:05", "bounced"))],
    "tickets[0].events[1].class": [(["tickets", 0, "events", 1], event("10:05", "corrected"))],
    "tickets[0].events[1].version": [
        (["tickets", 0, "events", 1], event("10:05", "policy_reapplied")),
        (["tickets", 0, "events", 1], event("10:05", "policy_reapplied", version=True)),
    ],
    "tickets[0].events[2].id": [
        (["tickets", 0, "events"], [*FINE["tickets"][0]["events"], reply("10:06", id="m")])
    ],
    "tickets[1].id": [(["tickets"], [ticket(), ticket()])],
    "incidents[0].events[0].kind": [
        (["incidents"], [{"id": "I", "events": [event("10:00", "created")]}])
    ],
    "incidents[1].id": [(["incidents"], [{"id": "I", "events": []}] * 2)],
    "policies[1].version": [(["policies"], [policy(1), policy(1)])],
    "policies[0].version": [
        (["policies"], [policy(1.5)]),
        (["policies"], [policy("1")]),
        (["policies"], [policy(True)]),
    ],
    "policies[0].effective_at": [(["policies"], [policy(1, "2026-01-01")])],
    "policies[0].classes": [(["policies"], [policy() | {"classes": []}])],
    "policies[0].classes.complex.response_s": [
        (["policies"], [policy(response=0)]),
        (["policies"], [policy(response=-5)]),
        (["policies"], [policy(response=10**40)]),
        (["policies"], [policy(response=None)]),
    ],
    "policies[0].reopen_s": [(["policies"], [policy(reopen_s=-1)])],
    "policies[0].warn_percent": [(["policies"], [policy(warn_percent=50)])],
    "policies[0].warn_percent[1]": [
        (["policies"], [policy(warn_percent=[50, share])]) for share in ("80", 0, -5, True, None)
    ],
    "policies[0].calendar": [(["policies"], [policy(calendar="always")])],
    "policies[0].calendar.zone": [
        (["policies"], [policy(calendar=HOURS | {"zone": zone})])
        for zone in (None, "Mars/Olympus", "../etc/passwd", "", "a\0b", "Asia")
    ],
    "policies[0].calendar.hours": [(["policies"], [policy(calendar={"zone": "UTC"})])],
    "policies[0].calendar.hours.monday": [
        (["policies"], [policy(calendar=HOURS | {"hours": {"monday": []}})])
    ],
    "policies[0].calendar.hours.mon[0]": [
        (["policies"], [policy(calendar=HOURS | {"hours": {"mon": [span]}})])
        for span in (["09:00"], ["09:00", "09:00"], ["18:00", "09:00"])
    ],
    "policies[0].calendar.hours.mon[0][1]": [
        (["policies"], [policy(calendar=HOURS | {"hours": {"mon": [["09:00", edge]]}})])
        for edge in ("25:00", "24:01", "9:00", 18)
    ],
    "policies[0].calendar.holidays[0]": [
        (["policies"], [policy(calendar=HOURS | {"holidays": [day]})])
        for day in ("2026-13-01", "20260501", 7)
    ],
    "policies[0].calendar.open_days.x": [
        (["policies"], [policy(calendar=HOURS | {"open_days": {"x": []}})])
    ],
    "report.to": [
        (["report"], {"from": "2026-05-01", "to": "2026-05-01", "zone": "UTC"}),
        (["report"], {"from": "2026-05-01", "to": "2026-05", "zone": "UTC"}),
    ],
    "report.zone": [(["report"], {"from": "2026-05-01", "to": "2026-06-01", "zone": "Moon"})],
    "report": [(["report"], "april")],
}


@pytest.mark.parametrize("where", WRONG)
def test_where_it_is_wrong(where):
    for path, value in WRONG[where]:
        assert wrong(changed(path, value)) == where, value


@pytest.mark.parametrize("file", [None, [], "x", 7, {}])
def test_no_file_at_all(file):
    assert wrong(file) is not None


def test_null_counts_as_absent_and_unknown_fields_are_ignored():
    file = changed(["tickets", 0, "events", 1, "until"], None) | {"policies": None, "colour": "red"}
    assert wrong(file) is None


def test_the_same_event_twice_is_one_delivered_twice():
    twice = reply("10:05", id="m")
    found = told(ticket(twice, dict(twice)))["tickets"][0]
    assert found["response"]["seconds"] == 300


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2026-04-14T12:00:00.2509+02:00", "2026-04-14T10:00:00.250Z"),
        ("2026-04-14t10:00:00z", "2026-04-14T10:00:00Z"),
        ("0001-01-01T00:00:00+14:00", "0000-12-31T10:00:00Z"),
        ("9999-12-31T23:59:59-14:00", "10000-01-01T13:59:59Z"),
    ],
)
def test_instants_of_any_offset(text, same):
    assert told(now=text)["now"] == same


def test_clocks_near_the_end_of_time_do_not_break():
    found = told(
        ticket(start="9999-12-30T00:00:00Z"),
        now="9999-12-31T23:59:59-14:00",
        policies=[policy(calendar=HOURS)],
        report={"from": "9999-12-01", "to": "9999-12-31", "zone": "Pacific/Kiritimati"},
    )
    assert found["tickets"][0]["response"]["due"] is None


def test_a_calendar_that_never_opens_is_never_due():
    closed = policy(calendar={"zone": "UTC", "hours": {}})
    found = told(ticket(reply("10:05")), policies=[closed])["tickets"][0]
    assert (found["resolution"]["due"], found["response"]["state"]) == (None, "met")


# The command


def run(path, *, text=None):
    """Exit status, standard output and standard error of the real command."""
    done = subprocess.run(
        [sys.executable, "manage.py", "sla_replay", str(path), "--json"],
        input=text,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


def answered(tmp_path, value):
    file = tmp_path / "file.json"
    file.write_text(value if isinstance(value, str) else json.dumps(value))
    out, err = io.StringIO(), io.StringIO()
    status = 0
    try:
        call_command("sla_replay", str(file), "--json", stdout=out, stderr=err)
    except SystemExit as ended:
        status = ended.code
    return status, out.getvalue(), err.getvalue()


def test_the_command_needs_no_database_and_answers_on_standard_output(tmp_path):
    file = tmp_path / "file.json"
    file.write_text(json.dumps(FINE))
    status, out, err = run(file)
    assert (status, err) == (0, "")
    assert json.loads(out)["tickets"][0]["response"]["seconds"] == 300


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"now": NaN}',
        '{"now": 1' + "0" * 5000 + "}",
        "[" * 100_000,
        "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
        '{"cases": 7}',
        '{"cases": [{"input": {}}]}',
    ],
)
def test_what_cannot_be_read_ends_with_2_one_line_and_no_output(tmp_path, text):
    status, out, err = answered(tmp_path, text)
    assert (status, out) == (2, "")
    assert len(err.strip().splitlines()) == 1


def test_wrong_input_is_said_on_one_line_that_steers_no_terminal(tmp_path):
    file = changed(["tickets", 0, "source"], "\x1b[2Jfax\n")
    status, out, err = answered(tmp_path, file)
    assert (status, out) == (2, "")
    assert err.startswith("tickets[0].source: ")
    assert "\x1b" not in err


@pytest.mark.parametrize("name", ["/nowhere", "/tmp"])
def test_a_file_that_is_none_is_said(name, capsys):
    with pytest.raises(SystemExit) as ended:
        call_command("sla_replay", name, "--json")
    assert ended.value.code == 2
    assert "cannot be read" in capsys.readouterr().err


def test_a_batch_answers_every_case_and_names_the_wrong_ones(tmp_path):
    cases = [{"name": "a", "input": FINE}, {"name": "b", "input": {"now": "x"}}, {"name": "c"}]
    status, out, err = answered(tmp_path, {"cases": cases})
    told = json.loads(out)["cases"]
    assert (status, err, [each["name"] for each in told]) == (0, "", ["a", "b", "c"])
    assert told[0]["output"]["tickets"]
    assert told[1]["error"]["where"] == "now"
    assert "output" not in told[2]
