"""TLS: who gets a connection, and how certificates change while the server runs."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import grpc
import pytest

from ginrummy.client import NO_RETRY, GinRummyClient, GinRummyError, Tls
from ginrummy.server.reloading import UnusableFileError
from ginrummy.server.settings import TlsFiles
from ginrummy.server.tls import Certificate

from .certificates import DAY, Made, make, put, serial_shown_at
from .players import Desk
from .programs import run_to_end
from .test_keys import create, follow, is_let_in, list_matches, read_again, served, until


@dataclass(frozen=True)
class Folder:
    """Where a server's certificate is, with the authority that has signed it."""

    path: Path
    authority: Made

    @property
    def cert(self) -> Path:
        return self.path / "server.crt"

    @property
    def key(self) -> Path:
        return self.path / "server.key"

    @property
    def client_ca(self) -> Path:
        return self.path / "clients.crt"

    def flags(self, *, mutual: bool = False) -> list[str]:
        flags = ["--tls-cert", str(self.cert), "--tls-key", str(self.key)]
        return flags + (["--tls-client-ca", str(self.client_ca)] if mutual else [])

    def renew(self) -> Made:
        """A new certificate for the server."""
        made = make("server", self.authority)
        put(self.key, made.key_pem())
        put(self.cert, made.cert_pem)
        return made


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    authority = make("authority")
    put(tmp_path / "authority.crt", authority.cert_pem)
    put(tmp_path / "clients.crt", authority.cert_pem)
    folder = Folder(tmp_path, authority)
    folder.renew()
    return folder


def credentials(authority: Made, client: Made | None = None) -> grpc.ChannelCredentials:
    shown = (client.key_pem(), client.cert_pem) if client else (None, None)
    return grpc.ssl_channel_credentials(authority.cert_pem, *shown)


@contextmanager
def secured_desk(
    port: int, authority: Made, client: Made | None = None
) -> Iterator[tuple[grpc.aio.Channel, Desk]]:
    """A connection of its own, made by the first call."""
    channel = grpc.aio.secure_channel(
        f"localhost:{port}",
        credentials(authority, client),
        [("grpc.use_local_subchannel_pool", 1)],
    )
    yield channel, Desk(channel)


async def is_connected(port: int, authority: Made, client: Made | None = None) -> bool:
    """Whether a new connection comes to a call."""
    with secured_desk(port, authority, client) as (channel, desk):
        try:
            await list_matches(desk, None)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                raise
            return False
        finally:
            await channel.close()
    return True


async def test_only_clients_with_tls_are_served(folder: Folder) -> None:
    async with served(*folder.flags()) as (program, in_the_clear, err):
        assert await is_connected(program.port, folder.authority)
        assert not await is_connected(program.port, make("another authority"))
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await list_matches(in_the_clear, None)
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
    assert [line for line in err if " INFO " not in line] == []


async def test_the_python_client_calls_with_tls(folder: Folder) -> None:
    mine = make("client", folder.authority)
    cert = put(folder.path / "client.crt", mine.cert_pem)
    key = put(folder.path / "client.key", mine.key_pem())
    root = folder.path / "authority.crt"
    async with served(*folder.flags(mutual=True)) as (program, _, _err):
        address = f"localhost:{program.port}"
        tls = Tls(root_ca=root, client_cert=cert, client_key=key)
        async with GinRummyClient(address, tls=tls) as client:
            assert (await client.server_info()).version
        async with GinRummyClient(address, tls=Tls(root_ca=root), retry=NO_RETRY) as client:
            with pytest.raises(GinRummyError):
                await client.server_info()


async def test_a_client_without_a_certificate_is_refused_where_one_is_asked_for(
    folder: Folder,
) -> None:
    async with served(*folder.flags(mutual=True)) as (program, _, _err):
        known = make("client", folder.authority)
        assert await is_connected(program.port, folder.authority, known)
        assert not await is_connected(program.port, folder.authority)
        stranger = make("client", make("authority"))
        assert not await is_connected(program.port, folder.authority, stranger)


async def test_a_new_certificate_is_shown_to_new_connections_and_streams_go_on(
    folder: Folder,
) -> None:
    async with served(*folder.flags()) as (program, _, _err):
        with secured_desk(program.port, folder.authority) as (channel, desk):
            news = await follow(desk, None)
            first = await asyncio.to_thread(serial_shown_at, program.port)
            renewed = folder.renew()
            assert renewed.serial != first

            async def is_shown() -> bool:
                return await asyncio.to_thread(serial_shown_at, program.port) == renewed.serial

            await until(is_shown)
            assert await is_connected(program.port, folder.authority)
            created = await create(desk, None)
            assert (await news.read()).match.name == created.match.name
            news.cancel()
            await channel.close()


