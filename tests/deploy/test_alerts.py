"""The alarms: each asks for figures that the server has, and OPERATIONS.md says what to do."""

import re
from types import SimpleNamespace
from typing import Any

import promql_parser
import pytest
import yaml

from ginrummy.server.metrics import Metrics, TableGauges
from ginrummy.server.settings import Limits

from .reading import COMPOSE, ROOT

OPERATIONS = (ROOT / "OPERATIONS.md").read_text()
PROMETHEUS = ROOT / "deploy/prometheus"
[GROUP] = yaml.safe_load((PROMETHEUS / "alerts.yml").read_text())["groups"]
RULES: dict[str, dict[str, Any]] = {rule["alert"]: rule for rule in GROUP["rules"]}
[SCRAPE] = yaml.safe_load((PROMETHEUS / "prometheus.yml").read_text())["scrape_configs"]
OF_PROMETHEUS = {"up": {"job": {SCRAPE["job_name"]}}}


def figures() -> dict[str, dict[str, set[str]]]:
    """Every figure of a server by its name, with the values that its labels have."""
    metrics = Metrics()
    tables: Any = SimpleNamespace(
        log=SimpleNamespace(unfinished_count=0),
        live_count=0,
        set_aside_count=0,
        count_watchers=lambda: dict.fromkeys(("seat", "host", "spectator"), 0),
    )
    simulations: Any = SimpleNamespace(count=lambda _: 0)
    metrics.registry.register(TableGauges(tables, simulations))
    found: dict[str, dict[str, set[str]]] = {}
    for family in metrics.registry.collect():
        for sample in family.samples:
            labels = found.setdefault(sample.name, {"job": {SCRAPE["job_name"]}})
            for label, value in sample.labels.items():
                labels.setdefault(label, set()).add(value)
    return found


def families() -> set[str]:
    return {
        re.sub(r"_(total|bucket|sum|count|created)$", "", name)
        for name in figures()
        if name.startswith("ginrummy_")
    }


def selectors(expression: Any) -> list[Any]:
    """Every figure that the expression asks for."""
    found: list[Any] = []

    def visit(node: promql_parser.Expr) -> None:
        if isinstance(node, promql_parser.MatrixSelector):
            found.append(node.vector_selector)
        elif isinstance(node, promql_parser.VectorSelector):
            found.append(node)

    promql_parser.walk(expression, visit)
    return found


@pytest.mark.parametrize("name", RULES)
def test_each_asks_for_figures_and_labels_that_the_server_has(name: str) -> None:
    known = figures() | OF_PROMETHEUS
    asked = selectors(promql_parser.parse(RULES[name]["expr"]))
    assert asked
    for selector in asked:
        assert selector.name in known, selector.name
        for matcher in selector.matchers.matchers:
            values = known[selector.name][matcher.name]
            assert set(matcher.value.split("|")) <= values, matcher


@pytest.mark.parametrize("name", RULES)
def test_each_says_whom_it_wakes_and_why(name: str) -> None:
    rule = RULES[name]
    assert rule["labels"]["severity"] in ("page", "ticket")
    assert rule["annotations"]["summary"]


def test_each_is_explained_and_no_other() -> None:
    explained = re.findall(r"^\| `(Ginrummy\w+)` \|", OPERATIONS, re.MULTILINE)
    assert explained == list(RULES)


def test_every_figure_is_explained_and_no_other() -> None:
    section = OPERATIONS.partition("\n## Watch\n")[2].partition("\n## ")[0]
    explained = re.findall(r"`(ginrummy_\w+)`", section)
    assert sorted(explained) == sorted(families())


def test_the_numbers_that_they_wait_for_follow_the_limits() -> None:
    most_matches = int(RULES["GinrummyManyMatches"]["expr"].split()[-1])
    assert most_matches == 0.9 * Limits().max_open_matches
    most_bytes = float(RULES["GinrummyMemory"]["expr"].split()[-1])
    allowed = int(COMPOSE["services"]["server"]["mem_limit"].removesuffix("g")) * 1024**3
    assert 0.7 * allowed < most_bytes < 0.9 * allowed


def test_prometheus_finds_the_server_and_the_alarms_of_compose() -> None:
    port = COMPOSE["services"]["server"]["environment"]["GINRUMMY_METRICS_PORT"]
    assert SCRAPE["static_configs"] == [{"targets": [f"server:{port}"]}]
    config = yaml.safe_load((PROMETHEUS / "prometheus.yml").read_text())
    [rules] = config["rule_files"]
    volumes = COMPOSE["services"]["prometheus"]["volumes"]
    assert f"./deploy/prometheus/alerts.yml:{rules}:ro" in volumes
