"""One live match: the order of commands, and what follows from each.

A table is a cache of the fold of its log. A command is decided on a copy, stored, and only then
shown; all of that in a task of its own, so that a caller who goes away at any moment leaves log
and table equal.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from ginrummy.engine import RULES_VERSION
from ginrummy.log import Conflict, Entry, EventLog, LogUnavailable
from ginrummy.log import RequestIdReused as LogRequestIdReused
from ginrummy.tables.absence import Absence
from ginrummy.tables.audience import Audience, Sending
from ginrummy.tables.commands import Command, is_same_request
from ginrummy.tables.erasing import erased_entry, erased_state
from ginrummy.tables.errors import (
    Draining,
    MatchUnreadable,
    RequestIdReused,
    StoreUnavailable,
    TokenReplaced,
)
from ginrummy.tables.events import Recorded, from_log, to_log
from ginrummy.tables.index import reading
from ginrummy.tables.replay import Disagreement, Replayed, replay_entry
from ginrummy.tables.rows import index_row
from ginrummy.tables.state import Outcome, TableState, advance, decide
from ginrummy.tables.work import Work

lines = logging.getLogger(__name__)

NowUs = Callable[[], int]


def nobody(_: "Answer") -> None:
    """Is told of an answer and does nothing: it is awaited."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A command as somebody asked for it.

    `settle` makes the final command of it in the state in which, and at the time (in microseconds)
    at which, it is decided; or refuses it.
    """

    command: Command
    settle: Callable[[TableState, int], Command]
    request_id: str | None = None
    token_digest: bytes | None = None
    """Of the seat that a join takes."""
    on_answer: "OnAnswer" = nobody
    """Told of the answer once it is durable and before anybody is shown its events."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command has caused. `replayed`: an earlier attempt with its request_id had."""

    command: dict[str, Any]
    events: list[Recorded]
    replayed: bool

    @property
    def head(self) -> int:
        """The match's latest event after the command."""
        return self.events[-1].sequence


OnAnswer: TypeAlias = Callable[[Answer], None]