async def test_clients_of_an_authority_that_is_no_longer_trusted_are_refused(
    folder: Folder,
) -> None:
    old, new = make("client", folder.authority), make("new authority")
    async with served(*folder.flags(mutual=True)) as (program, _, _err):
        port = program.port
        with secured_desk(port, folder.authority, old) as (channel, desk):
            news = await follow(desk, None)
            put(folder.client_ca, new.cert_pem)
            read_again(program)

            async def is_new_let_in() -> bool:
                return await is_connected(port, folder.authority, make("client", new))

            await until(is_new_let_in)
            assert not await is_connected(port, folder.authority, old)
            created = await create(desk, None)
            assert (await news.read()).match.name == created.match.name
            news.cancel()
            await channel.close()


async def test_files_that_do_not_fit_change_nothing_until_they_do(folder: Folder) -> None:
    async with served(*folder.flags()) as (program, _, err):
        before = await asyncio.to_thread(serial_shown_at, program.port)
        other = make("server", folder.authority)
        put(folder.cert, other.cert_pem)
        read_again(program)

        async def is_told() -> bool:
            return any("certificates stay as they were" in line for line in err)

        await until(is_told)
        assert await asyncio.to_thread(serial_shown_at, program.port) == before
        put(folder.key, other.key_pem())
        read_again(program)

        async def is_shown() -> bool:
            return await asyncio.to_thread(serial_shown_at, program.port) == other.serial

        await until(is_shown)
    (told,) = [line for line in err if "stay as they were" in line]
    assert f"--tls-key {folder.key}: is not the key of the certificate in --tls-cert" in told


def refused(folder: Folder, *, mutual: bool = False) -> str:
    client_ca = folder.client_ca if mutual else None
    with pytest.raises(UnusableFileError) as error:
        Certificate(TlsFiles(cert=folder.cert, key=folder.key, client_ca=client_ca))
    assert "PRIVATE KEY" not in str(error.value)
    return str(error.value)


def test_a_missing_file_is_named(folder: Folder) -> None:
    folder.key.unlink()
    assert refused(folder) == f"--tls-key {folder.key}: no such file or directory"
    folder.cert.unlink()
    assert refused(folder) == f"--tls-cert {folder.cert}: no such file or directory"


def test_a_key_of_another_certificate_is_refused(folder: Folder) -> None:
    put(folder.key, make("server").key_pem())
    assert refused(folder) == (
        f"--tls-key {folder.key}: is not the key of the certificate in --tls-cert {folder.cert}"
    )


def test_an_encrypted_key_is_refused(folder: Folder) -> None:
    made = make("server", folder.authority)
    put(folder.cert, made.cert_pem)
    put(folder.key, made.key_pem(b"secret"))
    assert refused(folder) == (
        f"--tls-key {folder.key}: is encrypted; the server takes a key without a password"
    )


def test_a_file_of_something_else_is_refused(folder: Folder) -> None:
    put(folder.client_ca, b"no certificate")
    assert refused(folder, mutual=True).startswith(f"--tls-client-ca {folder.client_ca}: holds no")
    put(folder.client_ca, make("client", folder.authority).cert_pem)
    assert "of an authority" in refused(folder, mutual=True)
    put(folder.key, folder.cert.read_bytes())
    assert refused(folder) == f"--tls-key {folder.key}: holds no private key in PEM"
    put(folder.cert, b"no certificate")
    assert refused(folder).startswith(f"--tls-cert {folder.cert}: holds no certificate in PEM")
    put(folder.cert, b"")
    assert refused(folder) == f"--tls-cert {folder.cert}: is empty"


async def test_files_that_are_wrong_at_the_start_are_an_error_in_one_line(folder: Folder) -> None:
    folder.key.unlink()
    code, out, err = await run_to_end("--in-memory", "--port", "0", *folder.flags())
    assert (code, out) == (1, "")
    assert err == f"ginrummy-server: --tls-key {folder.key}: no such file or directory\n"


@pytest.mark.parametrize(("until_then", "is_warned"), [(-DAY, True), (DAY, False)])
def test_an_expired_certificate_is_warned_of(
    folder: Folder, caplog: pytest.LogCaptureFixture, until_then: timedelta, is_warned: bool
) -> None:
    made = make("server", folder.authority, until_then)
    put(folder.cert, made.cert_pem)
    put(folder.key, made.key_pem())
    Certificate(TlsFiles(cert=folder.cert, key=folder.key))
    expired = f"--tls-cert {folder.cert}: certificate has expired"
    assert [record.getMessage() for record in caplog.records] == [expired] * is_warned


def test_a_key_that_everybody_can_read_is_warned_of(
    folder: Folder, caplog: pytest.LogCaptureFixture
) -> None:
    folder.key.chmod(0o644)
    Certificate(TlsFiles(cert=folder.cert, key=folder.key))
    assert "other users may read or change it" in caplog.text


async def test_keys_over_tls_need_no_warning(folder: Folder) -> None:
    environment = {"GINRUMMY_API_KEYS": "lobby=a-key-of-the-lobby-01"}
    flags = ("--host", "0.0.0.0", *folder.flags())
    async with served(*flags, environment=environment) as (program, _, err):
        with secured_desk(program.port, folder.authority) as (channel, desk):
            assert await is_let_in(desk, "a-key-of-the-lobby-01")
            assert not await is_let_in(desk, "another-key-than-this")
            await channel.close()
    assert "WARNING" not in "".join(err)
