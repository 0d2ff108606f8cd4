"""Worst first: the order of severities and of what a fault opens, as SQL."""

from django.db.models import Case, IntegerField, Value, When

ORDERS = {
    "severity": ("critical", "high", "medium", "low", "info"),
    "opens": ("incident", "worklist", "record"),
    "verdict": ("fail", "warn", "unknown", "ok"),
}


def rank(kind: str, field: str = "") -> Case:
    """0 for the worst of this kind, and so on; what is unheard of comes last."""
    order = ORDERS[kind]
    whens = [When(**{field or kind: word}, then=Value(place)) for place, word in enumerate(order)]
    return Case(*whens, default=Value(len(whens)), output_field=IntegerField())
