"""The files of deploy/ as what they describe, and the settings of the server that they start."""

from pathlib import Path
from typing import Any

import yaml

from ginrummy.server.configuration import read_configuration
from ginrummy.server.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
KUBERNETES = ROOT / "deploy/kubernetes"
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
IMAGE_ENVIRONMENT = {
    "GINRUMMY_HOST": "0.0.0.0",
    "GINRUMMY_DATA_DIR": "/data",
    "GINRUMMY_METRICS_HOST": "0.0.0.0",
}
"""What the image sets; a test compares it with the Dockerfile."""


def settings_in_image(**environment: str) -> Settings:
    """What a server in the image comes to. Raises SettingsError."""
    configuration = read_configuration({}, IMAGE_ENVIRONMENT | environment)
    assert not configuration.warnings, configuration.warnings
    return configuration.settings()


def longest_stop_s(settings: Settings) -> float:
    """How long a server may take to stop: grace for commands, grace for streams, and the log."""
    return 2 * settings.grace_s + 10
