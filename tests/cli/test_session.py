"""A session at a table whose server comes and goes, with a scripted server and player."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from types import MappingProxyType
from typing import Any, cast

import pytest
from grpc import StatusCode

from ginrummy.cli import session as session_module
from ginrummy.cli.game import Game
from ginrummy.cli.pressing import Step, press
from ginrummy.cli.session import Session
from ginrummy.cli.table import Table
from ginrummy.cli.telling import teller_for
from ginrummy.cli.words import Words
from ginrummy.client import GinRummyError, LimitReached, MatchClient, ServerUnavailable, Update
from ginrummy.v1.analysis_service_pb2 import SuggestActionsResponse, Suggestion
from ginrummy.v1.events_pb2 import (
    CardDiscarded,
    CardDrawn,
    HandScored,
    Heartbeat,
    LaidOff,
    MatchCreated,
    MatchEvent,
    Notice,
    TimedOut,
)
from ginrummy.v1.match_service_pb2 import ActResponse
from ginrummy.v1.view_pb2 import View

from .tables import discard_view, draw_view, match

AWAY = ServerUnavailable("away", code=StatusCode.UNAVAILABLE)


async def until(wanted: Callable[[], bool]) -> None:
    """Waits a minute or more for it."""
    for _ in range(12_000):
        if wanted():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it did not come about")


def created(sequence: int) -> MatchEvent:
    return MatchEvent(sequence=sequence, match_created=MatchCreated())


class Seat:
    """The server's side: tells what the test says, and is away when the test wants."""

    def __init__(self, view: View, past: Mapping[int, MatchEvent] = MappingProxyType({})) -> None:
        """`past`: what happened before the view; otherwise the match was created, all the time."""
        self.now = view
        self.away = False
        self.requests: list[str] = []
        self.views = 0
        self.advice: list[Suggestion] | GinRummyError = []
        self.updates: asyncio.Queue[Update | Exception] = asyncio.Queue()
        self.on_connection: Callable[[bool], None] = lambda _: None
        for sequence in range(1, view.sequence + 1):
            self.updates.put_nowait(past.get(sequence) or created(sequence))

    async def view(self) -> View:
        if self.away:
            raise AWAY
        self.views += 1
        return self.now

    async def act(self, action: object, *, expected_sequence: int, request_id: str) -> ActResponse:
        self.requests.append(request_id)
        if self.away:
            raise AWAY
        return ActResponse(events=[MatchEvent(sequence=expected_sequence + 1)])

    async def suggest_actions(self, *, language_code: str) -> SuggestActionsResponse:
        self.requests.append(language_code)
        if isinstance(self.advice, GinRummyError):
            raise self.advice
        return SuggestActionsResponse(suggestions=self.advice)

    async def watch(
        self, *, after_sequence: int, on_connection: Callable[[bool], None]
    ) -> AsyncGenerator[Update, None]:
        self.on_connection = on_connection
        while True:
            update = await self.updates.get()
            if isinstance(update, Exception):
                raise update
            yield update

    def draw(self) -> None:
        """What the server stores and tells when the stock was drawn from."""
        self.now = discard_view()
        self.now.sequence = 10
        self.updates.put_nowait(MatchEvent(sequence=10, seat=1, card_drawn=CardDrawn()))


class Player:
    """Presses the test's keys, and remembers what was shown."""

    eager = True

    def __init__(self) -> None:
        self.keys: asyncio.Queue[str | None] = asyncio.Queue()
        self.shown: list[Table] = []
        self.told: list[int] = []
        """Numbers of the events that were told to him, and of the hands."""

    def start(self) -> None: ...
    def close(self) -> None: ...
    def heard(self, event: MatchEvent) -> None:
        self.told.append(event.sequence)

    def hand_over(self, game: Game, scored: HandScored) -> None:
        self.told.append(-scored.hand_number)

    def show(self, game: Game, table: Table) -> None:
        self.shown.append(table)

    async def read(self) -> str | None:
        return await self.keys.get()

    def step(self, table: Table, entered: str) -> Step:
        return press(table, entered)

    async def sees(self, wanted: Callable[[Table], bool]) -> None:
        await until(lambda: bool(self.shown) and wanted(self.shown[-1]))


class Sitting:
    """A session that runs, with its two sides."""

    def __init__(self, past: Mapping[int, MatchEvent] = MappingProxyType({})) -> None:
        self.seat, self.player = Seat(draw_view(), past), Player()
        teller = teller_for(match(), 1, Words("en"))
        seat = cast("MatchClient", cast("Any", self.seat))
        self.task = asyncio.create_task(Session(seat, match(), self.player, teller).play())

    async def leave(self) -> None:
        self.player.keys.put_nowait("q")
        await asyncio.wait_for(self.task, 60)


@pytest.fixture
async def sitting(monkeypatch: pytest.MonkeyPatch) -> Sitting:
    monkeypatch.setattr(session_module, "_AGAIN_S", 0.01)
    found = Sitting()
    await found.player.sees(lambda table: table.choices.can_draw)
    return found


async def test_who_comes_back_is_told_what_came_after_his_own_last_action() -> None:
    head = draw_view().sequence
    past = {
        head - 3: MatchEvent(sequence=head - 3, seat=1, card_discarded=CardDiscarded()),
        head - 2: MatchEvent(sequence=head - 2, seat=2, card_drawn=CardDrawn()),
        head - 1: MatchEvent(sequence=head - 1, hand_scored=HandScored(hand_number=3)),
    }
    back = Sitting(past)
    await back.player.sees(lambda table: table.choices.can_draw)
    assert back.player.told == [head - 2, head - 1, -3, head]
    back.seat.draw()
    await back.player.sees(lambda table: bool(table.choices.discards))
    # From then on he is told everything, once.
    assert back.player.told == [head - 2, head - 1, -3, head, 10]
    await back.leave()


