"""What holds for the whole test suite."""

from collections.abc import Iterator

import grpc
import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fail-on-skip", action="store_true", help="a skipped test fails the run")


@pytest.fixture(scope="session", autouse=True)
def grpc_runs_throughout() -> Iterator[None]:
    """Keeps gRPC's core from stopping and starting with each test that is the only one to use it.

    It races with its own threads then (grpc/grpc#38924), and no program of ours does it: theirs
    starts once.
    """
    with grpc.insecure_channel("127.0.0.1:1"):  # never used, so never connected
        yield


class Naming:
    """Names what fails when it fails: a run that is ended from outside has no summary."""

    def __init__(self, terminal: pytest.TerminalReporter) -> None:
        self._terminal = terminal

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._terminal.write_line(f"\nfailed: {report.nodeid} ({report.when})")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Naming(terminal))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Counts a skipped test as a failed run, so that no check disappears unseen."""
    if not session.config.getoption("--fail-on-skip") or session.exitstatus != pytest.ExitCode.OK:
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
