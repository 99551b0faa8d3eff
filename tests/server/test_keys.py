"""API keys: who needs one, how they are changed while the server runs, and what keeps them."""

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import grpc
import pytest

from ginrummy.client import GinRummyClient, GinRummyError
from ginrummy.log import MemoryLog
from ginrummy.server.commands import CommandError
from ginrummy.server.edge import Context
from ginrummy.server.keys import KeyRing, caller_of_call, digest_of, keys_from_text
from ginrummy.server.loopback import check_reach, is_loopback
from ginrummy.server.reloading import UnusableFileError
from ginrummy.server.serving import Serving
from ginrummy.server.settings import Security, Settings
from ginrummy.v1 import match_pb2
from ginrummy.v1 import match_service_pb2 as pb

from .players import HUMAN, OPEN, TIMEOUT_S, Desk, new_request_id
from .programs import Program, launch, run_to_end
from .refusals import Refusal, refusal

LOBBY, SHOP = "a-key-of-the-lobby-01", "a-key-of-the-shop-002"
PATIENCE_S = 30

Metadata = tuple[tuple[str, str], ...]


def line_of(name: str, key: str) -> str:
    return f"{name} {digest_of(key).hex()}\n"


def keys_file(folder: Path, *lines: str) -> Path:
    """A file of keys, which takes the place of the one before in one step."""
    new = folder / "keys.new"
    new.write_text("# who may call\n\n" + "".join(lines))
    new.chmod(0o600)
    return new.rename(folder / "keys.txt")


def with_key(key: str | None) -> Metadata:
    return () if key is None else (("x-api-key", key),)


def create(desk: Desk, key: str | None) -> Awaitable[pb.CreateMatchResponse]:
    match = match_pb2.Match(ruleset="rulesets/short", seats=[HUMAN, OPEN])
    request = pb.CreateMatchRequest(match=match, request_id=new_request_id())
    return desk.matches.CreateMatch(request, metadata=with_key(key), timeout=TIMEOUT_S)


def list_matches(desk: Desk, key: str | None) -> Awaitable[pb.ListMatchesResponse]:
    request = pb.ListMatchesRequest()
    return desk.matches.ListMatches(request, metadata=with_key(key), timeout=TIMEOUT_S)


async def follow(desk: Desk, key: str | None) -> Any:
    """A stream of WatchMatches that is open."""
    call = desk.matches.WatchMatches(pb.WatchMatchesRequest(), metadata=with_key(key))
    try:
        async with asyncio.timeout(PATIENCE_S):
            await call.initial_metadata()
            if call.done():
                await call.read()
    except BaseException:
        call.cancel()
        raise
    return call


@asynccontextmanager
async def served(
    *arguments: str, environment: dict[str, str] | None = None
) -> AsyncIterator[tuple[Program, Desk, list[str]]]:
    """A server with these flags, a connection to it, and its log lines when it has ended."""
    program = await launch("--in-memory", *arguments, environment=environment)
    err: list[str] = []
    assert program.process.stderr is not None
    reading = asyncio.create_task(read_lines(program.process.stderr, err))
    try:
        async with grpc.aio.insecure_channel(program.address) as channel:
            yield program, Desk(channel), err
        assert await program.stop() == 0
    finally:
        if program.process.returncode is None:
            await program.kill()
        await reading
        await program.process.communicate()


async def read_lines(stream: asyncio.StreamReader, into: list[str]) -> None:
    while line := await stream.readline():
        into.append(line.decode())


def read_again(program: Program) -> None:
    """Has the server read its files now instead of within two seconds."""
    program.process.send_signal(signal.SIGHUP)


