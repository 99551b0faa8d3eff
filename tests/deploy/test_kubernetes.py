"""deploy/kubernetes: one server with its volume, closed as far as it can be."""

import re
import tomllib
from collections.abc import Iterator
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]
import pytest
import yaml

from ginrummy.server.configuration import read_configuration
from ginrummy.server.serving import SERVICES
from ginrummy.server.settings import Settings

from .reading import IMAGE_ENVIRONMENT, KUBERNETES, ROOT, longest_stop_s, settings_in_image

OLDEST, NEWEST = "1.30", kubernetes_validate.latest_version()
OWN_FORMATS = {"kustomize.config.k8s.io", "monitoring.coreos.com"}
"""Formats that Kubernetes itself does not know."""


def manifests() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted(KUBERNETES.rglob("*.yaml")):
        for manifest in yaml.safe_load_all(path.read_text()):
            name = manifest.get("metadata", {}).get("name", "")
            where = path.relative_to(KUBERNETES)
            yield f"{where}: {manifest['kind']} {name}".strip(), manifest


PARTS = dict(manifests())
STATEFUL_SET = PARTS["statefulset.yaml: StatefulSet ginrummy"]
POD = STATEFUL_SET["spec"]["template"]["spec"]
[CONTAINER] = POD["containers"]
KUSTOMIZATION = PARTS["kustomization.yaml: Kustomization"]
CHECKED = [
    name
    for name, manifest in PARTS.items()
    if manifest["apiVersion"].partition("/")[0] not in OWN_FORMATS and not name.startswith("tls/")
]


def settings() -> Settings:
    return settings_in_image(GINRUMMY_CONFIG=str(KUBERNETES / "ginrummy.toml"))


@pytest.mark.parametrize("name", CHECKED)
@pytest.mark.parametrize("version", [OLDEST, NEWEST])
def test_each_manifest_is_valid_to_the_letter(name: str, version: str) -> None:
    kubernetes_validate.validate(PARTS[name], version, strict=True)


def test_every_file_is_used_or_an_example() -> None:
    resources = {KUBERNETES / name for name in KUSTOMIZATION["resources"]}
    files = set(KUBERNETES.glob("*.yaml"))
    rest = {KUBERNETES / "kustomization.yaml", KUBERNETES / "secret.example.yaml"}
    assert files == resources | rest
    for component in ("tls", "monitoring"):
        described = PARTS[f"{component}/kustomization.yaml: Component"]
        named = described.get("resources", []) + [
            patch["path"] for patch in described.get("patches", [])
        ]
        folder = KUBERNETES / component
        assert {folder / name for name in named} == set(folder.glob("*.yaml")) - {
            folder / "kustomization.yaml"
        }


def test_one_server_writes_the_file() -> None:
    assert STATEFUL_SET["spec"]["replicas"] == 1
    [claim] = STATEFUL_SET["spec"]["volumeClaimTemplates"]
    assert claim["spec"]["accessModes"] == ["ReadWriteOnce"]
    mounts = {mount["name"]: mount["mountPath"] for mount in CONTAINER["volumeMounts"]}
    assert mounts[claim["metadata"]["name"]] == str(settings().data_dir)
    assert STATEFUL_SET["spec"]["persistentVolumeClaimRetentionPolicy"]["whenDeleted"] == "Retain"


def test_ports_are_the_servers_own() -> None:
    ports = {port["name"]: port["containerPort"] for port in CONTAINER["ports"]}
    assert ports == {"grpc": settings().port, "metrics": settings().telemetry.metrics_port}
    service = PARTS["service.yaml: Service ginrummy"]
    named = {port["name"] for port in service["spec"]["ports"]}
    assert named <= set(ports)


@pytest.mark.parametrize("probe", ["startupProbe", "livenessProbe", "readinessProbe"])
def test_probes_ask_the_health_service(probe: str) -> None:
    asked = CONTAINER[probe]["grpc"]
    assert asked["port"] == settings().port
    assert asked.get("service", "") in ("", *SERVICES)


