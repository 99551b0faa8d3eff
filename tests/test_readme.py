"""What the README shows is true."""

import doctest
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"


def _blocks(path: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", path.read_text(), re.DOTALL)


def test_the_engine_answers_as_the_readme_says() -> None:
    result = doctest.testfile(str(README), module_relative=False)
    assert result.attempted > 3
    assert result.failed == 0


def test_the_integration_example_is_the_one_that_the_client_tests_run() -> None:
    [example] = _blocks(ROOT / "clients/python/README.md")
    assert example in _blocks(README)


def test_every_link_within_the_project_leads_somewhere() -> None:
    for document in ROOT.glob("*.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text()):
            assert (ROOT / target).exists(), f"{document.name} links to {target}"
