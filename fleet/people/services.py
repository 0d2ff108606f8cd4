"""What people change about themselves."""

from fleet.people.models import User


def choose_language(*, user: User, language: str) -> None:
    """Write down the language this person reads in."""
    User.objects.filter(pk=user.pk).update(language=language)
    user.language = language


def choose_drill(*, user: User, drill_mode: bool) -> None:
    """Write down whether this person works on the simulated fleet or on the real one."""
    User.objects.filter(pk=user.pk).update(drill_mode=drill_mode)
    user.drill_mode = drill_mode


def choose_theme(*, user: User, theme: str) -> None:
    """Write down whether this person reads light, dark, or as their device does."""
    User.objects.filter(pk=user.pk).update(theme=theme)
    user.theme = theme
