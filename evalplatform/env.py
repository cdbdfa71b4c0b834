"""The one place that reads the environment. Every setting of the platform is listed here."""

import contextlib
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent
LOCAL_URL = "http://127.0.0.1:8000"
LONGEST_DAYS = 36_500


class EnvironmentMistake(SystemExit):
    """A variable has a value the platform cannot use; the message names it and what is accepted."""


def use_settings() -> None:
    """Name the settings module for Django, and how numeric libraries use the cores, when nothing else has.

    Server, worker and what they start share the cores. Two threads of OpenBLAS in each would wait for each
    other; and OpenMP's threads, which spin while they wait unless told otherwise, make training on a busy
    machine take a multiple of its time.
    """
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalplatform.settings")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def environment_with(**values: str) -> dict[str, str]:
    """Return the environment of a process that is to be started, with these values in it."""
    return dict(os.environ) | values


def _boolean(name: str, default: bool) -> bool:
    text = os.environ.get(name)
    if text is None or text == "":
        return default
    if text not in ("True", "False"):
        raise EnvironmentMistake(f"{name} is {text!r}; write True or False, exactly so.")
    return text == "True"


def _integer(name: str, default: int) -> int:
    text = os.environ.get(name) or str(default)
    try:
        return int(text)
    except ValueError:
        raise EnvironmentMistake(f"{name} is {text!r}; write a whole number.") from None


def _positive(name: str, default: int) -> int:
    value = _integer(name, default)
    if value < 1:
        raise EnvironmentMistake(f"{name} is {value}; write a whole number from 1 on.")
    return value


def _days(name: str, default: int) -> int:
    value = _positive(name, default)
    if value > LONGEST_DAYS:
        raise EnvironmentMistake(f"{name} is {value}; write at most {LONGEST_DAYS} (a hundred years).")
    return value


def _choice(name: str, default: str, choices: tuple[str, ...]) -> str:
    value = os.environ.get(name) or default
    if value not in choices:
        raise EnvironmentMistake(f"{name} is {value!r}; write {' or '.join(choices)}.")
    return value


def _list(name: str, default: str) -> list[str]:
    return [part.strip() for part in os.environ.get(name, default).split(",") if part.strip()]


def _secret(data_dir: Path) -> str:
    """Return SECRET_KEY, or one made once and kept in DATA_DIR (readable by its owner alone)."""
    given = os.environ.get("SECRET_KEY")
    if given:
        return given
    path = data_dir / "secret_key"
    data_dir.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        # Written whole under another name, then linked: two processes starting at once get one key.
        draft = data_dir / f"secret_key.{os.getpid()}"
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(50), "ascii")
        with contextlib.suppress(FileExistsError):
            path.hardlink_to(draft)
        draft.unlink()
    key = path.read_text("ascii").strip()
    if not key:
        raise EnvironmentMistake(f"{path} is empty: delete it, or set SECRET_KEY.")
    return key


@dataclass(frozen=True)
class Environment:
    """Everything that can be set from outside, after checking."""

    debug: bool
    secret_key: str
    data_dir: Path
    database_url: str
    allowed_hosts: list[str]
    csrf_trusted_origins: list[str]
    base_url: str
    https: bool
    broker_url: str
    run_lease_seconds: int
    run_device: str
    mt_python: Path
    comet_python: Path | None
    language_code: str
    time_zone: str
    invitation_days: int
    silent_days: int
    log_level: str
    log_format: str
    metrics_token: str


def read_environment() -> Environment:
    """Read and check every variable; see `.env.example` for their meaning."""
    _load_dotenv(BASE_DIR / ".env")
    data_dir = Path(os.environ.get("DATA_DIR") or BASE_DIR / "data").resolve()
    database_url = os.environ.get("DATABASE_URL") or f"sqlite:///{data_dir / 'platform.sqlite3'}"
    # In SQLite one writer waits for the other: a heartbeat must outlast somebody's long import.
    patience = 90 if database_url.startswith("sqlite") else 30
    return Environment(
        debug=_boolean("DEBUG", False),
        secret_key=_secret(data_dir),
        data_dir=data_dir,
        database_url=database_url,
        allowed_hosts=_list("ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]"),
        csrf_trusted_origins=_list("CSRF_TRUSTED_ORIGINS", ""),
        base_url=(os.environ.get("BASE_URL") or LOCAL_URL).rstrip("/"),
        https=_boolean("HTTPS", False),
        broker_url=os.environ.get("CELERY_BROKER_URL") or "filesystem://",
        run_lease_seconds=_positive("RUN_LEASE_SECONDS", patience),
        run_device=os.environ.get("RUN_DEVICE") or "",
        mt_python=Path(os.environ.get("FAIRSEQ_PYTHON") or BASE_DIR / ".venv-mt" / "bin" / "python"),
        comet_python=Path(os.environ["COMET_PYTHON"]) if os.environ.get("COMET_PYTHON") else None,
        language_code=os.environ.get("LANGUAGE_CODE") or "en",
        time_zone=os.environ.get("TIME_ZONE") or "UTC",
        invitation_days=_days("INVITATION_DAYS", 90),
        silent_days=_days("SILENT_DAYS", 3),
        log_level=os.environ.get("LOG_LEVEL") or "INFO",
        log_format=_choice("LOG_FORMAT", "plain", ("plain", "json")),
        metrics_token=os.environ.get("METRICS_TOKEN") or "",
    )


def _load_dotenv(path: Path) -> None:
    """Take `NAME=value` lines of an .env file for names that the environment does not set."""
    if not path.is_file():
        return
    for number, line in enumerate(path.read_text("utf-8").split("\n"), start=1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        name, separator, value = line.partition("=")
        if not separator:
            raise EnvironmentMistake(f"{path}, line {number}: expected NAME=value.")
        os.environ.setdefault(name.strip(), value.strip())
