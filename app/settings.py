"""Reads all settings from HEADGATE_* variables, with defaults and units; no other module reads these variables."""

import os
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

PREFIX = "HEADGATE_"
CLOCK_LEAD_SECONDS = 300.0
WORKER_NICENESS = 10  # niceness of processes that compute beside the service, which has priority


Network = IPv4Network | IPv6Network


def parse_networks(listed: str) -> tuple[Network, ...]:
    """The networks in a text like `10.0.0.7, 192.168.0.0/16`."""
    try:
        return tuple(ip_network(part.strip()) for part in listed.split(",") if part.strip())
    except ValueError as error:
        raise ValueError(f"must list addresses or networks such as 10.0.0.0/8 ({error})") from error


class Settings(BaseSettings):
    """The settings from HEADGATE_* variables; their values never change while the service runs."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, env_ignore_empty=True)

    database_url: SecretStr | None = Field(
        None, description="postgresql://… URL of a server; without it an embedded Postgres is started."
    )
    data_dir: Path = Field(
        Path(".headgate"),
        description="Folder of the embedded Postgres' data. If neither this nor database_url is set and the current "
        "folder has no database, commands other than `serve` use the folder of the only running service.",
    )
    host: str = Field("127.0.0.1", description="Address to listen on; beyond loopback API keys are required.")
    port: int = Field(8000, ge=0, le=65535)
    health_port: int | None = Field(
        None,
        ge=0,
        le=65535,
        description="A second port for /healthz, /readyz and /metrics alone, with a thread of its own: it answers "
        "while the workers compute.",
    )
    workers: int = Field(1, ge=1, le=64, description="Server processes.")
    api_keys: SecretStr = Field(
        SecretStr(""),
        description="Keys for `Authorization: Bearer`, comma-separated: `name=secret`, at least 16 characters each; "
        "`name=secret:read` may read and compute, not store.",
    )
    api_keys_file: Path | None = Field(
        None, description="File of more keys, one `name=secret` per line; read again at SIGHUP."
    )
    trusted_proxies: str = Field(
        "",
        description="Addresses or networks of proxies, comma-separated, whose X-Forwarded-For, -Proto and -Host count.",
    )
    log_format: Literal["auto", "json", "text"] = Field(
        "auto", description="auto: text on a terminal, else JSON."
    )
    log_level: Literal["debug", "info", "warning", "error"] = "info"

    max_body_bytes: int = Field(8 * 2**20, ge=1024, description="A larger request body is refused with 413.")
    max_operators: int = Field(10_000, ge=1)
    max_edges: int = Field(50_000, ge=1)
    max_snapshots_per_request: int = Field(1_000, ge=1)
    max_snapshot_lead_seconds: float = Field(
        86_400.0,
        ge=0,
        le=1e9,
        description="A snapshot that begins further ahead of the service's clock is refused.",
    )
    clock_lead_seconds: float = Field(
        CLOCK_LEAD_SECONDS,
        ge=0,
        le=1e9,
        description="A snapshot that ends further ahead of the service's clock is stored, but no answer uses it "
        "until its time comes.",
    )
    max_smoothing_snapshots: int = Field(10_000, ge=1, description="The most intervals in one smoothing.")
    default_page_size: int = Field(100, ge=1)
    max_page_size: int = Field(1_000, ge=1)
    metrics_topologies: int = Field(
        100,
        ge=0,
        description="The most topologies to show on /metrics, those with the newest snapshots first; 0: none.",
    )
    metrics_operators: int = Field(
        50,
        ge=0,
        description="The most operators of each topology to show on /metrics, in the order of their names.",
    )
    inline_operators: int = Field(
        50, ge=0, description="Plans for more operators are computed in a thread, others on the event loop."
    )

    computing_slots: int = Field(
        default_factory=lambda: min(2, os.cpu_count() or 1),
        ge=1,
        le=64,
        description="Long requests that each worker computes at the same time, besides short ones; the default is "
        "2, or 1 on one core. A worker uses about one core, whatever the number.",
    )
    computing_queue: int = Field(
        4,
        ge=0,
        description="Long requests that may wait to be computed; further requests are answered with 503. Increase "
        "the number if all requests are short.",
    )

    backtest_processes: int = Field(
        1,
        ge=0,
        le=64,
        description="Backtests computed at the same time by all services on the database, each in a process; 0: none.",
    )
    simulation_processes: int = Field(
        1,
        ge=0,
        le=64,
        description="Long simulations computed at the same time by all services on the database; 0: none.",
    )
    simulation_events_at_once: int = Field(
        10_000_000,
        ge=0,
        description="A simulation that expects more events (arrivals and departures) is not answered at once, but "
        "queued.",
    )
    max_simulation_events: int = Field(
        100_000_000,
        ge=1,
        description="A simulation that expects more events is refused: it would take too much memory.",
    )

    database_pool_size: int = Field(10, ge=1, description="Connections that each worker keeps open.")
    database_pool_overflow: int = Field(
        10, ge=0, description="Additional connections of each worker under load."
    )
    database_pool_timeout_seconds: float = Field(
        5.0, gt=0, description="The time that a request waits for a connection before it gets 503."
    )
    database_statement_timeout_seconds: float = Field(30.0, gt=0)
    database_lock_timeout_seconds: float = Field(
        4.0,
        gt=0,
        description="A statement that waits for longer for a lock of another one is cancelled (503).",
    )
    webhook_hosts: str = Field(
        "",
        description="Hosts that the webhook of a policy may name, comma-separated; `.example.org`: and those below.",
    )
    webhook_networks: str = Field(
        "",
        description="Networks for webhooks beside public addresses, comma-separated, such as 10.0.0.0/8.",
    )
    webhook_signing_key: SecretStr = Field(
        SecretStr(""),
        description="Signs what webhooks are told (HMAC with SHA-256); without it nothing is sent.",
    )
    keep_minutes_days: int = Field(
        30,
        ge=0,
        le=36_500,
        description="Older snapshots are rolled up to hours, and older decisions to hold without an outcome are "
        "deleted, in the background; 0: never. Decisions that change something stay as long as their topology.",
    )
    keep_hours_days: int = Field(
        400, ge=0, le=36_500, description="Older hours of rolled-up load are deleted; 0: never."
    )
    keep_summaries_days: int = Field(
        0,
        ge=0,
        le=36_500,
        description="Older summaries of the nightly ingest are deleted in the background; 0: never.",
    )
    shutdown_grace_seconds: int = Field(
        30, ge=0, description="The time after SIGTERM in which running requests may end."
    )

    demo_minutes: int = Field(
        0,
        ge=0,
        le=10_080,
        description="The live demo runs inside the service for this time after it was started; 0: there is none.",
    )

    audit_days: int = Field(400, ge=1, le=36_500, description="Older rows of the audit are deleted.")
    audit_clients: bool = Field(
        default=False, description="Whether the audit keeps the addresses of callers."
    )

    @property
    def proxy_networks(self) -> tuple[Network, ...]:
        """The networks of trusted proxies."""
        return parse_networks(self.trusted_proxies)

    @property
    def webhook_list(self) -> tuple[Network, ...]:
        """The networks beside public addresses that webhooks may be sent to."""
        return parse_networks(self.webhook_networks)

    @field_validator("trusted_proxies", "webhook_networks")
    @classmethod
    def check_proxies(cls, listed: str) -> str:
        """Accepts addresses and networks only."""
        parse_networks(listed)
        return listed

    @property
    def has_keys(self) -> bool:
        """Whether callers need a key."""
        return bool(self.api_keys.get_secret_value().replace(",", "").strip() or self.api_keys_file)

    @field_validator("database_url")
    @classmethod
    def name_the_driver(cls, url: SecretStr | None) -> SecretStr | None:
        """Accepts the URL schemes of Postgres, and adds the name of the installed driver."""
        if url is None:
            return None
        scheme, separator, rest = url.get_secret_value().partition("://")
        if not separator or scheme not in {"postgresql", "postgres", "postgresql+psycopg"}:
            raise ValueError("must start with postgresql:// (Headgate stores its data in Postgres only)")
        return SecretStr(f"postgresql+psycopg://{rest}")


def find_state_dir() -> Path | None:
    """Returns the folder for this user's data (XDG Base Directory Specification); None without a home folder."""
    named = Path(os.environ.get("XDG_STATE_HOME", ""))
    if named.is_absolute():
        return named / "headgate"
    try:
        return Path.home() / ".local" / "state" / "headgate"
    except RuntimeError:
        return None


COMMAND_VARIABLES = {
    PREFIX + name for name in ("URL", "API_KEY", "ENGINE_TOKEN", "ENGINE_USER", "ENGINE_PASSWORD")
}
"""Variables that options of commands read, and that are no settings of the service."""


def find_unknown_variables() -> list[str]:
    """Returns HEADGATE_* variables that are not settings; callers report them, because most are misspelt."""
    known = {PREFIX + name.upper() for name in Settings.model_fields} | COMMAND_VARIABLES
    return sorted(
        name for name in os.environ if name.upper().startswith(PREFIX) and name.upper() not in known
    )
