"""The form that takes a list of nodes."""

from typing import Any

from django import forms
from django.core.files.base import File
from django.utils.translation import gettext_lazy as _

from fleet.changes.errors import Refused
from fleet.inventory.importing.drafts import keep_draft
from fleet.inventory.importing.table import LARGEST, BadFile, decode
from fleet.inventory.models import ImportDraft
from fleet.people.models import User


class ImportForm(forms.Form):
    """A file or pasted lines, and what serves rows that do not say."""

    file = forms.FileField(
        label=_("File"),
        required=False,
        help_text=_("A CSV table (UTF-8 or GBK) or an OpenSSH ssh_config, at most 5 MB."),
    )
    text = forms.CharField(
        label=_("Or paste it here"),
        required=False,
        strip=False,
        max_length=LARGEST,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
    )
    provider = forms.CharField(
        label=_("Provider for rows that name none"), required=False, max_length=80
    )
    region = forms.CharField(
        label=_("Region for rows that name none"), required=False, max_length=80
    )
    all_or_nothing = forms.BooleanField(
        label=_("Write nothing unless every row can be written"), required=False
    )

    def clean(self) -> dict[str, Any]:
        """Read the file, or what was pasted, as text."""
        cleaned = super().clean() or {}
        file: File[bytes] | None = cleaned.get("file")
        try:
            if file is not None:
                cleaned["text"] = decode(file.read(LARGEST + 1))
        except BadFile as bad:
            raise forms.ValidationError(str(bad)) from bad
        if not str(cleaned.get("text") or "").strip():
            raise forms.ValidationError(_("Choose a file or paste a list."))
        return cleaned

    def keep(self, user: User) -> ImportDraft | None:
        """Keep the list for the look before the import; None (and an error) when unreadable."""
        cleaned = self.cleaned_data
        try:
            return keep_draft(
                user=user,
                text=cleaned["text"],
                provider=cleaned["provider"].strip(),
                region=cleaned["region"].strip(),
                all_or_nothing=cleaned["all_or_nothing"],
            )
        except Refused as refused:
            self.add_error(None, str(refused))
            return None
