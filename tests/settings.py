"""Settings for the tests: the real ones, with a key, a file database and a private data folder."""

import os
import tempfile

os.environ.setdefault("SECRET_KEY", "tests-only")
os.environ.setdefault("HALFHOUR_KEYS", "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=")
os.environ.setdefault("HALFHOUR_DATA", tempfile.mkdtemp(prefix="halfhour-tests-"))

from config.settings import *  # noqa: F403
from config.settings import DATA_DIR, DATABASES, STORAGES

DATABASES["default"].setdefault("TEST", {})["NAME"] = (
    str(DATA_DIR / "test.sqlite3")
    if DATABASES["default"]["ENGINE"].endswith("sqlite3")
    else "halfhour_test"
)
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# No manifest: a page that is rendered in a test needs no collected files.
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