class Table:
    """A match's state, its log, and whom to tell of what happens."""

    def __init__(
        self,
        log: EventLog,
        told: Replayed,
        token_hashes: dict[str, bytes],
        sending: Sending,
        now_us: NowUs,
        absence: Absence | None = None,
    ) -> None:
        """`absence`: what was seen of it before, if the table has been live before."""
        self.state = told.state
        self.tokens = token_hashes
        self.audience = Audience(self, log, sending, told.events, absence or Absence(now_us()))
        self.now_us = now_us
        self.on_change: Callable[[], None] = _nothing
        self.is_unsure = False
        """The store failed: what it holds beyond our head, if anything, is not known."""
        self._log = log
        self._requests = told.requests
        self._create_request_id = told.create_request_id
        self._lock = asyncio.Lock()
        self._work = Work()
        self._is_closing = False

    async def carry_out(self, asked: Asked) -> Answer:
        """Decides a command and stores it; or gives its first answer again. Raises a Refused.

        Once begun it goes on, whether or not the caller waits for it.
        """
        return await self._work.run(self._carry_out(asked))

    async def settle(self) -> None:
        """Reads again where the match stands, after the store has failed."""
        await self._work.run(self._settle())

    async def replace_tokens(
        self, hashes: dict[str, bytes], asked_with: tuple[str, bytes] | None = None
    ) -> None:
        """Gives roles new tokens; the old ones stop working.

        `asked_with`: the role and token by which it is asked for. Raises TokenReplaced if that one
        has stopped working before its turn came.
        """
        await self._work.run(self._replace_tokens(hashes, asked_with))

    async def erase(self, seat: int) -> None:
        """Takes the name of whoever sits in `seat` out of the log and out of all that is shown."""
        await self._work.run(self._erase(seat))

    async def close(self) -> None:
        """Takes no more commands, finishes those begun, ends every watch."""
        self._is_closing = True
        self.audience.close()
        await self._work.finish()

    @property
    def is_closing(self) -> bool:
        """No more commands are taken."""
        return self._is_closing

    @property
    def is_idle(self) -> bool:
        """Nobody waits for anything here, and nothing will happen by itself."""
        return not (
            self._work.is_going_on
            or self.audience.is_present
            or self.is_unsure
            or self.state.deadline_us is not None
            or self.state.bot_to_act
        )

    async def _settle(self) -> None:
        async with self._lock:
            await self._read_head()

    async def _erase(self, seat: int) -> None:
        async with self._lock:
            if self._is_closing:
                raise Draining
            if self.is_unsure:
                await self._read_head()
            state = erased_state(self.state, seat)
            row = index_row(state, self._create_request_id)
            with reading(state.match_id):
                if state != self.state:
                    await self._log.rewrite(
                        state.match_id, lambda entry: erased_entry(entry, seat), lambda _: row
                    )
                    self.state = state
                    self.audience.erase(seat)
                await self._log.purge()

    async def _replace_tokens(
        self, hashes: dict[str, bytes], asked_with: tuple[str, bytes] | None
    ) -> None:
        async with self._lock:
            if asked_with is not None and self.tokens.get(asked_with[0]) != asked_with[1]:
                raise TokenReplaced
            try:
                for role, digest in hashes.items():
                    await self._log.set_token(self.state.match_id, role, digest)
                    self._take_tokens({role: digest})
            except LogUnavailable as error:
                self._doubt(error)
                raise StoreUnavailable from error

    def _take_tokens(self, hashes: dict[str, bytes]) -> None:
        """Those who watch by an older token of these roles do so no longer."""
        for role, digest in hashes.items():
            if self.tokens.get(role, digest) != digest:
                self.audience.dismiss(role)
            self.tokens[role] = digest

    async def _carry_out(self, asked: Asked) -> Answer:
        async with self._lock:
            if self._is_closing:
                raise Draining
            if self.is_unsure:
                await self._read_head()
            while True:
                first = self._requests.get(asked.request_id) if asked.request_id else None
                if first is not None:
                    return await self._answer_again(asked, first)
                now_us = self.now_us()
                command = asked.settle(self.state, now_us)
                outcome = decide(self.state, command, now_us)
                answer = await self._store(asked, command, outcome, now_us)
                if answer is not None:
                    return answer
                await self._read_head()

    async def _answer_again(self, asked: Asked, first: int) -> Answer:
        with reading(self.state.match_id):
            entry = await self._log.entry_at(self.state.match_id, first)
        if entry is None or not is_same_request(entry.command, asked.command):
            raise RequestIdReused(asked.request_id or "")
        answer = Answer(entry.command, from_log(entry), replayed=True)
        asked.on_answer(answer)
        return answer

    async def _store(
        self, asked: Asked, command: Command, outcome: Outcome, now_us: int
    ) -> Answer | None:
        """Makes the outcome durable, then shows it. None if somebody else has moved the match."""
        deadline_us = command.get("deadline_us", outcome.deadline_us)
        if deadline_us is not None:
            command["deadline_us"] = deadline_us
        state, events = advance(outcome, now_us, deadline_us)
        stored = cast(dict[str, Any], command)
        entry = Entry(
            match_id=state.match_id,
            first=events[0].sequence,
            command=stored,
            events=to_log(events),
            time_us=now_us,
            rules_version=RULES_VERSION,
            request_id=asked.request_id,
        )
        hashes = _hashes(command, asked.token_digest)
        try:
            await self._log.append(entry, index_row(state, self._create_request_id), hashes)
        except (Conflict, LogRequestIdReused):
            return None
        except LogUnavailable as error:
            self._doubt(error)
            raise StoreUnavailable from error
        self._take_tokens(hashes)
        answer = Answer(stored, events, replayed=False)
        asked.on_answer(answer)
        self._move_to(state, events, asked.request_id)
        return answer

    def _doubt(self, error: LogUnavailable) -> None:
        match_id = self.state.match_id
        said = "match %s: the log is unavailable: %s"
        lines.warning(said, match_id, error, extra={"match": match_id})
        self.is_unsure = True
        self.on_change()

    async def _read_head(self) -> None:
        """Plays what the log holds beyond our head."""
        match_id = self.state.match_id
        with reading(match_id):
            entries = await self._log.read(match_id, after=self.state.head)
            hashes = await self._log.tokens(match_id)
        for entry in entries:
            try:
                state, events = replay_entry(self.state, entry)
            except Disagreement as error:
                said = "match %s is set aside: %s"
                lines.error(said, match_id, error, extra={"match": match_id})
                raise MatchUnreadable(match_id) from error
            self._move_to(state, events, entry.request_id)
        self._take_tokens(hashes)
        self.is_unsure = False
        self.on_change()

    def _move_to(self, state: TableState, events: list[Recorded], request_id: str | None) -> None:
        self.state = state
        if request_id is not None:
            self._requests[request_id] = events[0].sequence
        self.audience.show(events)
        self.on_change()


def _hashes(command: Command, token_digest: bytes | None) -> dict[str, bytes]:
    if command["type"] != "join" or token_digest is None:
        return {}
    return {str(command["seat"]): token_digest}


def _nothing() -> None:
    """Nobody attends to the table yet."""
