"""The orders of a drill."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from fleet.inventory.models import Node
from fleet.simulator.faults import FAULTS

MOST_CARDS = 8


class InjectForm(forms.Form):
    """Which fault, on which node, on which of its cards."""

    node = forms.ChoiceField(label=_("Node"))
    fault = forms.ChoiceField(
        label=_("Fault"), choices=lambda: [(kind.name, kind.title) for kind in FAULTS.values()]
    )
    gpu = forms.ChoiceField(
        label=_("Card"),
        required=False,
        choices=lambda: [
            ("", _("Choose for me, a rented one first")),
            *((str(index), _("Card %(index)d") % {"index": index}) for index in range(MOST_CARDS)),
        ],
        help_text=_("Counts only for faults of a card."),
    )

    def __init__(self, *args: Any, nodes: Iterable[Node], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = [(node.name, f"{node.name} · {node.region.name}") for node in nodes]
        self.fields["node"].choices = names  # type: ignore[attr-defined]


class ClearForm(forms.Form):
    """Which node is made well; of one fault, or of all."""

    node = forms.ChoiceField()
    fault = forms.CharField(required=False, max_length=40)

    def __init__(self, *args: Any, nodes: Iterable[Node], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["node"].choices = [(node.name, node.name) for node in nodes]  # type: ignore[attr-defined]