async def until(is_so: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not await is_so():  # noqa: ASYNC110 - another program tells nobody
            await asyncio.sleep(0.05)


async def is_let_in(desk: Desk, key: str) -> bool:
    try:
        await list_matches(desk, key)
    except grpc.aio.AioRpcError as error:
        if error.code() is not grpc.StatusCode.UNAUTHENTICATED:
            raise
        return False
    return True


async def is_refused(desk: Desk, key: str) -> bool:
    return not await is_let_in(desk, key)


def is_about_the_key(refused: Refusal) -> bool:
    return (
        refused.code is grpc.StatusCode.UNAUTHENTICATED
        and refused.reason == "BAD_KEY"
        and "x-api-key" in refused.message
    )


@pytest.fixture
async def guarded_at() -> AsyncIterator[str]:
    """The address of a server in this process that knows the key of the lobby."""
    keys = keys_from_text(f"lobby={LOBBY}")
    serving = Serving(MemoryLog(), Settings(security=Security(api_keys=keys)))
    port = await serving.start("127.0.0.1", 0)
    yield f"127.0.0.1:{port}"
    await serving.stop(0.2)


@pytest.fixture
async def guarded(guarded_at: str) -> AsyncIterator[Desk]:
    """A connection to it."""
    async with grpc.aio.insecure_channel(guarded_at) as channel:
        yield Desk(channel)


@pytest.mark.parametrize("call", [create, list_matches, follow])
@pytest.mark.parametrize("key", [None, "", SHOP, LOBBY[:-1], f"lobby={LOBBY}"])
async def test_where_keys_are_set_these_calls_need_one(
    guarded: Desk, call: Callable[[Desk, str | None], Awaitable[Any]], key: str | None
) -> None:
    assert is_about_the_key(await refusal(call(guarded, key)))


async def test_whoever_has_a_key_is_let_in_and_tokens_do_for_all_else(guarded: Desk) -> None:
    created = await create(guarded, LOBBY)
    assert [match.name for match in (await list_matches(guarded, LOBBY)).matches] == [
        created.match.name
    ]
    (await follow(guarded, LOBBY)).cancel()
    join = pb.JoinMatchRequest(name=created.match.name, player=HUMAN.human)
    joined = await guarded.matches.JoinMatch(join, timeout=TIMEOUT_S)
    assert joined.seat == 2
    await guarded.matches.GetMatch(pb.GetMatchRequest(name=created.match.name))


async def test_keys_come_from_a_file_and_from_the_environment(tmp_path: Path) -> None:
    file = keys_file(tmp_path, line_of("lobby", LOBBY))
    environment = {"GINRUMMY_API_KEYS": f"shop={SHOP}"}
    async with served("--api-keys-file", str(file), environment=environment) as (_, desk, _err):
        assert await is_let_in(desk, LOBBY)
        assert await is_let_in(desk, SHOP)
        assert not await is_let_in(desk, "another-key-than-these")


async def test_a_revoked_key_is_refused_and_its_streams_end_while_others_go_on(
    tmp_path: Path,
) -> None:
    file = keys_file(tmp_path, line_of("lobby", LOBBY), line_of("shop", SHOP))
    async with served("--api-keys-file", str(file)) as (_, desk, _err):
        revoked, kept = await follow(desk, LOBBY), await follow(desk, SHOP)
        keys_file(tmp_path, line_of("shop", SHOP))
        refused = await asyncio.wait_for(refusal(revoked.read()), PATIENCE_S)
        assert (refused.code, refused.reason) == (grpc.StatusCode.UNAUTHENTICATED, "BAD_KEY")
        assert not await is_let_in(desk, LOBBY)
        created = await create(desk, SHOP)
        news = await asyncio.wait_for(kept.read(), PATIENCE_S)
        assert news.match.name == created.match.name
        kept.cancel()


async def test_a_new_key_is_taken_at_once_when_the_server_is_told(tmp_path: Path) -> None:
    file = keys_file(tmp_path, line_of("shop", SHOP))
    async with served("--api-keys-file", str(file)) as (program, desk, _err):
        # The same size and time as before: only the signal tells of it.
        before = file.stat()
        with file.open("r+") as text:
            text.write("# who may call\n\n" + line_of("shop", LOBBY))
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        read_again(program)
        await until(lambda: is_let_in(desk, LOBBY))
        assert not await is_let_in(desk, SHOP)


async def test_a_broken_file_keeps_the_keys_until_it_is_mended(tmp_path: Path) -> None:
    file = keys_file(tmp_path, line_of("lobby", LOBBY))
    async with served("--api-keys-file", str(file)) as (program, desk, err):

        async def is_told() -> bool:
            return any("API keys stay as they were" in line for line in err)

        keys_file(tmp_path, line_of("shop", SHOP), "lobby 123\n")
        read_again(program)
        await until(is_told)
        assert await is_let_in(desk, LOBBY)
        assert not await is_let_in(desk, SHOP)
        keys_file(tmp_path, line_of("shop", SHOP))
        read_again(program)
        await until(lambda: is_let_in(desk, SHOP))
        assert not await is_let_in(desk, LOBBY)
        # A file that is being written anew is empty for a moment; nobody is put out by that.
        err.clear()
        file.write_text("")
        read_again(program)
        await until(is_told)
        assert await is_let_in(desk, SHOP)
        # Whoever takes out the last line means it.
        keys_file(tmp_path)
        read_again(program)
        await until(lambda: is_refused(desk, SHOP))
    assert any(f"--api-keys-file {file}: is empty" in line for line in err)
    assert LOBBY not in "".join(err)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("lobby 123\n", "line 1 has no SHA-256 of 64 hexadecimal digits"),
        ("# a\nlobby\n", "line 2 is not NAME SHA256HEX"),
        (f"lobby={LOBBY}\n", "line 1 is not NAME SHA256HEX"),
        (f"lobby {LOBBY}\n", "line 1 has no SHA-256"),
        (2 * line_of("lobby", LOBBY), "line 2 names 'lobby' twice"),
        ("\x80", "is no text"),
        (None, "no such file or directory"),
    ],
)
def test_a_wrong_file_is_refused_with_the_line(tmp_path: Path, text: str | None, said: str) -> None:
    file = tmp_path / "keys.txt"
    if text is not None:
        file.write_text(text, encoding="latin-1")
    with pytest.raises(UnusableFileError) as refused:
        KeyRing((), file)
    assert str(refused.value).startswith(f"--api-keys-file {file}: {said}")
    assert LOBBY not in str(refused.value)


