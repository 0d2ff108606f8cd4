"""What the frame of every page needs to know of its reader (a template context processor)."""

from dataclasses import dataclass

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import get_language

from fleet.access import in_drill, is_ops, is_person, is_staff
from fleet.people.formats import zone_label
from fleet.people.models import Density, Theme


@dataclass(frozen=True, slots=True)
class Page:
    """The reader, as the frame draws them."""

    signed_in: bool
    staff: bool
    ops: bool
    drill: bool
    name: str
    theme: str
    density: str
    language: str
    zone: str
    here: str


def page(request: HttpRequest) -> dict[str, Page]:
    """Adds `page`. Works for errors raised before anybody was recognised."""
    user = getattr(request, "user", None)
    person = user if user is not None and is_person(user) else None
    return {
        "page": Page(
            signed_in=person is not None,
            staff=person is not None and is_staff(person),
            ops=person is not None and is_ops(person),
            drill=person is not None and in_drill(person),
            name=str(person) if person else "",
            theme=person.theme if person else Theme.SYSTEM,
            density=person.density if person else Density.DENSE,
            language=get_language() or "en",
            zone=zone_label(timezone.get_current_timezone_name()),
            here=request.get_full_path() if request.method == "GET" else "/",
        )
    }
