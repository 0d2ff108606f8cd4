"""Pages of the API's lists: `?limit=100&offset=0` gives `{"items": [...], "count": N}`."""

from ninja import Field, Schema
from ninja.pagination import LimitOffsetPagination

MOST = 500


class Pages(LimitOffsetPagination):
    """At most 500 items a page, 100 if not said."""

    class Input(Schema):
        """What the caller may say."""

        limit: int = Field(100, ge=1, le=MOST)
        offset: int = Field(0, ge=0, le=2**31)
