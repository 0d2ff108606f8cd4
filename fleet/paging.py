"""Lists of the API: `?limit=100&offset=0` gives `{"items": [...], "count": N}`."""

from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Field, Schema
from ninja.pagination import LimitOffsetPagination

from fleet.changes.errors import Refused

MOST = 500


class Pages(LimitOffsetPagination):
    """At most 500 items a page, 100 if not said."""

    class Input(Schema):
        """What the caller may say."""

        limit: int = Field(100, ge=1, le=MOST)
        offset: int = Field(0, ge=0, le=2**31)


def wanted(request: HttpRequest, only: Schema) -> dict[str, Any]:
    """What `only` asks for. Raises Refused for a parameter that is none of it: a word that was
    misspelt would otherwise be answered with everything.
    """
    known = {*type(only).model_fields, *Pages.Input.model_fields}
    strange = set(request.GET) - known
    if strange:
        names = ", ".join(sorted(known))
        text = _("There is no such parameter. There are: %(names)s.") % {"names": names}
        raise Refused(dict.fromkeys(sorted(strange), text))
    return only.dict(exclude_none=True)
