"""An import in two steps: look at what it would do, then do it. The list waits in the database."""

import json
from datetime import timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from fleet.inventory.importing.columns import COLUMNS, REQUIRED
from fleet.inventory.importing.nodes import Wish, import_csv, import_ssh_config
from fleet.inventory.importing.report import Report
from fleet.inventory.importing.table import BadFile, read_table
from fleet.inventory.models import ImportDraft
from fleet.people.models import User

KEPT_FOR = timedelta(days=1)
MOST_LINES = 600  # what a web request may take on; longer lists go by command
CSV, SSH_CONFIG = "csv", "ssh_config"


def kind_of(text: str) -> str:
    """A list that starts with ssh_config's words is one; everything else is a table."""
    for line in text.lstrip("\ufeff").splitlines():
        words = line.replace("=", " ").split()
        if words and not words[0].startswith("#"):
            return SSH_CONFIG if words[0].lower() in {"host", "match", "include"} else CSV
    return CSV


def keep_draft(
    *, user: User, text: str, provider: str, region: str, all_or_nothing: bool
) -> ImportDraft:
    """Keep a list until it is imported, a day at most.

    Raises BadFile for one that is too long for a page or cannot be read.
    """
    if text.count("\n") > MOST_LINES:
        raise BadFile(
            _("The list has more than 600 lines. Import it with the command import_nodes.")
        )
    ImportDraft.objects.filter(created_at__lt=timezone.now() - KEPT_FOR).delete()
    draft = ImportDraft(
        user=user,
        kind=kind_of(text),
        text=text,
        provider=provider,
        region=region,
        all_or_nothing=all_or_nothing,
    )
    if draft.kind == CSV:
        read_table(text, columns=COLUMNS, required=REQUIRED)
    draft.save()
    return draft


def preview(draft: ImportDraft) -> Report:
    """What importing it now would do. Raises BadFile."""
    return run(kind=draft.kind, text=draft.text, wish=_wish(draft, dry_run=True))


def import_draft(draft: ImportDraft) -> None:
    """Import it, once: a second press finds it done."""
    now = timezone.now()
    if not ImportDraft.objects.filter(pk=draft.pk, done_at=None).update(done_at=now):
        return
    report = run(kind=draft.kind, text=draft.text, wish=_wish(draft, dry_run=False))
    draft.report = json.loads(json.dumps(report.as_dict()))
    draft.save(update_fields=["report"])


def run(*, kind: str, text: str, wish: Wish) -> Report:
    """Import a list of either kind."""
    return import_ssh_config(text, wish) if kind == SSH_CONFIG else import_csv(text, wish)


def _wish(draft: ImportDraft, *, dry_run: bool) -> Wish:
    return Wish(
        provider=draft.provider,
        region=draft.region,
        dry_run=dry_run,
        all_or_nothing=draft.all_or_nothing,
        actor=draft.user,
    )
