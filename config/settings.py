"""Django settings, read once from the environment (see docs/settings.md)."""

from typing import Any

from config import env
from config.databases import database
from config.log import logging

BASE_DIR = env.BASE_DIR
DATA_DIR = env.data_dir()
VERSION = (BASE_DIR / "CHANGELOG.md").read_text(encoding="utf-8").split("## ", 1)[1].split()[0]

DEBUG = False
DEMO = env.flag("HALFHOUR_DEMO", False)
SECRET_KEY = env.text("SECRET_KEY", "")
SECRET_KEY_FALLBACKS = env.words("SECRET_KEY_FALLBACKS", "")
HALFHOUR_KEYS = env.words("HALFHOUR_KEYS", "")
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", "127.0.0.1,localhost")
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS", "")
EXAMINERS = env.number("HALFHOUR_EXAMINERS", 2)
EXAMINER_THREADS = env.number("HALFHOUR_EXAMINER_THREADS", 32)
# host:port that answer whenever our own network is good; other nodes serve if none is named
CONTROL_HOSTS = env.addresses("HALFHOUR_CONTROL_HOSTS", "")
METRICS_TOKEN = env.text("HALFHOUR_METRICS_TOKEN", "")

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",
    "django.contrib.staticfiles",
    "django_htmx",
    "lucide",
    "allauth",
    "allauth.account",
    "fleet",
    "diagnostics",
    "tickets",
    "config",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "config.middleware.ContentSecurityPolicy",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    # Synchronous and last: so the whole chain runs in one thread instead of hopping at each link.
    "fleet.people.middleware.PreferencesMiddleware",
    "config.middleware.MethodNotAllowed",
]
ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
                "fleet.people.page.page",
            ]
        },
    }
]

DATABASES = {
    "default": database(
        env.text("DATABASE_URL", f"sqlite:///{DATA_DIR / 'halfhour.sqlite3'}"),
        pool=env.flag("HALFHOUR_DATABASE_POOL", False),
    )
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# One server is broker, cache and the wire between processes; all of it may be lost and found.
REDIS_URL = env.text("REDIS_URL", "redis://127.0.0.1:6379/0")
CACHES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "config.cache.FailSoftCache", "LOCATION": REDIS_URL}
}
# Who is nudged when findings open or end; what lies below knows no more of it than this name.
FACTS_TASK = "tickets.incidents.tasks.pull"
CELERY_BROKER_URL = REDIS_URL
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "socket_timeout": 3,
    "socket_connect_timeout": 2,
    "health_check_interval": 10,
}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_TASK_PUBLISH_RETRY = False
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = False
CELERY_TASK_DEFAULT_QUEUE = "bulk"
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_BEAT_SCHEDULER = "celery.beat:Scheduler"
CELERY_TIMEZONE = "UTC"

AUTH_USER_MODEL = "fleet.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
ACCOUNT_ADAPTER = "fleet.people.adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = "none"
# By account only as a last brake: a stranger who knows an address must not lock its owner out.
ACCOUNT_RATE_LIMITS = {"login": "30/m/ip", "login_failed": "10/m/ip,50/5m/key"}
ALLAUTH_TRUSTED_PROXY_COUNT = env.number("HALFHOUR_PROXIES", 0)
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"

SESSION_ENGINE = "django.contrib.sessions.backends.db"
SESSION_COOKIE_AGE = 7 * 24 * 3600
HTTPS = env.flag("HALFHOUR_HTTPS", False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = env.flag("HALFHOUR_HSTS_ALL", HTTPS)
SECURE_PROXY_SSL_HEADER = (
    ("HTTP_X_FORWARDED_PROTO", "https") if env.number("HALFHOUR_PROXIES", 0) else None
)
SECURE_REDIRECT_EXEMPT = [r"^(healthz|livez|metrics)$"]
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
CSRF_COOKIE_HTTPONLY = True
X_FRAME_OPTIONS = "DENY"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
MEDIA_ROOT = DATA_DIR / "blobs"

LOGGING = logging(env.text("HALFHOUR_LOG", "console"), env.text("HALFHOUR_LOG_LEVEL", "INFO"))
