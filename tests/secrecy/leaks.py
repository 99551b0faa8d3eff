"""Leaks to be planted on purpose, each a patch of the running server: the check has to find it."""

import gc
import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from ginrummy import engine
from ginrummy.log import Json
from ginrummy.server import match_service, metrics, play_stream
from ginrummy.server.analysis_service import AnalysisService
from ginrummy.server.encoding import EventEncoder
from ginrummy.server.errors import failure_of
from ginrummy.tables import audience, state, table, watcher
from ginrummy.tables.errors import IllegalAction, MatchNotOver
from ginrummy.tables.events import seen_live
from ginrummy.tables.rows import Rows
from ginrummy.tables.table import Table
from ginrummy.tables.views import TableView
from ginrummy.v1.view_pb2 import View

lines = logging.getLogger("ginrummy.leak")


def _held(game: engine.Match | None, seat: int) -> list[str]:
    return [] if game is None else game.view(seat)["own_hand"] or []


def _hidden_number(game: engine.Match | None, viewer: int) -> int:
    """A number that depends on every card of the viewer's opponent."""
    return engine.to_mask(_held(game, 2 if viewer == 1 else 1)) % 7


@contextmanager
def _seen(shows: Callable[[dict[str, Any], tuple[Any, ...]], tuple[Any, ...]]) -> Iterator[None]:
    """Live events as `shows` makes them of the event and of what each viewer should see."""

    def leaking(self: EventEncoder, happened: Any, face_down: bool) -> tuple[Any, ...]:
        def shown(recorded: Any) -> tuple[Any, ...]:
            seen = tuple(seen_live(recorded.event, viewer, face_down) for viewer in (0, 1, 2))
            return tuple(
                self.event(replace(recorded, event=event)) for event in shows(recorded.event, seen)
            )

        return tuple(zip(*map(shown, happened.each()), strict=True))

    with patch.object(EventEncoder, "happened", leaking):
        yield


def stock_card() -> AbstractContextManager[None]:
    """The opponent sees the card that is drawn from the stock."""

    def shows(event: dict[str, Any], seen: tuple[Any, ...]) -> tuple[Any, ...]:
        return (seen[0], event, event) if event["type"] == "card_drawn" else seen

    return _seen(shows)


def face_down_card() -> AbstractContextManager[None]:
    """Spectators see the knock card that lies face down."""

    def shows(event: dict[str, Any], seen: tuple[Any, ...]) -> tuple[Any, ...]:
        return (event, *seen[1:]) if event["type"] == "knocked" else seen

    return _seen(shows)


@contextmanager
def _views(change: Callable[[Any, TableView], None]) -> Iterator[None]:
    """Views with a change to what is sent."""
    original = vars(match_service)["view_to_bytes"]

    def leaking(view: TableView) -> bytes:
        wire = View.FromString(original(view))
        change(wire, view)
        return wire.SerializeToString()

    with ExitStack() as stack:
        for module in (match_service, play_stream):
            stack.enter_context(patch.object(module, "view_to_bytes", leaking))
        yield


def hint() -> AbstractContextManager[None]:
    """The hint is what the opponent can use least."""

    def change(wire: Any, view: TableView) -> None:
        options = wire.discard_options
        if options.HasField("hint"):
            number = _hidden_number(view.state.game, view.viewer) % len(options.options)
            options.hint.discard.card = options.options[number].card

    return _views(change)


def legal_actions() -> AbstractContextManager[None]:
    """How many actions are listed depends on the opponent's hand."""

    def change(wire: Any, view: TableView) -> None:
        if wire.legal_actions and _hidden_number(view.state.game, view.viewer) % 2:
            del wire.legal_actions[-1]

    return _views(change)


def count() -> AbstractContextManager[None]:
    """A count that everybody sees is wrong with some hands."""

    def change(wire: Any, view: TableView) -> None:
        wire.stock_count += _hidden_number(view.state.game, view.viewer) % 2

    return _views(change)


@contextmanager
def error() -> Iterator[None]:
    """A refusal names the cards of the opponent."""
    original = state._step

    def leaking(game: engine.Match, command: Any) -> Any:
        try:
            return original(game, command)
        except IllegalAction as refused:
            held = " ".join(_held(game, 3 - command["seat"]))
            raise IllegalAction(refused.kind, refused.fields, f"{refused}: not {held}") from None

    with patch.object(state, "_step", leaking):
        yield


