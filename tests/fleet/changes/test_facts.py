"""Facts stay, and no row changes its world: the database itself refuses."""

import importlib

import pytest
from django.apps import apps
from django.db import DatabaseError, connection, transaction

from fleet.changes.errors import NotAllowed, StaleState
from fleet.changes.models import Event
from fleet.changes.services import record
from fleet.changes.triggers import names, present
from fleet.inventory.models import Node, Provider
from fleet.inventory.services import move_node
from fleet.people.models import Customer


def refused(act):
    with pytest.raises(DatabaseError), transaction.atomic():
        act()


def test_a_fact_cannot_be_changed(db):
    fact = record(kind="node_added")
    refused(lambda: Event.objects.filter(pk=fact.pk).update(kind="forged"))
    assert Event.objects.get().kind == "node_added"


def test_a_fact_cannot_be_deleted(db):
    record(kind="node_added")
    refused(lambda: Event.objects.all().delete())
    assert Event.objects.count() == 1


@pytest.mark.parametrize("model", [Provider, Customer])
def test_nothing_moves_between_the_drill_and_the_real_world(db, model):
    row = model.objects.create(name="one", simulated=True)
    refused(lambda: model.objects.filter(pk=row.pk).update(simulated=False))
    row.name = "other"
    row.save()
    assert model.objects.get() == row
    assert model.objects.get().simulated


def test_every_trigger_stands_after_all_migrations(db):
    assert set(names(connection.vendor)) <= present(connection)


def test_the_triggers_can_be_taken_down_and_put_up_again(transactional_db):
    migration = importlib.import_module("fleet.migrations.0003_append_only_facts")
    with connection.schema_editor() as editor:
        migration.backwards(apps, editor)
    assert not set(names(connection.vendor)) & present(connection)
    fact = record(kind="node_added")
    Event.objects.filter(pk=fact.pk).delete()
    with connection.schema_editor() as editor:
        migration.forwards(apps, editor)
    assert set(names(connection.vendor)) <= present(connection)


def test_tables_of_facts_are_emptied_between_transactional_tests(transactional_db):
    assert not Event.objects.exists()
    assert set(names(connection.vendor)) <= present(connection)


def test_a_fact_of_a_card_names_the_node_it_sat_in(make_gpu):
    gpu = make_gpu()
    fact = record(kind="gpu_moved", gpu=gpu)
    assert (fact.node_id, fact.gpu_id) == (gpu.node_id, gpu.pk)


def test_a_move_the_table_lacks_is_refused(make_node):
    with pytest.raises(NotAllowed):
        move_node(node=make_node(state="active"), to="enrolling")
    assert not Event.objects.exists()


def test_a_move_from_a_state_that_has_passed_is_stale(make_node):
    node = make_node(state="active")
    seen_by_another = Node.objects.get(pk=node.pk)
    move_node(node=node, to="quarantined")
    with pytest.raises(StaleState):
        move_node(node=seen_by_another, to="quarantined")
    assert [fact.data["to"] for fact in Event.objects.all()] == ["quarantined"]
