"""compose.yaml: a server on one machine, closed as far as it can be."""

import re

from compose_spec import PyCompose

from .reading import COMPOSE, ROOT, longest_stop_s, settings_in_image

SERVER = COMPOSE["services"]["server"]
PROMETHEUS = COMPOSE["services"]["prometheus"]


def seconds(text: str) -> int:
    found = re.fullmatch(r"(\d+)s", text)
    assert found is not None
    return int(found[1])


def test_it_is_a_compose_file_without_unknown_keys() -> None:
    compose = PyCompose.from_yaml((ROOT / "compose.yaml").read_text())
    assert compose.service_names() == ["server", "prometheus"]


def test_its_options_are_options_of_the_server() -> None:
    given = {name: str(value) for name, value in SERVER["environment"].items()}
    given["GINRUMMY_API_KEYS"] = "mygame=" + "k" * 32
    settings = settings_in_image(**given)
    assert settings.security.needs_keys


def test_it_asks_for_a_key_before_it_starts() -> None:
    assert SERVER["environment"]["GINRUMMY_API_KEYS"].startswith("${GINRUMMY_API_KEYS:?")


def test_nobody_gains_rights_or_writes_but_to_the_volume() -> None:
    for service in (SERVER, PROMETHEUS):
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
    assert SERVER["volumes"] == ["data:/data"]


def test_only_this_machine_reaches_what_speaks_without_tls() -> None:
    for service in (SERVER, PROMETHEUS):
        assert all(port.startswith("127.0.0.1:") for port in service["ports"])


def test_the_engine_waits_longer_than_the_server_takes_to_stop() -> None:
    given = {"GINRUMMY_GRACE_S": SERVER["environment"]["GINRUMMY_GRACE_S"]}
    limit_s = seconds(SERVER["stop_grace_period"])
    assert limit_s >= longest_stop_s(settings_in_image(**given))


def test_it_is_watched_the_way_the_image_is() -> None:
    check = SERVER["healthcheck"]
    flags = "".join(
        f"--{name.replace('_', '-')}={check[name]} "
        for name in ("interval", "timeout", "start_period", "retries")
    )
    assert f"HEALTHCHECK {flags}" in (ROOT / "Dockerfile").read_text()
    assert check["test"] == ["CMD", "ginrummy-server", "health"]


def test_prometheus_comes_only_when_asked_for() -> None:
    assert PROMETHEUS["profiles"] == ["watch"]
    for volume in PROMETHEUS["volumes"]:
        source = volume.partition(":")[0]
        assert not source.startswith("./") or (ROOT / source).is_file(), source
