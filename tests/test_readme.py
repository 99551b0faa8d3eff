"""What the README shows is true."""

import doctest
import re
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import json_format

from ginrummy.log import MemoryLog
from ginrummy.server.serving import Serving
from ginrummy.v1 import analysis_service_pb2, analysis_service_pb2_grpc

pb: Any = analysis_service_pb2

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"


def _blocks(path: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", path.read_text(), re.DOTALL)


def test_the_engine_answers_as_the_readme_says() -> None:
    result = doctest.testfile(str(README), module_relative=False)
    assert result.attempted > 3
    assert result.failed == 0


def test_the_engine_answers_as_its_own_page_says() -> None:
    result = doctest.testfile(str(ROOT / "docs/ENGINE.md"), module_relative=False)
    assert result.attempted > 30
    assert result.failed == 0


async def test_questions_from_a_shell_are_answered_as_the_readme_says() -> None:
    asked = re.findall(
        r"-d '([^']+)' \\\n.*v1\.AnalysisService/(\w+) +# → (.*)", README.read_text()
    )
    answers = {}
    serving = Serving(MemoryLog())
    port = await serving.start("127.0.0.1", 0)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        stub: Any = analysis_service_pb2_grpc.AnalysisServiceStub(channel)
        for question, method, _ in asked:
            request = json_format.Parse(question, getattr(pb, f"{method}Request")())
            answers[method] = await getattr(stub, method)(request)
    await serving.stop(0.2)
    good, bad = answers["AnalyzeHands"].results
    assert (good.deadwood_points, good.can_gin, "2X" in bad.error.message) == (9, True, True)
    [found] = answers["FindLayoffs"].results
    assert (len(found.moves), found.rest.deadwood_points) == (2, 10)
    told = {method: words for _, method, words in asked}
    [best] = answers["SuggestActions"].suggestions
    assert best.text.startswith(told["SuggestActions"].strip('"').removesuffix(" …"))


def test_the_integration_example_is_the_one_that_the_client_tests_run() -> None:
    [example] = _blocks(ROOT / "clients/python/README.md")
    assert example in _blocks(README)


def test_every_link_within_the_project_leads_somewhere() -> None:
    for document in ROOT.glob("*.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text()):
            assert (ROOT / target).exists(), f"{document.name} links to {target}"
