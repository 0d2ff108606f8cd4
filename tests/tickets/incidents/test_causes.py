"""One cause is one incident: cards of a rack, hosts of a PDU, and our own failed view."""

from datetime import timedelta

import pytest

from diagnostics.examine import blackout
from diagnostics.examine.models import Blackout
from fleet.changes.errors import Refused
from tests import factories
from tickets.cases.models import Ticket
from tickets.incidents import placing, services
from tickets.incidents.models import Incident
from tickets.incidents.queries import hits_of


def heads():
    """What the board counts: live, and part of nothing."""
    return list(Incident.objects.filter(state="open", parent=None))


@pytest.fixture
def rack(site):
    """Three hosts of four cards in one rack, all rented by different customers."""
    place = {"provider": site.node.provider, "region": site.node.region}
    where = {"room": "A", "rack": "R3", "pdu": "P1", "uplink": "U1"}
    site.nodes = [factories.make_node(gpus=4, **place, **where) for _ in range(3)]
    for node in site.nodes:
        factories.make_lease(node=node, gpus=list(node.gpus.all()))
    return site


def hot(site):
    return [
        factories.make_finding(
            node=node,
            gpu=gpu,
            target=f"gpu:{gpu.uuid}",
            code="thermal_throttling",
            opens="incident",
            opened_at=site.now,
            last_seen_at=site.now,
        )
        for node in site.nodes
        for gpu in node.gpus.all()
    ]


def silent(site, nodes):
    return [
        factories.make_finding(
            node=node,
            target="node",
            code="node_unreachable",
            opens="incident",
            severity="critical",
            opened_at=site.now,
            last_seen_at=site.now,
        )
        for node in nodes
    ]


def test_twelve_hot_cards_of_one_rack_are_one_incident(rack):
    found = hot(rack)
    rack.pull()
    (head,) = heads()
    assert (head.scope, head.code, head.children.count()) == ("rack", "thermal_throttling", 12)
    assert head.place.endswith("A · R3")
    assert head.finding in found
    assert Ticket.objects.count() == 3
    assert len(hits_of(head)) == 3


def test_the_one_incident_ends_with_the_last_card(rack):
    found = hot(rack)
    rack.pull()
    for finding in found[1:]:
        rack.mend(finding)
    rack.pull()
    (head,) = heads()
    rack.after(minutes=1)
    rack.mend(found[0])
    rack.pull()
    head.refresh_from_db()
    assert (head.state, head.recovered_at) == ("recovered", rack.now)
    assert heads() == []


def test_cards_that_come_one_after_the_other_join(rack):
    found = hot(rack)
    for late in found[1:]:
        late.delete()
    rack.pull()
    assert [head.scope for head in heads()] == ["target"]
    factories.make_finding(
        node=rack.nodes[0],
        gpu=rack.nodes[0].gpus.last(),
        target=f"gpu:{rack.nodes[0].gpus.last().uuid}",
        code="thermal_throttling",
        opens="incident",
        opened_at=rack.now,
        last_seen_at=rack.now,
    )
    rack.pull()
    assert [head.scope for head in heads()] == ["node"]
    services.take(heads()[0], actor=factories.make_user("ops"))
    gpu = rack.nodes[1].gpus.first()
    factories.make_finding(
        node=rack.nodes[1],
        gpu=gpu,
        target=f"gpu:{gpu.uuid}",
        code="thermal_throttling",
        opens="incident",
        opened_at=rack.now,
        last_seen_at=rack.now,
    )
    rack.pull()
    (head,) = heads()
    assert (head.scope, head.children.filter(state="open").count()) == ("rack", 3)
    assert head.owner is not None


def test_a_cause_that_is_soon_back_is_the_same(rack):
    found = hot(rack)
    rack.pull()
    (head,) = heads()
    for finding in found:
        rack.mend(finding)
    rack.pull()
    rack.after(minutes=5)
    hot(rack)
    rack.pull()
    (again,) = heads()
    assert (again.pk, again.episodes) == (head.pk, 2)


def test_one_text_reaches_each_ticket_of_the_cause_once(rack):
    hot(rack)
    rack.pull()
    (head,) = heads()
    told = services.tell_all(head, body="We are cooling it.", actor=factories.make_user("ops"))
    assert len(told) == len({ticket.pk for ticket in told}) == 3
    assert set(Ticket.objects.values_list("response_state", flat=True)) == {"met"}