@contextmanager
def error_number() -> Iterator[None]:
    """A refusal has one more number in its metadata with some hands of the opponent."""
    original = state._step

    def leaking(game: engine.Match, command: Any) -> Any:
        try:
            return original(game, command)
        except IllegalAction as refused:
            number = _hidden_number(game, command["seat"])
            fields = {**refused.fields, "n": number} if number % 2 else refused.fields
            raise IllegalAction(refused.kind, fields, str(refused)) from None

    with patch.object(state, "_step", leaking):
        yield


@contextmanager
def log_line() -> Iterator[None]:
    """A line at debug level tells each event as it is stored."""
    original = Table._move_to

    def leaking(self: Table, after: Any, happened: Any, *rest: Any) -> None:
        lines.debug("match %s: %s", after.match_id, happened.caused.events)
        original(self, after, happened, *rest)

    with patch.object(Table, "_move_to", leaking):
        yield


@contextmanager
def resumed() -> Iterator[None]:
    """Whoever comes later sees a running hand as it is."""

    def leaking(events: Any, *_: Any) -> list[Any]:
        return [event.event for event in events]

    with patch.object(audience, "seen_later", leaking):
        yield


@contextmanager
def unscored() -> Iterator[None]:
    """Whoever comes later sees everything, though the hand has not been scored."""
    original = vars(watcher)["arrival_of"]

    def leaking(viewer: int, now: Any) -> Any:
        return replace(original(viewer, now), opened_until=now.head)

    with patch.object(watcher, "arrival_of", leaking):
        yield


@contextmanager
def listing() -> Iterator[None]:
    """The index row has something of the cards."""
    original = Rows.of

    def leaking(self: Rows, after: Any) -> Any:
        row = original(self, after)
        return replace(
            row, labels=Json.of({**row.labels.value, "n": str(_hidden_number(after.game, 1))})
        )

    with patch.object(Rows, "of", leaking):
        yield


@contextmanager
def metric() -> Iterator[None]:
    """A number for Prometheus depends on the cards."""
    original = metrics.Metrics.refused

    def leaking(self: Table, after: Any, *rest: Any) -> None:
        for _ in range(_hidden_number(after.game, 1)):
            original(living[0], failure_of(MatchNotOver()))
        move(self, after, *rest)

    move = Table._move_to
    gc.unfreeze()  # else what a server keeps to its end is not told of
    living = [found for found in gc.get_objects() if isinstance(found, metrics.Metrics)]
    with patch.object(Table, "_move_to", leaking):
        yield


@contextmanager
def advice() -> Iterator[None]:
    """Suggestions come in another order with some hands of the opponent."""
    original = AnalysisService._in_match

    class Leaking:
        def __init__(self, game: Any) -> None:
            self._game = game

        def suggest(self, seat: int, bot: str, **given: Any) -> list[Any]:
            advice = self._game.suggest(seat, bot, **given)
            return advice[:: -1 if _hidden_number(self._game, seat) % 2 else 1]  # type: ignore[no-any-return]

        def view(self, seat: int) -> Any:
            return self._game.view(seat)

    async def leaking(self: AnalysisService, *given: Any) -> Any:
        situation = await original(self, *given)
        return situation._replace(game=Leaking(situation.game))  # type: ignore[arg-type]

    with patch.object(AnalysisService, "_in_match", leaking):
        yield


@contextmanager
def fault() -> Iterator[None]:
    """No leak, but a fault whose message is full of cards: of views, and of actions."""

    def broken(*given: Any) -> Any:
        raise RuntimeError(f"{given!r}: AS, ace of spades, {engine.to_mask('AS KD')}")

    with (
        patch.object(match_service, "view_of", broken),
        patch.object(table, "advance", broken),
    ):
        yield


LEAKS: dict[str, Callable[[], AbstractContextManager[None]]] = {
    made.__name__: made
    for made in (
        stock_card,
        face_down_card,
        hint,
        legal_actions,
        count,
        error,
        error_number,
        log_line,
        resumed,
        unscored,
        listing,
        metric,
        advice,
        fault,
    )
}