@pytest.mark.parametrize("probe", ["startupProbe", "livenessProbe", "readinessProbe"])
def test_with_tls_probes_run_the_health_command(probe: str) -> None:
    [container] = PARTS["tls/statefulset.yaml: StatefulSet ginrummy"]["spec"]["template"]["spec"][
        "containers"
    ]
    assert container[probe]["grpc"] is None
    assert container[probe]["exec"]["command"] == ["ginrummy-server", "health"]
    given = {variable["name"]: variable["value"] for variable in container["env"]}
    assert settings_in_image(**given).security.tls is not None


def test_kubernetes_waits_longer_than_the_server_takes_to_stop() -> None:
    assert POD["terminationGracePeriodSeconds"] >= longest_stop_s(settings())


def test_it_runs_as_somebody_who_is_not_root_and_gains_no_rights() -> None:
    user = POD["securityContext"]
    assert user["runAsNonRoot"] is True
    assert f"USER {user['runAsUser']}:{user['runAsGroup']}\n" in (ROOT / "Dockerfile").read_text()
    assert user["fsGroup"] == user["runAsGroup"]
    assert user["seccompProfile"] == {"type": "RuntimeDefault"}
    assert CONTAINER["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert POD["automountServiceAccountToken"] is False


def test_its_memory_is_bounded() -> None:
    assert "memory" in CONTAINER["resources"]["limits"]
    assert {"cpu", "memory"} <= set(CONTAINER["resources"]["requests"])


def test_the_configuration_is_one_of_the_server_and_holds_no_secret() -> None:
    table = tomllib.loads((KUBERNETES / "ginrummy.toml").read_text())
    assert "api-keys" not in table
    # The image's own variables would hide what the file says of them.
    hidden = {name.removeprefix("GINRUMMY_").lower() for name in IMAGE_ENVIRONMENT}
    assert not hidden & {name.replace("-", "_") for name in table}
    [generator] = KUSTOMIZATION["configMapGenerator"]
    assert generator["files"] == ["ginrummy.toml"]


def test_keys_come_from_a_secret_that_the_server_reads() -> None:
    path = settings().security.api_keys_file
    assert path is not None
    [mount] = [mount for mount in CONTAINER["volumeMounts"] if mount["name"] == "keys"]
    assert mount["mountPath"] == str(path.parent)
    # A subPath would never show a changed Secret.
    assert "subPath" not in mount
    secret = PARTS["secret.example.yaml: Secret ginrummy-api-keys"]
    assert re.fullmatch(r"mygame [0-9a-f]{64}\n", secret["stringData"][path.name])


def test_only_named_pods_reach_it() -> None:
    policy = PARTS["network.yaml: NetworkPolicy ginrummy"]["spec"]
    assert set(policy["policyTypes"]) == {"Ingress", "Egress"}
    assert policy["egress"] == []
    assert all(rule["from"] and rule["ports"] for rule in policy["ingress"])


def test_every_selector_finds_the_pod() -> None:
    labels = STATEFUL_SET["spec"]["template"]["metadata"]["labels"]
    for selector in (
        STATEFUL_SET["spec"]["selector"]["matchLabels"],
        PARTS["service.yaml: Service ginrummy"]["spec"]["selector"],
        PARTS["service.yaml: Service ginrummy-pods"]["spec"]["selector"],
        PARTS["disruption.yaml: PodDisruptionBudget ginrummy"]["spec"]["selector"]["matchLabels"],
        PARTS["network.yaml: NetworkPolicy ginrummy"]["spec"]["podSelector"]["matchLabels"],
    ):
        assert selector == labels


def test_the_sample_configuration_is_one_of_the_server() -> None:
    configuration = read_configuration({}, {}, str(ROOT / "deploy/ginrummy.toml"))
    found = configuration.settings()
    assert found.data_dir is not None
    assert longest_stop_s(found) <= POD["terminationGracePeriodSeconds"]
