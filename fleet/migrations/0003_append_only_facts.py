"""The database itself refuses to change a fact or a row's world."""

from django.db import migrations

from fleet.changes.triggers import put_up, take_down


def forwards(apps, schema_editor):
    for statement in put_up(schema_editor.connection.vendor):
        schema_editor.execute(statement)


def backwards(apps, schema_editor):
    for statement in take_down(schema_editor.connection.vendor):
        schema_editor.execute(statement)


class Migration(migrations.Migration):

    dependencies = [("fleet", "0002_key_scan")]

    operations = [migrations.RunPython(forwards, backwards)]