def test_a_host_that_falls_silent_waits_half_a_minute_for_others(site):
    silent(site, [site.node])
    site.pull()
    assert not Incident.objects.exists()
    site.after(seconds=30)
    site.pull()
    assert [head.code for head in heads()] == ["node_unreachable"]
    assert Ticket.objects.count() == 2


def doubt(site):
    return Blackout.objects.create(
        simulated=False,
        node=site.node,
        opened_at=site.now,
        held_at=site.now,
        silent=12,
        asked=24,
    )


def test_half_a_fleet_cut_off_is_one_incident_about_ourselves(rack):
    silent(rack, rack.nodes[:2])  # the first two, before there was reason to doubt
    rack.after(seconds=15)
    doubt(rack)
    for _ in range(4):
        rack.pull()
        rack.after(seconds=15)
    (head,) = heads()
    assert (head.scope, head.children.count()) == ("ourselves", 2)
    assert not Ticket.objects.exists()


def test_hosts_accused_just_before_are_taken_under_it(rack):
    silent(rack, rack.nodes[:2])
    rack.after(seconds=31)
    rack.pull()
    doubt(rack)
    rack.pull()
    (head,) = heads()
    assert (head.scope, head.children.count()) == ("ourselves", 2)


def test_when_we_see_again_a_host_that_is_still_silent_is_accused_by_itself(rack):
    silent(rack, rack.nodes[:1])
    doubt(rack)
    rack.after(minutes=1)
    rack.pull()
    assert not Ticket.objects.exists()
    rack.after(minutes=5)
    assert blackout.end_quiet(rack.now) == 1
    rack.pull()
    (head,) = heads()
    assert (head.scope, head.code) == ("target", "node_unreachable")
    assert Ticket.objects.count() == 1


def test_a_second_doubt_soon_after_is_the_same_incident(rack):
    doubt(rack)
    rack.pull()
    rack.after(minutes=3)
    blackout.end_quiet(rack.now)
    rack.pull()
    assert heads() == []
    rack.after(minutes=5)
    doubt(rack)
    rack.pull()
    (head,) = heads()
    assert head.episodes == 2


@pytest.fixture
def two(site):
    site.fault("disk_full", card=None)
    site.fault("fs_read_only", card=None, target="volume")
    site.pull()
    return Incident.objects.order_by("pk")


def test_what_a_person_merged_stays_and_ends_with_the_last(site, two):
    into, moved = two
    ops = factories.make_user("ops")
    placing.merge(moved, into=into, actor=ops)
    site.pull()
    assert heads() == [into]
    site.mend(into.finding)
    site.pull()
    assert heads() == [into]
    site.mend(moved.finding)
    site.pull()
    assert heads() == []


def test_what_a_person_split_off_stays_out(rack):
    hot(rack)
    rack.pull()
    child = heads()[0].children.first()
    placing.split(child, actor=factories.make_user("ops"))
    rack.pull()
    assert child in heads()
    assert len(heads()) == 2


def test_merges_that_make_no_sense_are_refused(site, two):
    into, moved = two
    ops = factories.make_user("ops")
    third = factories.make_incident(node=site.node, code="clock_skew", opened_at=site.now)
    far = factories.make_incident(node=factories.make_node(simulated=True), code="disk_full")
    for row, target in ((into, into), (moved, far)):
        with pytest.raises(Refused):
            placing.merge(row, into=target, actor=ops)
    placing.merge(moved, into=into, actor=ops)
    for row, target in ((third, moved), (into, third)):
        row.refresh_from_db()
        target.refresh_from_db()
        with pytest.raises(Refused):
            placing.merge(row, into=target, actor=ops)


def test_an_incident_opened_again_by_hand_is_closed_by_hand(site):
    finding = site.fault("disk_full", card=None)
    site.pull()
    ops = factories.make_user("ops")
    row = Incident.objects.get()
    with pytest.raises(Refused):
        placing.close(row, actor=ops)
    site.mend(finding)
    site.after(hours=1)
    site.pull()
    row.refresh_from_db()
    placing.reopen(row, actor=ops)
    site.after(minutes=1)
    site.pull()
    assert heads() == [row]
    placing.close(row, actor=ops)
    assert row.recovered_at == site.now
    assert heads() == []


def test_an_old_incident_does_not_come_back_beside_a_newer_one(site):
    finding = site.fault("disk_full", card=None)
    site.pull()
    site.mend(finding)
    site.pull()
    old = Incident.objects.get()
    site.after(minutes=int(timedelta(hours=2).total_seconds() // 60))
    site.fault("disk_full", card=None)
    site.pull()
    with pytest.raises(Refused):
        placing.reopen(old, actor=factories.make_user("ops"))
