"""The providers and regions a node list names; new ones are made, and told in the report."""

from zlib import crc32

from django.utils.text import slugify
from django.utils.translation import gettext as _

from fleet.changes.errors import Refused
from fleet.changes.services import record
from fleet.inventory.models import Provider, Region
from fleet.people.models import User

LONGEST = 80


class Places:
    """Finds or makes providers and regions, and knows which rows that stand brought new ones."""

    def __init__(self, actor: User | None) -> None:
        self._actor = actor
        self._kept: dict[str, set[str]] = {"provider": set(), "region": set()}
        self._row: list[tuple[str, str]] = []

    def begin(self) -> None:
        """A row starts; what a refused row made is undone with it."""
        self._row = []

    def keep(self) -> None:
        """The row stands."""
        for kind, name in self._row:
            self._kept[kind].add(name)

    def notes(self) -> list[str]:
        """One sentence per kind of new thing."""
        sentences = {
            "provider": _("New providers: %(names)s."),
            "region": _("New regions: %(names)s."),
        }
        return [
            sentences[kind] % {"names": ", ".join(sorted(names))}
            for kind, names in self._kept.items()
            if names
        ]

    def provider(self, name: str) -> Provider:
        """Raises Refused for no name and for a provider of the drill."""
        if not name:
            text = _("Name a provider in this column, or one for the whole file.")
            raise Refused({"provider": text})
        found = Provider.objects.filter(name=name).first()
        if found is None:
            _check_length("provider", name)
            found = Provider.objects.create(name=name)
            record(kind="provider_added", actor=self._actor, data={"provider": found.pk})
            self._row.append(("provider", name))
        if found.simulated:
            raise Refused({"provider": _("This provider belongs to the drill.")})
        return found

    def region(self, name: str) -> Region:
        """By code or by name. Raises Refused for no name."""
        if not name:
            raise Refused({"region": _("Name a region in this column, or one for the whole file.")})
        found = Region.objects.filter(code=name).first() or Region.objects.filter(name=name).first()
        if found is not None:
            return found
        _check_length("region", name)
        code = slugify(name)[:40] or f"r-{crc32(name.encode()):08x}"
        region, made = Region.objects.get_or_create(code=code, defaults={"name": name})
        if made:
            record(kind="region_added", actor=self._actor, data={"region": region.pk})
            self._row.append(("region", name))
        return region


def _check_length(field: str, name: str) -> None:
    if len(name) > LONGEST:
        raise Refused({field: _("This is longer than %(most)d characters.") % {"most": LONGEST}})
