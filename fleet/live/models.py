"""The version of each live region, kept in the database so that a lost broker loses nothing."""

from django.db import models


class LiveVersion(models.Model):
    """`region` is a name such as `board` or `node:17`; `version` grows with each change."""

    region = models.CharField(max_length=80, unique=True)
    version = models.PositiveBigIntegerField(default=0)
