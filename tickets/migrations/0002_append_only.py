"""The database itself refuses to change what tickets rely on."""

from django.db import migrations

from fleet.changes.triggers import append_only, let_change

TABLES = ("tickets_ticketevent", "tickets_outcome", "tickets_policyversion")


def forwards(apps, schema_editor):
    for table in TABLES:
        for statement in append_only(schema_editor.connection.vendor, table):
            schema_editor.execute(statement)


def backwards(apps, schema_editor):
    for table in TABLES:
        for statement in let_change(schema_editor.connection.vendor, table):
            schema_editor.execute(statement)


class Migration(migrations.Migration):

    dependencies = [("tickets", "0001_promise"), ("fleet", "0004_import_draft")]

    operations = [migrations.RunPython(forwards, backwards)]
