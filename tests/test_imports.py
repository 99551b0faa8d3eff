"""Who may import what, where import-linter cannot see it: it does not follow compiled modules."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("service/ginrummy", "clients/python/ginrummy", "clients/cli/ginrummy")


def imported_names(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(), path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_only_the_engine_package_imports_the_extension() -> None:
    importers = {
        path.relative_to(ROOT).parent.as_posix()
        for source in SOURCES
        for path in (ROOT / source).rglob("*.py")
        if any("_core" in name.split(".") for name in imported_names(path))
    }
    assert importers <= {"service/ginrummy/engine"}


def test_ginrummy_is_a_namespace_without_code_of_its_own() -> None:
    assert [
        str(path)
        for source in (*SOURCES, "proto/ginrummy")
        for path in (ROOT / source).glob("*.py")
    ] == []
