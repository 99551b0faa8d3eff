"""One live match: the order of commands, and what follows from each.

A table is a cache of the fold of its log. A command is decided on a copy, stored, and only then
shown. From deciding on nothing waits for the caller, so that one who goes away at any moment leaves
log and table equal.
"""

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeAlias, cast

from ginrummy.engine import RULES_VERSION
from ginrummy.log import Conflict, Entry, EventLog, Json, LogDamaged, LogUnavailable
from ginrummy.log import RequestIdReused as LogRequestIdReused
from ginrummy.tables import tokens
from ginrummy.tables.absence import Absence
from ginrummy.tables.audience import Audience, Sending
from ginrummy.tables.commands import Command, is_same_request, to_log
from ginrummy.tables.erasing import erased_entry, erased_state
from ginrummy.tables.errors import (
    Draining,
    MatchNotOver,
    MatchOver,
    MatchUnreadable,
    RequestIdReused,
    StoreUnavailable,
    TokenReplaced,
    TokenWithheld,
)
from ginrummy.tables.events import Happened, from_log
from ginrummy.tables.index import SetAside, reading
from ginrummy.tables.replay import Disagreement, Replayed, replay_entry
from ginrummy.tables.rows import Rows
from ginrummy.tables.state import TableState, advance, decide
from ginrummy.tables.work import Work

lines = logging.getLogger(__name__)

NowUs = Callable[[], int]


def nobody(_: "Answer") -> None:
    """Is told of an answer and does nothing: it is awaited."""


class Asked(NamedTuple):
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
    by: tokens.Holder | None = None
    """Whose token it is asked with, which has to work when its turn comes. None: without one."""


