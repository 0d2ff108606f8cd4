"""The database's own refusals: no fact is changed or deleted, no row changes its world.

On SQLite a later migration that rebuilds one of these tables drops its triggers with it and must
end with `put_up` again; a test looks for them.
"""

from django.db.backends.base.base import BaseDatabaseWrapper

APPEND_ONLY = ("fleet_event",)
FIXED_WORLD = ("fleet_provider", "fleet_customer")
FACT = "{table}: facts are append-only"
WORLD = "{table}: simulated is fixed at creation"


def put_up(vendor: str) -> list[str]:
    """Statements that create every trigger, for `sqlite` or `postgresql`."""
    made = [sql for table in APPEND_ONLY for sql in append_only(vendor, table)]
    return made + [sql for table in FIXED_WORLD for sql in _fixed_world(vendor, table)]


def take_down(vendor: str) -> list[str]:
    """Statements that drop every trigger again."""
    if vendor == "sqlite":
        return [f"DROP TRIGGER IF EXISTS {name}" for name in names("sqlite")]
    dropped = [
        f"DROP TRIGGER IF EXISTS {name} ON {name.rsplit('_keeps_', 1)[0]}" for name in names(vendor)
    ]
    return [*dropped, _FORGET]


def names(vendor: str) -> list[str]:
    """The names of the triggers."""
    kinds = ("facts_update", "facts_delete") if vendor == "sqlite" else ("facts",)
    facts = [f"{table}_keeps_{kind}" for table in APPEND_ONLY for kind in kinds]
    return facts + [f"{table}_keeps_world" for table in FIXED_WORLD]


def present(connection: BaseDatabaseWrapper) -> set[str]:
    """The names of the triggers this database has."""
    catalogue = (
        "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        if connection.vendor == "sqlite"
        else "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal"
    )
    with connection.cursor() as cursor:
        cursor.execute(catalogue)
        return {row[0] for row in cursor.fetchall()}


def append_only(vendor: str, table: str) -> list[str]:
    """Statements after which the database refuses to change or delete a row of `table`."""
    message = FACT.format(table=table)
    if vendor == "sqlite":
        return [
            f"CREATE TRIGGER {table}_keeps_facts_{act.lower()} BEFORE {act} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{message}'); END"
            for act in ("UPDATE", "DELETE")
        ]
    return [
        _REFUSE,
        f"CREATE TRIGGER {table}_keeps_facts BEFORE UPDATE OR DELETE ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION halfhour_refuse('{message}')",
    ]


def let_change(vendor: str, table: str) -> list[str]:
    """Statements that take `append_only` back."""
    if vendor == "sqlite":
        acts = ("update", "delete")
        return [f"DROP TRIGGER IF EXISTS {table}_keeps_facts_{act}" for act in acts]
    return [f"DROP TRIGGER IF EXISTS {table}_keeps_facts ON {table}"]


def _fixed_world(vendor: str, table: str) -> list[str]:
    message = WORLD.format(table=table)
    head = f"CREATE TRIGGER {table}_keeps_world BEFORE UPDATE OF simulated ON {table} "
    if vendor == "sqlite":
        return [
            f"{head}WHEN OLD.simulated <> NEW.simulated BEGIN SELECT RAISE(ABORT, '{message}'); END"
        ]
    return [
        f"{head}FOR EACH ROW WHEN (OLD.simulated <> NEW.simulated) "
        f"EXECUTE FUNCTION halfhour_refuse('{message}')"
    ]


# Other tables may still be kept by it.
_FORGET = """
DO $$ BEGIN DROP FUNCTION IF EXISTS halfhour_refuse();
EXCEPTION WHEN dependent_objects_still_exist THEN NULL; END $$
"""
_REFUSE = """
CREATE OR REPLACE FUNCTION halfhour_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING MESSAGE = TG_ARGV[0], ERRCODE = 'integrity_constraint_violation';
END $$
"""