async def test_a_file_that_is_wrong_at_the_start_is_an_error(tmp_path: Path) -> None:
    file = keys_file(tmp_path, "lobby\n")
    code, out, err = await run_to_end("--in-memory", "--port", "0", "--api-keys-file", str(file))
    assert (code, out) == (1, "")
    assert err.startswith(f"ginrummy-server: --api-keys-file {file}: line 3 is not NAME SHA256HEX")
    assert err.count("\n") == 1


async def test_a_name_that_file_and_environment_share_is_an_error(tmp_path: Path) -> None:
    file = keys_file(tmp_path, line_of("lobby", LOBBY))
    with pytest.raises(UnusableFileError, match="names 'lobby' twice"):
        KeyRing(keys_from_text(f"lobby={SHOP}"), file)


async def test_a_file_that_everybody_can_read_is_warned_of(tmp_path: Path) -> None:
    file = keys_file(tmp_path, line_of("lobby", LOBBY))
    async with served("--api-keys-file", str(file)) as (_, _desk, err):
        pass
    assert "chmod" not in "".join(err)
    file.chmod(0o644)
    async with served("--api-keys-file", str(file)) as (_, _desk, err):
        pass
    assert f"--api-keys-file {file}: other users may read or change it; chmod o-rwx" in "".join(err)


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("ipv4:192.0.2.7:50000", "192.0.2.7"),
        ("ipv6:[2001:db8::7]:50000", "2001:db8::/64"),
        ("ipv6:%5B2001:db8:0:0:9::7%5D:50000", "2001:db8::/64"),
        ("ipv6:%5B2001:db8:0:1::7%5D:50000", "2001:db8:0:1::/64"),
        ("ipv6:%5B::ffff:192.0.2.7%5D:50000", "192.0.2.7"),
        ("ipv6:%5Bfe80::7%25eth0%5D:50000", "fe80::/64"),
        ("unix:/run/socket", "unix"),
    ],
)
def test_a_caller_is_his_key_or_his_address_or_his_network(peer: str, address: str) -> None:
    ring = KeyRing(keys_from_text(f"lobby={LOBBY}"))

    def caller(key: str | None) -> str:
        context = SimpleNamespace(peer=lambda: peer, invocation_metadata=lambda: with_key(key))
        return caller_of_call(cast(Context, context), ring)

    assert caller(LOBBY) == "key:lobby"
    assert caller(None) == caller(SHOP) == address


