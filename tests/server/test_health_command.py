"""`ginrummy-server health`: what container engines run to learn whether the server serves."""

import asyncio
import socket
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import (  # type: ignore[import-untyped]
    health,
    health_pb2,
    health_pb2_grpc,
)

from ginrummy.server.app import main

from .programs import run_to_end, running

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


Health = Callable[..., Awaitable[tuple[int, str, str]]]
"""Runs the command in this process; its exit code and what it wrote."""


@pytest.fixture
def health_of(capsys: pytest.CaptureFixture[str]) -> Health:
    async def run(*arguments: str) -> tuple[int, str, str]:
        code = await asyncio.to_thread(main, ["health", *arguments])
        return code, *capsys.readouterr()

    return run


@asynccontextmanager
async def health_service(
    status: int, credentials: grpc.ServerCredentials | None = None
) -> AsyncIterator[str]:
    """A server of nothing but health; its address."""
    servicer = health.aio.HealthServicer()
    await servicer.set("", status)
    server = grpc.aio.server()
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    if credentials is None:
        port = server.add_insecure_port("127.0.0.1:0")
    else:
        port = server.add_secure_port("127.0.0.1:0", credentials)
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(None)


def make_certificates(folder: Path) -> None:
    """An authority, and a certificate of it that is good for no address of this machine."""
    new = "openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
    (folder / "names").write_text(
        "basicConstraints=CA:FALSE\nsubjectAltName=DNS:*.gin.example\n"
        "extendedKeyUsage=serverAuth,clientAuth\n"
    )
    for command in (
        f"{new} -x509 -keyout ca.key -out ca.crt -days 2 -subj /CN=authority",
        f"{new} -keyout tls.key -out tls.csr -subj /CN=gin.example",
        "openssl x509 -req -in tls.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2"
        " -extfile names -out tls.crt",
    ):
        subprocess.run(command.split(), cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certificates")
    make_certificates(folder)
    return folder


def credentials_of(folder: Path, *, client_needed: bool) -> grpc.ServerCredentials:
    pair = ((folder / "tls.key").read_bytes(), (folder / "tls.crt").read_bytes())
    authority = (folder / "ca.crt").read_bytes() if client_needed else None
    return grpc.ssl_server_credentials([pair], authority, client_needed)


def tls_flags(folder: Path) -> tuple[str, ...]:
    return ("--tls-cert", str(folder / "tls.crt"), "--tls-key", str(folder / "tls.key"))


async def test_a_server_that_serves_is_healthy(tmp_path: Path, health_of: Health) -> None:
    async with running("--data-dir", str(tmp_path)) as program:
        address, port = program.address, str(program.port)
        assert await run_to_end("health", "--port", port) == (0, "serving\n", "")
        for place in (["--address", address], ["--host", "0.0.0.0", "--port", port]):
            assert await health_of(*place) == (0, "serving\n", "")
        service = ("--address", address, "--service")
        assert await health_of(*service, "ginrummy.v1.MatchService") == (0, "serving\n", "")
        code, out, err = await health_of(*service, "x")
        assert (code, out, err) == (1, "", f"ginrummy-server: {address} has no service 'x'\n")


async def test_a_server_that_is_about_to_stop_is_not_healthy(health_of: Health) -> None:
    async with health_service(NOT_SERVING) as address:
        code, out, err = await health_of("--address", address)
    assert (code, out) == (1, "")
    assert "does not serve now" in err


async def test_no_server_is_not_healthy(health_of: Health) -> None:
    async with health_service(SERVING) as address:
        pass
    code, out, err = await health_of("--address", address)
    assert (code, out) == (1, "")
    assert err.startswith(f"ginrummy-server: no answer from {address}: ")


async def test_a_server_that_never_answers_is_not_healthy(health_of: Health) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        address = f"127.0.0.1:{mute.getsockname()[1]}"
        code, out, err = await health_of("--address", address, "--timeout-s", "0.2")
    assert (code, out) == (1, "")
    assert f"no answer from {address}" in err


async def test_the_servers_certificate_is_taken_as_it_comes(
    certificates: Path, health_of: Health
) -> None:
    credentials = credentials_of(certificates, client_needed=False)
    async with health_service(SERVING, credentials) as address:
        result = await health_of("--address", address, *tls_flags(certificates))
        assert result == (0, "serving\n", "")
        code, out, _ = await health_of("--address", address)
        assert (code, out) == (1, "")


async def test_the_servers_own_certificate_is_shown_where_clients_need_one(
    certificates: Path, health_of: Health
) -> None:
    flags = tls_flags(certificates)
    asked = ("--tls-client-ca", str(certificates / "ca.crt"))
    shown = ("--client-cert", flags[1], "--client-key", flags[3])
    credentials = credentials_of(certificates, client_needed=True)
    async with health_service(SERVING, credentials) as address:
        for more in (asked, shown):
            result = await health_of("--address", address, *flags, *more)
            assert result == (0, "serving\n", "")
        code, out, err = await health_of("--address", address, *flags)
        assert (code, out) == (1, "")
        assert f"no answer from {address}" in err


async def test_tls_without_a_certificate_at_the_other_end_is_said(
    certificates: Path, health_of: Health
) -> None:
    async with health_service(SERVING) as address:
        result = await health_of("--address", address, *tls_flags(certificates))
    assert result[:2] == (1, "")
    assert f"no TLS with {address}" in result[2]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--address", "here"], "--address is HOST:PORT, not 'here'"),
        (["--address", "here:0"], "--address is HOST:PORT, not 'here:0'"),
        (["--client-cert", "x"], "--client-cert and --client-key go together"),
        (["--port", "0"], "the server has chosen its port itself; name it with --address"),
    ],
)
async def test_what_is_asked_wrongly_is_said(
    flags: list[str], message: str, health_of: Health
) -> None:
    tls = ["--tls-cert", "x", "--tls-key", "x"] if "--client-cert" in flags else []
    code, out, err = await health_of(*flags, *tls)
    assert (code, out, err) == (1, "", f"ginrummy-server: {message}\n")
