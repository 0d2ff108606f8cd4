"""People: who signs in, for whom they act, and the tokens their programs use."""

from typing import Any, ClassVar

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models
from django.utils.translation import gettext_lazy as _


class Role(models.TextChoices):
    """What a person may see and do; `access.py` reads nothing else about them."""

    OPS = "ops", _("Ops")
    MANAGER = "manager", _("Manager")
    CUSTOMER = "customer", _("Customer")


class Theme(models.TextChoices):
    SYSTEM = "system", _("As the device")
    LIGHT = "light", _("Light")
    DARK = "dark", _("Dark")


class Density(models.TextChoices):
    DENSE = "dense", _("Dense")
    ROOMY = "roomy", _("Roomy")


class UserManager(BaseUserManager["User"]):
    """Makes users by e-mail address."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save()
        return user

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email__iexact=username)


class User(AbstractBaseUser, PermissionsMixin):
    """A person. Language, zone, theme and density change screens only, never figures."""

    email = models.EmailField(unique=True)
    name = models.CharField(max_length=120, blank=True)
    role = models.CharField(max_length=16, choices=Role.choices, default=Role.CUSTOMER)
    language = models.CharField(max_length=16, default="en")
    zone = models.CharField(max_length=64, default="Asia/Shanghai")
    theme = models.CharField(max_length=16, choices=Theme.choices, default=Theme.SYSTEM)
    density = models.CharField(max_length=16, choices=Density.choices, default=Density.DENSE)
    drill_mode = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects: ClassVar[UserManager] = UserManager()

    def __str__(self) -> str:
        return self.name or self.email


class Customer(models.Model):
    """A company or person who rents. `simulated` is fixed at creation, like a provider's."""

    name = models.CharField(max_length=120, unique=True)
    language = models.CharField(max_length=16, default="en")
    zone = models.CharField(max_length=64, default="Asia/Shanghai")
    simulated = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A user acts for a customer."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    customer = models.ForeignKey(Customer, on_delete=models.CASCADE, related_name="memberships")

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["user", "customer"], name="one_membership")
        ]


class ApiToken(models.Model):
    """A program's key to the API. Only its SHA-256 is kept; the secret is shown once."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=80)
    digest = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
