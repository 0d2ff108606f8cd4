"""What people change about themselves."""

from fleet.people.models import User


def choose_language(*, user: User, language: str) -> None:
    """Write down the language this person reads in."""
    User.objects.filter(pk=user.pk).update(language=language)
    user.language = language


def choose_theme(*, user: User, theme: str) -> None:
    """Write down whether this person reads light, dark, or as their device does."""
    User.objects.filter(pk=user.pk).update(theme=theme)
    user.theme = theme
