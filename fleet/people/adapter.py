"""How allauth behaves here: accounts are given by staff, never opened by a stranger."""

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class AccountAdapter(DefaultAccountAdapter):
    """Sign-up is closed; everything else is allauth's own."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False
