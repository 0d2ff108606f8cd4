"""Facts become incidents, work or a record, once each, and the customer hears from us first."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from diagnostics.findings.models import Finding
from fleet.changes.models import Event
from tests import factories
from tickets.cases import services
from tickets.cases.models import Ticket
from tickets.cases.settle import sweep
from tickets.incidents import pull as pulling
from tickets.incidents.models import Hit, Incident, Receipt, WorkItem


def test_a_fault_becomes_one_incident_however_often_it_is_pulled(site):
    site.fault()
    for _ in range(3):
        site.pull()
    incident = Incident.objects.get()
    assert (incident.state, incident.code, incident.parent) == ("open", "gpu_fallen_off_bus", None)
    assert Event.objects.filter(kind="incident_opened").count() == 1


def test_the_customer_is_told_of_what_hurts_them_and_no_other(site):
    site.fault()
    site.pull()
    ticket = Ticket.objects.get()
    assert (ticket.source, ticket.lease, ticket.code) == ("alert", site.lease, "gpu_fallen_off_bus")
    assert (ticket.klass, ticket.response_state) == ("complex", "in_flight")
    assert ticket.start_at == site.now
    assert Hit.objects.get().ticket == ticket


def test_a_fault_of_the_node_tells_everybody_on_it(site):
    site.fault("driver_hung", card=None)
    site.pull()
    assert set(Ticket.objects.values_list("lease", flat=True)) == {site.lease.pk, site.other.pk}


def test_daytime_work_opens_no_incident_and_no_ticket(site):
    finding = site.fault("pcie_width_degraded", opens="worklist")
    site.pull()
    assert not Incident.objects.exists()
    assert not Ticket.objects.exists()
    assert WorkItem.objects.get().state == "open"
    site.mend(finding)
    site.pull()
    item = WorkItem.objects.get()
    assert (item.state, item.done_at) == ("done", site.now)


def test_a_card_that_nobody_rents_waits_for_day(site):
    site.fault(card=2)
    site.pull()
    assert not Incident.objects.exists()
    assert not Ticket.objects.exists()
    assert WorkItem.objects.exists()


def test_what_is_only_recorded_opens_nothing(site):
    site.fault("disk_almost_full", card=None, opens="record")
    site.pull()
    assert Receipt.objects.count() == 1
    assert [model.objects.count() for model in (Incident, WorkItem, Ticket)] == [0, 0, 0]


def test_what_came_and_went_unseen_opens_nothing(site):
    site.mend(site.fault())
    site.pull()
    assert Receipt.objects.get().cleared
    assert not Incident.objects.exists()


def test_a_consequence_is_part_of_the_incident_of_its_root(site):
    root = site.fault("driver_hung", card=None)
    site.fault("port_unreachable", card=None, target="path:1", root=root)
    site.pull()
    assert Incident.objects.get().receipts.count() == 2


def test_a_root_that_was_daytime_work_is_an_incident_once_it_has_a_consequence_that_is(site):
    root = site.fault("pcie_width_degraded", opens="worklist")
    site.pull()
    site.fault(root=root)
    site.pull()
    assert Incident.objects.get().finding == root


def test_an_incident_found_to_be_a_consequence_goes_under_its_root(site):
    port = site.fault("port_unreachable", card=None, target="path:1", lease=site.lease)
    site.pull()
    root = site.fault("driver_hung", card=None)
    Finding.objects.filter(pk=port.pk).update(root=root)
    site.pull()
    below, above = Incident.objects.get(code="port_unreachable"), Incident.objects.get(finding=root)
    assert below.parent == above
    site.mend(root)
    Finding.objects.filter(pk=port.pk).update(root=None)
    site.pull()
    below.refresh_from_db()
    assert below.parent is None


def test_an_incident_recovers_only_when_all_of_it_is_clear(site):
    root = site.fault("driver_hung", card=None)
    port = site.fault("port_unreachable", card=None, target="path:1", root=root)
    site.pull()
    site.mend(root)
    site.pull()
    assert Incident.objects.get().state == "open"
    site.after(minutes=2)
    site.mend(port)
    site.pull()
    incident = Incident.objects.get()
    assert (incident.state, incident.recovered_at) == ("recovered", site.now)


def test_a_recovery_before_any_answer_resolves_the_ticket_by_itself(site):
    finding = site.fault()
    site.pull()
    site.after(minutes=9)
    site.mend(finding)
    site.pull()
    ticket = Ticket.objects.get()
    assert (ticket.state, ticket.response_state) == ("resolved", "excluded")
    assert (ticket.resolution_state, ticket.resolution_at) == ("met", site.now)


def test_a_fault_that_is_soon_back_is_the_same_incident_and_the_same_ticket(site):
    finding = site.fault()
    site.pull()
    site.after(minutes=9)
    site.mend(finding)
    site.pull()
    site.after(minutes=14)
    site.fault()
    site.pull()
    incident, ticket = Incident.objects.get(), Ticket.objects.get()
    assert (incident.state, incident.episodes, incident.recovered_at) == ("open", 2, None)
    assert (ticket.state, ticket.response_state) == ("open", "in_flight")


def test_a_fault_that_is_back_much_later_is_a_new_one(site):
    finding = site.fault()
    site.pull()
    site.mend(finding)
    site.pull()
    site.after(minutes=16)
    site.fault()
    site.pull()
    assert Incident.objects.count() == 2
    assert Ticket.objects.count() == 2


def test_a_customer_who_told_us_first_gets_no_second_ticket(site):
    own = factories.make_ticket(lease=site.lease, code="gpu_fallen_off_bus")
    site.fault()
    site.pull()
    assert Ticket.objects.get() == own
    assert Hit.objects.get().ticket == own


def test_the_recovery_of_the_host_does_not_resolve_the_customers_own_ticket(site):
    own = factories.make_ticket(lease=site.lease, code="gpu_fallen_off_bus")
    finding = site.fault()
    site.pull()
    site.mend(finding)
    site.pull()
    own.refresh_from_db()
    assert own.state == "open"


def test_an_answer_to_a_ticket_of_ours_is_an_answer(site, make_user):
    site.fault()
    site.pull()
    ticket = Ticket.objects.get()
    site.after(minutes=10)
    services.answer(ticket, body="We are moving you.", actor=make_user("ops"))
    site.after(hours=2)
    sweep(site.now)
    ticket.refresh_from_db()
    assert (ticket.response_state, ticket.resolution_state) == ("met", "breached")


def test_a_fact_that_cannot_be_taken_keeps_no_other_waiting(site, monkeypatch):
    site.fault()
    site.fault("driver_hung", card=None)
    real = pulling.open_incident

    def broken(finding, now):
        if finding.gpu_id:
            raise RuntimeError("bad")
        return real(finding, now)

    monkeypatch.setattr(pulling, "open_incident", broken)
    site.pull()
    assert Incident.objects.get().code == "driver_hung"
    monkeypatch.undo()


def test_rows_that_become_visible_out_of_order_are_not_lost(site):
    late = site.fault(card=1)
    numbers = {"pk": late.pk}
    site.fault(card=0)
    late.delete()
    site.pull()
    site.fault(card=1, **numbers)
    site.pull()
    assert Incident.objects.filter(scope="target").count() == 2


def test_nothing_new_costs_the_same_few_queries_at_any_size(site):
    costs = []
    for code in ("driver_hung", "disk_full", "fs_read_only"):
        site.fault(code, card=None)
        site.pull()
        with CaptureQueriesContext(connection) as queries:
            site.pull()
        costs.append(len(queries))
    assert max(costs) <= 9
    assert costs[1] == costs[2]


@pytest.mark.parametrize("state", ["planned", "ended"])
def test_a_lease_that_does_not_run_is_not_told(site, state):
    type(site.lease).objects.filter(pk=site.lease.pk).update(state=state)
    site.fault()
    site.pull()
    assert not Ticket.objects.exists()