class Answer(NamedTuple):
    """What a command has caused. `replayed`: an earlier attempt with its request_id had."""

    command: dict[str, Any]
    happened: Happened
    head: int
    """The match's latest event after the command."""
    replayed: bool


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
        set_aside: SetAside,
        absence: Absence | None = None,
    ) -> None:
        """`absence`: what was seen of it before, if the table has been live before."""
        self.state = told.state
        self.tokens = token_hashes
        self.audience = Audience(self, log, sending, told.happened, absence or Absence(now_us()))
        self.now_us = now_us
        self.on_change: Callable[[], None] = _nothing
        self.is_unsure = False
        """The store failed: what it holds beyond our head, if anything, is not known."""
        self._refused_at: int | None = None
        """Our head when the log refused what was to follow it."""
        self._log = log
        self._set_aside = set_aside
        self._requests = told.requests
        self._rows = Rows(told.create_request_id)
        self._loop = asyncio.get_running_loop()
        self._lock = asyncio.Lock()
        self._work = Work()
        self._is_closing = False

    async def carry_out(self, asked: Asked) -> Answer:
        """Decides a command and stores it; or gives its first answer again. Raises a Refused.

        Once the log has it, it goes on whether or not the caller waits for it.
        """
        while True:
            storing: asyncio.Future[Answer | None] | None = None
            await self._lock.acquire()
            try:
                await self._take_turn(asked.by)
                if not asked.request_id or asked.request_id not in self._requests:
                    storing = self._begin_to_store(asked)
            finally:
                if storing is None:
                    self._lock.release()
            if storing is None:
                return await self._work.run(self._answer_again(asked))
            answer = await storing
            if answer is not None:
                return answer

    async def settle(self) -> None:
        """Reads again where the match stands, after the store has failed."""
        await self._work.run(self._settle())

    async def replace_tokens(
        self, hashes: dict[str, bytes], by: tokens.Holder | None = None
    ) -> None:
        """Gives roles new tokens; the old ones stop working.

        `by`: whose token it is asked with. Raises TokenReplaced if that one has stopped working
        before its turn came.
        """
        await self._work.run(self._replace_tokens(hashes, by))

    async def erase(self, seat: int, by: tokens.Holder | None = None) -> None:
        """Takes the name of whoever sits in `seat` out of the log and out of all that is shown.

        A seat's token does it once the match has ended: until then others count on knowing who
        plays. Raises MatchNotOver, and TokenReplaced as `replace_tokens` does.
        """
        await self._work.run(self._erase(seat, by))

    async def close(self) -> None:
        """Takes no more commands, finishes those begun, ends every watch."""
        self._is_closing = True
        self.audience.close()
        await self._work.finish()
        async with self._lock:  # what the log is about to store is stored
            return

    @property
    def is_closing(self) -> bool:
        """No more commands are taken."""
        return self._is_closing

    @property
    def is_set_aside(self) -> bool:
        """What the store holds beyond our head cannot be read: nothing happens here any more."""
        return self.state.match_id in self._set_aside

    @property
    def is_idle(self) -> bool:
        """Nobody waits for anything here, and nothing will happen by itself but by the clock."""
        if self._lock.locked() or self._work.is_going_on or self.audience.is_present:
            return False
        return self.is_set_aside or not (self.is_unsure or self.state.bot_to_act)

    async def _settle(self) -> None:
        async with self._lock:
            await self._read_head()

    async def _take_turn(self, by: tokens.Holder | None) -> None:
        """Within the lock: sees that a command may be decided now, and on what."""
        self._set_aside.check(self.state.match_id)
        if self._is_closing:
            raise Draining
        if self.is_unsure:
            await self._read_head()
        if by is not None and not by.holds(self.tokens):
            raise TokenReplaced

    async def _erase(self, seat: int, by: tokens.Holder | None) -> None:
        async with self._lock:
            await self._take_turn(by)
            if by is not None and by.role != tokens.HOST and self.state.result is None:
                raise MatchNotOver
            state = erased_state(self.state, seat)
            row = self._rows.of(state)
            with reading(state.match_id):
                if state != self.state:
                    await self._log.rewrite(
                        state.match_id, lambda entry: erased_entry(entry, seat), lambda _: row
                    )
                    self.state = state
                    self.audience.forget_shown()
        with reading(state.match_id):  # not in the lock: it may wait for others' purges
            await self._log.purge()

    async def _replace_tokens(self, hashes: dict[str, bytes], by: tokens.Holder | None) -> None:
        async with self._lock:
            await self._take_turn(by)
            await self._set_tokens(hashes)

    async def _set_tokens(self, hashes: dict[str, bytes]) -> None:
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

    async def _answer_again(self, asked: Asked) -> Answer:
        async with self._lock:
            await self._take_turn(asked.by)
            first = self._requests[asked.request_id or ""]
            with reading(self.state.match_id):
                entry = await self._log.entry_at(self.state.match_id, first)
            if entry is None or not is_same_request(entry.command.value, asked.command):
                raise RequestIdReused(asked.request_id or "")
            if asked.token_digest is not None:
                await self._give_token_again(entry.command.value, asked.token_digest)
            answer = Answer(entry.command.value, from_log(entry), entry.last, replayed=True)
            asked.on_answer(answer)
            return answer

    async def _give_token_again(self, join: dict[str, Any], digest: bytes) -> None:
        """A new token to whoever repeats a join, which nobody else can do as long as that is so."""
        seat = str(join["seat"])
        if tokens.renewed(seat) in self.tokens:
            raise TokenWithheld("the seat's token has been replaced by the host")
        if join["occupant"].get("erased"):
            raise TokenWithheld("who joined by this request has been erased; ask the host")
        if self.state.result is not None:
            raise MatchOver
        await self._set_tokens({seat: digest})

    def _begin_to_store(self, asked: Asked) -> "asyncio.Future[Answer | None]":
        """Within the lock: decides and hands the outcome to the log, which keeps the lock.

        From here on nothing waits for whoever asked, so that he may go away at any moment. The
        result is None if somebody else has moved the match.
        """
        now_us = self.now_us()
        command = asked.settle(self.state, now_us)
        outcome = decide(self.state, command, now_us)
        deadline_us = command.get("deadline_us", outcome.deadline_us)
        if deadline_us is not None:
            command["deadline_us"] = deadline_us
        state, happened = advance(outcome, now_us, deadline_us)
        stored = cast(dict[str, Any], command)
        # In the order of the fields, as by their names it takes twice as long.
        entry = Entry(
            state.match_id,
            happened.first,
            state.head,
            to_log(command),
            Json(happened.stored()),
            now_us,
            RULES_VERSION,
            asked.request_id,
        )
        hashes = _hashes(command, asked.token_digest)
        answer = Answer(stored, happened, state.head, replayed=False)
        storing: asyncio.Future[Answer | None] = self._loop.create_future()
        row = self._rows.of(state)
        try:
            appending = self._log.append(entry, row, hashes)
        except LogUnavailable as error:
            self._doubt(error)
            raise StoreUnavailable from error
        appending.add_done_callback(
            partial(self._end_of_storing, storing, asked, state, answer, hashes)
        )
        return storing

    def _end_of_storing(
        self,
        storing: "asyncio.Future[Answer | None]",
        asked: Asked,
        state: TableState,
        answer: Answer,
        hashes: dict[str, bytes],
        appending: "asyncio.Future[int]",
    ) -> None:
        """What is durable now is shown; and the next command has its turn."""
        told: Answer | None = None
        error: BaseException | None = None
        try:
            appending.result()
            self._take_tokens(hashes)
            asked.on_answer(answer)
            self._move_to(state, answer.happened, asked.request_id)
            told = answer
        except (Conflict, LogRequestIdReused):
            self.is_unsure = True
            self._refused_at = self.state.head
        except LogUnavailable as unavailable:
            self._doubt(unavailable)
            error = StoreUnavailable()
            error.__cause__ = unavailable
        except BaseException as fault:
            self.is_unsure = True  # it may be stored, and has not been shown
            error = fault
        self._lock.release()
        if self.is_unsure:  # whoever asked may be gone before he reads again
            self.on_change()
        if storing.done():
            return
        if error is not None:
            storing.set_exception(error)
        else:
            storing.set_result(told)

    def _doubt(self, error: LogUnavailable) -> None:
        match_id = self.state.match_id
        said = "match %s: the log is unavailable: %s"
        lines.warning(said, match_id, error, extra={"match": match_id})
        self.is_unsure = True
        self.on_change()

    async def _read_head(self) -> None:
        """Plays what the log holds beyond our head."""
        match_id = self.state.match_id
        try:
            entries = await self._log.read(match_id, after=self.state.head)
            if self._refused_at == self.state.head and not entries:
                raise Disagreement("the log shows nothing more, and takes nothing more")
            hashes = await self._log.tokens(match_id)
            for entry in entries:
                state, happened = replay_entry(self.state, entry)
                self._move_to(state, happened, entry.request_id)
        except (LogDamaged, Disagreement) as error:
            raise self._put_aside(error) from error
        except LogUnavailable as error:
            raise StoreUnavailable from error
        self._take_tokens(hashes)
        self.is_unsure = False
        self._refused_at = None
        self.on_change()

    def _put_aside(self, error: Exception) -> MatchUnreadable:
        """Ends all that goes on here, as the match cannot be read; what to raise."""
        unreadable = self._set_aside.put(self.state.match_id, error)
        self.audience.set_aside()
        self.on_change()
        return unreadable

    def _move_to(self, state: TableState, happened: Happened, request_id: str | None) -> None:
        begins = not self.state.dealt_us and bool(state.dealt_us)
        self.state = state
        if request_id is not None:
            self._requests[request_id] = happened.first
        self.audience.show(happened, begins=begins)
        self.on_change()


def _hashes(command: Command, token_digest: bytes | None) -> dict[str, bytes]:
    if command["type"] != "join" or token_digest is None:
        return {}
    return {str(command["seat"]): token_digest}


def _nothing() -> None:
    """Nobody attends to the table yet."""
