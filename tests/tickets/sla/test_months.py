"""Which month a clock belongs to, and percentiles, by worked examples."""

from tests.tickets.sla.story import ask, reply, solve, ticket, told

MONTH_END = (
    ticket(
        reply("2026-04-01T00:10:00Z"),
        solve("2026-04-01T01:00:00Z"),
        name="n29",
        start="2026-03-31T23:50:00Z",
    ),
    ticket(
        reply("2026-04-01T00:10:00Z"),
        solve("2026-04-01T00:40:00Z"),
        name="n30",
        start="2026-03-31T23:20:00Z",
    ),
    ticket(name="n31", start="2026-04-30T23:45:00Z"),
    ticket(reply("2026-04-30T20:10:00Z"), name="n32", start="2026-04-30T20:00:00Z"),
    ticket(ask("2026-04-30T22:15:00Z"), name="n33", start="2026-04-30T22:00:00Z"),
)


def month(begin, end, now):
    asked = {"from": begin, "to": end, "zone": "UTC"}
    return told(*MONTH_END, now=now, report=asked)["report"]


def test_a_clock_belongs_to_the_month_of_its_decision():
    march = month("2026-03-01", "2026-04-01", "2026-04-04T00:00:00Z")
    assert march["status"] == "frozen"
    overall = march["response"]["overall"]
    assert (overall["attainment"], overall["n"]) == ("0.00", 1)
    assert march["resolution"]["overall"]["attainment"] == "n/a"
    april = month("2026-04-01", "2026-05-01", "2026-05-01T00:00:00Z")
    assert april["status"] == "provisional"
    overall = april["response"]["overall"]
    assert (overall["attainment"], overall["n"], overall["in_flight"]) == ("100.00", 3, 1)
    overall = april["resolution"]["overall"]
    assert (overall["attainment"], overall["n"], overall["in_flight"]) == ("66.66", 3, 2)
    assert overall["open_breached"] == [{"ticket": "n32", "seconds": 14400}]


def test_percentiles_are_tickets_and_not_means():
    lengths = (3, 4, 5, 6, 7, 8, 9, 10, 20, 100)
    tickets = [
        ticket(solve(f"{10 + long // 60}:{long % 60:02d}"), name=f"t{long}") for long in lengths
    ]
    asked = {"from": "2026-04-01", "to": "2026-05-01", "zone": "UTC"}
    block = told(*tickets, report=asked)["report"]["resolution"]["overall"]
    assert [block[name] / 60 for name in ("p50", "p90", "p95", "max")] == [7, 20, 100, 100]
    assert block["small_sample"]
