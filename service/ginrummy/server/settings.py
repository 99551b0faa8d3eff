"""How the server is to run: what the options come to, in the words of the parts that need it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ginrummy.server.keys import ApiKey
from ginrummy.server.options import IN_MEMORY


class SettingsError(Exception):
    """Something is set wrongly; each line of the message says what, where, and what is allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TlsFiles:
    """Where the server's certificate is."""

    cert: Path
    key: Path
    client_ca: Path | None = None
    """Who signs the certificates that clients have to show; None: they need none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Security:
    """Who may call."""

    api_keys_file: Path | None = None
    api_keys: tuple[ApiKey, ...] = ()
    """Those of the environment or the file of options, beside those of `api_keys_file`."""
    insecure: bool = False
    tls: TlsFiles | None = None

    @property
    def has_files(self) -> bool:
        """There is something to be read again while the server runs."""
        return self.api_keys_file is not None or self.tls is not None

    @property
    def needs_keys(self) -> bool:
        return bool(self.api_keys) or self.api_keys_file is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much is done at once."""

    max_open_matches: int = 50_000
    max_requests_per_s: int = 0
    """Of one caller; 0: no limit."""
    max_streams_per_caller: int = 20_000
    max_streams_per_seat: int = 32
    max_spectators: int = 500
    """Of a match; its host may have as many again."""
    max_followers: int = 1000
    max_listings: int = 64
    """Of matches, and as many again of events; one caller may have half of each."""
    max_analyses: int = 64
    """Of many hands; one caller may have half."""
    max_suggestions: int = 16
    """That are thought about or wait for it; one caller may have half."""
    simulation_workers: int = 0
    """Threads that play simulations, at a low priority; 0: one less than cores."""
    simulations_at_once: int = 2
    max_simulations: int = 100
    """That have not ended."""
    max_simulations_per_caller: int = 10
    require_deadlines: bool = True
    """Calls that change something need one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifetime:
    """How long matches are kept."""

    idle_expiry_s: float = 604_800.0
    """An unfinished match in which nothing happens for so long is aborted; 0: never."""
    retention_s: float = 0.0
    """An ended match is forgotten after so long; 0: never."""
    simulation_retention_s: float = 2_592_000.0
    """An ended simulation is forgotten after so long; 0: never."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Telemetry:
    """What it tells programs about itself."""

    metrics_host: str = "127.0.0.1"
    metrics_port: int | None = None
    """None: no metrics."""
    otel: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What `ginrummy-server` was told."""

    host: str = "127.0.0.1"
    port: int = 50051
    """0: a free one."""
    data_dir: Path | None = None
    """None: keep matches in memory only."""
    log_level: str = "info"
    log_format: str = "text"
    ready_json: bool = False
    seeds_allowed: bool = False
    grace_s: float = 5.0
    """How long calls may take to end when the server stops."""
    security: Security = field(default_factory=Security)
    limits: Limits = field(default_factory=Limits)
    lifetime: Lifetime = field(default_factory=Lifetime)
    telemetry: Telemetry = field(default_factory=Telemetry)


def settings_of(values: Mapping[str, Any]) -> Settings:
    """The settings that the options' values, by key, come to. Raises SettingsError."""
    in_memory = values["in_memory"] or str(values["data_dir"]) == IN_MEMORY
    return Settings(
        host=values["host"],
        port=values["port"],
        data_dir=None if in_memory else values["data_dir"],
        log_level=values["log_level"],
        log_format=values["log_format"],
        ready_json=values["ready_json"],
        seeds_allowed=values["allow_seeds"],
        grace_s=values["grace_s"],
        security=Security(
            api_keys_file=values["api_keys_file"],
            api_keys=values["api_keys"] or (),
            insecure=values["insecure"],
            tls=_tls_files(values),
        ),
        limits=Limits(
            max_open_matches=values["max_open_matches"],
            max_requests_per_s=values["max_requests_per_s"],
            max_streams_per_caller=values["max_streams_per_caller"],
            max_streams_per_seat=values["max_streams_per_seat"],
            max_spectators=values["max_spectators"],
            max_followers=values["max_followers"],
            max_listings=values["max_listings"],
            max_analyses=values["max_analyses"],
            max_suggestions=values["max_suggestions"],
            simulation_workers=values["simulation_workers"],
            simulations_at_once=values["simulations_at_once"],
            max_simulations=values["max_simulations"],
            max_simulations_per_caller=values["max_simulations_per_caller"],
            require_deadlines=values["require_deadlines"],
        ),
        lifetime=Lifetime(
            idle_expiry_s=values["idle_expiry_s"],
            retention_s=values["retention_s"],
            simulation_retention_s=values["simulation_retention_s"],
        ),
        telemetry=Telemetry(
            metrics_host=values["metrics_host"],
            metrics_port=values["metrics_port"],
            otel=values["otel"],
        ),
    )


def _tls_files(values: Mapping[str, Any]) -> TlsFiles | None:
    cert, key, client_ca = values["tls_cert"], values["tls_key"], values["tls_client_ca"]
    if cert and key:
        return TlsFiles(cert=cert, key=key, client_ca=client_ca)
    if cert or key or client_ca:
        raise SettingsError("TLS needs both --tls-cert and --tls-key")
    return None