async def test_who_comes_back_is_told_what_the_clock_has_played_for_him() -> None:
    head = draw_view().sequence
    past = {
        head - 5: MatchEvent(sequence=head - 5, seat=1, card_discarded=CardDiscarded()),
        head - 4: MatchEvent(sequence=head - 4, seat=1, timed_out=TimedOut()),
        head - 3: MatchEvent(sequence=head - 3, seat=1, card_drawn=CardDrawn()),
        head - 2: MatchEvent(sequence=head - 2, seat=1, card_discarded=CardDiscarded()),
        head - 1: MatchEvent(sequence=head - 1, seat=1, laid_off=LaidOff()),
    }
    back = Sitting(past)
    await back.player.sees(lambda table: table.choices.can_draw)
    assert back.player.told == [head - 4, head - 3, head - 2, head - 1, head]
    await back.leave()


async def test_an_action_is_sent_until_it_is_answered(sitting: Sitting) -> None:
    seat, player = sitting.seat, sitting.player
    seat.away = True
    player.keys.put_nowait("s")
    await player.sees(lambda table: table.lost)
    await until(lambda: len(seat.requests) > 2)
    seat.away = False
    seat.draw()
    await player.sees(lambda table: bool(table.choices.discards) and not table.lost)
    assert len(set(seat.requests)) == 1
    assert not [table.notice for table in player.shown if table.notice]
    await sitting.leave()


async def test_an_answer_that_was_lost_is_made_up_for_by_the_events(sitting: Sitting) -> None:
    seat, player = sitting.seat, sitting.player
    seat.away = True
    player.keys.put_nowait("s")
    await player.sees(lambda table: table.lost)
    # It was stored: its event comes by the resumed stream before the answer.
    seat.draw()
    seat.away = False
    await player.sees(lambda table: bool(table.choices.discards) and not table.lost)
    await sitting.leave()


async def test_the_table_can_be_left_while_the_server_is_away(sitting: Sitting) -> None:
    sitting.seat.away = True
    sitting.player.keys.put_nowait("s")
    await sitting.player.sees(lambda table: table.lost)
    await sitting.leave()


async def test_a_lost_stream_is_told_until_it_is_back(sitting: Sitting) -> None:
    seat, player = sitting.seat, sitting.player
    seat.away = True
    seat.on_connection(False)
    await player.sees(lambda table: table.lost)
    seat.now.seats[1].connected = False
    seat.away = False
    # It is found out, although nothing happens; what was missed meanwhile is asked for.
    await player.sees(lambda table: not table.lost and not table.view.seats[1].connected)
    await sitting.leave()


async def test_presence_is_asked_for_once_changes_of_it_are_told(sitting: Sitting) -> None:
    # Who came between the first view and the stream's opening is not told of.
    await until(lambda: sitting.seat.views > 1)
    await sitting.leave()


async def test_a_heartbeat_shows_the_table_no_second_time(sitting: Sitting) -> None:
    seat, player = sitting.seat, sitting.player
    await until(lambda: seat.views > 1 and bool(player.shown))
    shown = len(player.shown)
    for _ in range(3):
        seat.updates.put_nowait(Notice(heartbeat=Heartbeat()))
    await until(seat.updates.empty)
    await asyncio.sleep(0.05)
    assert len(player.shown) == shown
    seat.draw()
    await player.sees(lambda table: bool(table.choices.discards))
    await sitting.leave()


async def test_it_ends_when_the_stream_has_given_up(sitting: Sitting) -> None:
    sitting.seat.away = True
    sitting.player.keys.put_nowait("s")
    await sitting.player.sees(lambda table: table.lost)
    sitting.seat.updates.put_nowait(AWAY)
    with pytest.raises(ServerUnavailable):
        await asyncio.wait_for(sitting.task, 60)


async def test_a_hint_is_asked_for_once_in_the_readers_language(sitting: Sitting) -> None:
    seat, player = sitting.seat, sitting.player
    seat.advice = [Suggestion(text="Draw from the stock."), Suggestion(text="Take it.")]
    player.keys.put_nowait("h")
    await player.sees(lambda table: table.hint)
    assert [told.text for told in player.shown[-1].advice] == ["Draw from the stock.", "Take it."]
    player.keys.put_nowait("h")
    await player.sees(lambda table: not table.hint)
    player.keys.put_nowait("h")
    await player.sees(lambda table: table.hint)
    assert seat.requests == ["en"]
    seat.draw()
    await player.sees(lambda table: bool(table.choices.discards))
    assert not player.shown[-1].advice
    await sitting.leave()


async def test_an_older_server_leaves_the_views_own_hint(sitting: Sitting) -> None:
    seat, player = sitting.seat, sitting.player
    seat.advice = GinRummyError("not offered", code=StatusCode.UNIMPLEMENTED)
    player.keys.put_nowait("h")
    await player.sees(lambda table: table.notice is not None)
    assert player.shown[-1].notice.message == "hint-later"  # type: ignore[union-attr]
    seat.draw()
    await player.sees(lambda table: bool(table.choices.discards))
    player.keys.put_nowait("h")
    await player.sees(lambda table: table.hint)
    assert not player.shown[-1].advice
    await sitting.leave()


async def test_a_refused_hint_is_told_with_its_reason(sitting: Sitting) -> None:
    seat, player = sitting.seat, sitting.player
    seat.advice = LimitReached("too many think", reason="LIMIT_REACHED")
    player.keys.put_nowait("h")
    await player.sees(lambda table: table.notice is not None)
    assert player.shown[-1].notice.message == "action-refused"  # type: ignore[union-attr]
    assert not player.shown[-1].hint
    await sitting.leave()