async def test_hash_key_makes_a_key_and_its_line(tmp_path: Path) -> None:
    code, line, told = await run_to_end("hash-key", "lobby")
    assert code == 0
    key = told.split()[-1]
    assert len(key) == 43
    assert line == line_of("lobby", key)
    file = keys_file(tmp_path, line)
    async with served("--api-keys-file", str(file)) as (_, desk, _err):
        assert await is_let_in(desk, key)


async def test_hash_key_refuses_a_name_that_the_file_could_not_hold() -> None:
    code, out, err = await run_to_end("hash-key", "my lobby")
    assert (code, out) == (1, "")
    assert "letters, digits" in err


async def test_the_client_shows_its_key_to_the_server_and_to_nobody_else(guarded_at: str) -> None:
    async with GinRummyClient(guarded_at, api_key=LOBBY) as client:
        assert [match async for match in client.list_matches()] == []
        assert LOBBY not in repr(client) + repr(vars(client))
    async with GinRummyClient(guarded_at, api_key=SHOP) as client:
        with pytest.raises(GinRummyError) as refused:
            await anext(client.list_matches())
    assert "x-api-key" in str(refused.value)
    assert SHOP not in str(refused.value) + repr(refused.value)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "::ffff:192.0.2.1", "0", "*"])
def test_without_keys_only_this_machine_is_served(host: str) -> None:
    with pytest.raises(CommandError) as refused:
        check_reach(Settings(host=host))
    assert f"--host {host} can be reached from other machines" in str(refused.value)
    assert "--api-keys-file, or --insecure" in str(refused.value)
    assert check_reach(Settings(host=host, security=Security(insecure=True))) is None


async def test_a_server_that_others_could_reach_without_keys_does_not_start() -> None:
    code, out, err = await run_to_end("--in-memory", "--port", "0", "--host", "0.0.0.0")
    assert (code, out) == (1, "")
    assert err.startswith("ginrummy-server: --host 0.0.0.0 can be reached from other machines")
    assert err.count("\n") == 1


def test_a_name_counts_by_all_its_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    def found(addresses: list[str]) -> Callable[..., list[Any]]:
        return lambda *_, **__: [(None, None, None, "", (text, 0)) for text in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", found(["127.0.0.1", "::1"]))
    assert is_loopback("my-host")
    monkeypatch.setattr(socket, "getaddrinfo", found(["127.0.0.1", "10.0.0.7"]))
    assert not is_loopback("my-host")
    monkeypatch.setattr(socket, "getaddrinfo", found(["fe80::1%eth0"]))
    assert not is_loopback("my-host")


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "localhost", "::1"])
def test_this_machine_is_served_without_keys(host: str) -> None:
    assert check_reach(Settings(host=host)) is None


async def test_everybody_is_let_in_where_that_is_said() -> None:
    async with served("--host", "0.0.0.0", "--insecure") as (_, desk, err):
        await list_matches(desk, None)
    assert "in the clear" not in "".join(err)


async def test_keys_in_the_clear_are_warned_of_where_others_can_listen() -> None:
    environment = {"GINRUMMY_API_KEYS": f"shop={SHOP}"}
    async with served("--host", "0.0.0.0", environment=environment) as (_, desk, err):
        assert await is_let_in(desk, SHOP)
    assert "go to 0.0.0.0 in the clear; set --tls-cert" in "".join(err)
    async with served(environment=environment) as (_, _desk, err):
        pass
    assert "in the clear" not in "".join(err)
