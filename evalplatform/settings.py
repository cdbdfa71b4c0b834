"""Django's settings; everything that varies comes from `env.py`."""

from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import dj_database_url

from evalplatform.env import BASE_DIR, read_environment

ENV = read_environment()

DEBUG = ENV.debug
SECRET_KEY = ENV.secret_key
ALLOWED_HOSTS = ENV.allowed_hosts
CSRF_TRUSTED_ORIGINS = ENV.csrf_trusted_origins
DATA_DIR: Path = ENV.data_dir
BASE_URL = ENV.base_url
INVITATION_DAYS = ENV.invitation_days
SILENT_DAYS = ENV.silent_days
METRICS_TOKEN = ENV.metrics_token

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "rest_framework",
    "rest_framework.authtoken",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "axes",
    "mtcore",
    "annotation",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "evalplatform.middleware.SmallerStatics",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "evalplatform.middleware.ContentSecurityPolicy",
    "evalplatform.middleware.PrivateAnswers",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "evalplatform.middleware.PlainRequests",
    "annotation.middleware.AuditTrail",
    "evalplatform.middleware.ErrorPages",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "evalplatform.urls"
WSGI_APPLICATION = "evalplatform.wsgi.application"

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
            ]
        },
    }
]


def database() -> dict[str, Any]:
    """Return the default database: SQLite tuned for many raters, or what DATABASE_URL names."""
    found: dict[str, Any] = dict(dj_database_url.parse(ENV.database_url, conn_max_age=60))
    if found["ENGINE"].endswith("sqlite3"):
        place = Path(str(found["NAME"]))
        place.parent.mkdir(parents=True, exist_ok=True)
        with suppress(OSError):  # none yet, or somebody else's
            if place.stat().st_mode & 0o007:  # it holds tokens and sessions
                place.chmod(place.stat().st_mode & 0o770)
        found["CONN_MAX_AGE"] = None
        found["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL;",
        }
    else:
        # A server that was restarted is met by a new connection, not by an error.
        found["CONN_HEALTH_CHECKS"] = True
    return found


DATABASES = {"default": database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("MinimumLengthValidator", "CommonPasswordValidator", "NumericPasswordValidator")
]
# Ten wrong passwords for one name from one address: fifteen minutes of nothing.
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_LOCKOUT_CALLABLE = "evalplatform.middleware.locked_out"
AXES_RESET_ON_SUCCESS = True
AXES_ENABLE_ACCESS_FAILURE_LOG = False
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "campaigns"
LOGOUT_REDIRECT_URL = "login"

LANGUAGE_CODE = ENV.language_code
LANGUAGES = [
    ("en", "English"),
    ("de", "Deutsch"),
    ("fr", "Français"),
    ("es", "Español"),
    ("ru", "Русский"),
    ("ar", "العربية"),
]
LANGUAGE_COOKIE_AGE = 60 * 60 * 24 * 365
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_SECURE = ENV.https
LOCALE_PATHS = [BASE_DIR / "templates" / "locale"]
TIME_ZONE = ENV.time_zone
USE_I18N = True
USE_TZ = True

STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
WHITENOISE_USE_FINDERS = True
WHITENOISE_MANIFEST_STRICT = False
STORAGES = {
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": DATA_DIR / "files"},
    },
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}

# Security: closed by default; HTTPS=True adds what only makes sense behind TLS.
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"
SESSION_ENGINE = "annotation.services.rater_sessions"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 60 * 60 * 24 * 30
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = ENV.https
SECURE_SSL_REDIRECT = ENV.https
SECURE_REDIRECT_EXEMPT = [r"^health/"]
SECURE_HSTS_SECONDS = 31_536_000 if ENV.https else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = ENV.https
if ENV.https:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024
CSRF_FAILURE_VIEW = "evalplatform.middleware.csrf_failure"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "rest_framework.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["evalplatform.api.DenyByDefault"],
    "DEFAULT_PARSER_CLASSES": [
        "evalplatform.api.StrictJSONParser",
        "rest_framework.parsers.FormParser",
        "evalplatform.api.PlainMultiPartParser",
    ],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PAGINATION_CLASS": "evalplatform.api.Pages",
    "EXCEPTION_HANDLER": "evalplatform.api.problem_json",
    "STRICT_JSON": True,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Human evaluation of machine translation",
    "VERSION": "1",
    "SERVE_PERMISSIONS": ["rest_framework.permissions.IsAuthenticated"],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "SERVE_INCLUDE_SCHEMA": False,
    "ENUM_NAME_OVERRIDES": {
        "NewStateEnum": ["open", "closed"],
        "CampaignStateEnum": "annotation.models.campaign.Campaign.State",
        "NewDirectionEnum": ["direct", "reverse"],
        "DirectionsEnum": "mtcore.services.metric_outputs.DIRECTIONS",
        "MetricNamesEnum": "mtcore.api.asks.METRIC_NAMES",
    },
}

# Celery: a message is only a wake-up; the row decides (docs/adr/0001-runs.md).
CELERY_BROKER_URL = ENV.broker_url
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
if ENV.broker_url.startswith("filesystem://"):
    _queue = DATA_DIR / "queue"
    for _name in ("messages", "processed", "control"):
        (_queue / _name).mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(_queue / "messages"),
        "data_folder_out": str(_queue / "messages"),
        "processed_folder": str(_queue / "processed"),
        "control_folder": str(_queue / "control"),
        "store_processed": False,
    }
else:
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "visibility_timeout": 60 * 60 * 24 * 14,
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
    }

# Runs (docs/adr/0001-runs.md): how long one stays with a worker that is not heard from, and which
# accelerators this process's worker may use ("cuda:0", "0,1"; empty: all of the machine).
RUN_LEASE_SECONDS = ENV.run_lease_seconds
RUN_DEVICE = ENV.run_device
MT_PYTHON = ENV.mt_python
COMET_PYTHON = ENV.comet_python

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"no_tokens": {"()": "evalplatform.logs.HideInvitations"}},
    "formatters": {
        "plain": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"},
        "json": {"()": "evalplatform.logs.JsonLines"},
    },
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": ENV.log_format, "filters": ["no_tokens"]},
    },
    "root": {"handlers": ["console"], "level": ENV.log_level},
    "loggers": {
        "django.server": {"handlers": ["console"], "level": "INFO", "propagate": False},
        "axes": {"level": "WARNING"},
        # Who sends too much at once is told so; a traceback of it helps nobody.
        **{
            f"django.security.{name}": {"level": "CRITICAL"}
            for name in ("RequestDataTooBig", "TooManyFieldsSent", "TooManyFilesSent")
        },
        # It warns at every message that a folder has no host name.
        "kombu.connection": {"level": "ERROR"},
    },
}
