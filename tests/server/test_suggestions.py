"""Advice: for a seat of a running match, and for positions of the caller's own."""

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration

from ginrummy import engine
from ginrummy.log import MemoryLog
from ginrummy.server.analysis_service import Situation
from ginrummy.server.serving import Serving
from ginrummy.server.settings import Limits, Settings
from ginrummy.v1 import analysis_service_pb2, cards_pb2, catalog_service_pb2
from ginrummy.v1 import match_service_pb2 as match_pb

from ..engine.reading import DECK
from .players import HUMAN, LONG, OPEN, SEED, Desk, Metadata, Player, bearer, names, play_out
from .refusals import refusal

# Requests here are written as dictionaries, which the generated types do not know.
pb: Any = analysis_service_pb2

INFO = catalog_service_pb2.GetServerInfoRequest()
NUMBER = {name: cards_pb2.Card.Value(f"CARD_{name}") for name in DECK}
TEN = "AS 2S 3S 8C 8D 8H TC JC QC KD"
FROM_PILE: dict[str, Any] = {"hand": {"text": f"{TEN} 4S"}, "discard_pile": [], "drawn_from": 2}
REST = [NUMBER[name] for name in DECK if name not in f"{TEN} 4S".split()]
DRAWING: dict[str, Any] = {"hand": {"text": TEN}, "discard_pile": [NUMBER["4S"]]}


def suggest(desk: Desk, metadata: Metadata = (), **fields: Any) -> Any:
    return desk.analysis.SuggestActions(
        pb.SuggestActionsRequest(**fields), metadata=metadata, timeout=120
    )


def ask(player: Player, **fields: Any) -> Any:
    return suggest(player.desk, player.metadata, match=player.name, **fields)


def about(desk: Desk, **position: Any) -> Any:
    return suggest(desk, bot="bots/heuristic", position=DRAWING | position)


async def to_act(desk: Desk, ruleset: str = "short", **fields: Any) -> tuple[Player, Player]:
    """Who has to act in a new match, and the other."""
    players = await desk.new_players(ruleset, seed=SEED, allow_hints=True, **fields)
    view = await players[0].view()
    return players if view.to_act == 1 else (players[1], players[0])


@pytest.mark.parametrize("ruleset", ["playgridia", "solo", "kawu", "short"])
@pytest.mark.parametrize("bot", ["normal", "expert"])
async def test_a_match_can_be_played_by_its_advice(desk: Desk, ruleset: str, bot: str) -> None:
    # How far advice gets in so short a time is chance, and so is how soon it wins.
    players = await desk.new_players(ruleset, seed=SEED, allow_hints=True, overrides=LONG)
    texts = set()
    for _ in range(60):
        view = await players[0].view()
        player = players[view.to_act - 1]
        view = await player.view()
        short = Duration(nanos=5_000_000)
        advice = await ask(player, bot=f"bots/{bot}", think_time=short, language_code="ru")
        assert advice.bot == f"bots/{bot}"
        legal = list(view.legal_actions)
        assert advice.suggestions
        for suggestion in advice.suggestions:
            assert suggestion.action in legal
            assert suggestion.reason
            assert suggestion.HasField("win_chance") == (bot == "expert")
            texts.add(suggestion.text)
        request = player.act_request(view, action=advice.suggestions[0].action)
        await player.send(request)
    assert all(text.endswith((".", "!")) and "{" not in text for text in texts)


async def test_without_a_bot_the_best_one_is_asked(desk: Desk) -> None:
    player, _ = await to_act(desk)
    advice = await ask(player)
    assert advice.bot == "bots/expert"
    for suggestion in advice.suggestions:
        assert 0 <= suggestion.win_chance <= 1
        assert 0 <= suggestion.match_win_chance <= 1
        assert 0 <= suggestion.undercut_chance <= 1
        assert abs(suggestion.expected_points) < 200
    worth = [suggestion.match_win_chance for suggestion in advice.suggestions]
    assert worth == sorted(worth, reverse=True)


async def test_the_same_seed_gives_the_same_advice(desk: Desk) -> None:
    player, _ = await to_act(desk)
    first, again, other = [await ask(player, seed=seed) for seed in (5, 5, 6)]
    assert first == again
    assert first != other


async def test_as_many_are_told_as_are_wanted(desk: Desk) -> None:
    player, _ = await to_act(desk)
    everything = await ask(player)
    assert len(everything.suggestions) == 2
    [best] = (await ask(player, max_suggestions=1)).suggestions
    assert best == everything.suggestions[0]


async def test_advice_is_for_the_seat_that_has_to_act_and_for_its_token(desk: Desk) -> None:
    player, waiting = await to_act(desk)
    refused = await refusal(ask(waiting))
    assert (refused.reason, refused.metadata) == ("NOT_YOUR_TURN", {"to_act": str(player.seat)})
    assert (await refusal(suggest(desk, match=player.name))).reason == "BAD_TOKEN"
    unknown = bearer(f"{player.name.partition('/')[2]}.{'x' * 43}")
    assert (await refusal(suggest(desk, unknown, match=player.name))).reason == "BAD_TOKEN"
    stranger, _ = await desk.new_players()
    refused = await refusal(suggest(desk, stranger.metadata, match=player.name))
    assert refused.reason == "WRONG_SEAT"
    created = await desk.create(allow_hints=True)
    host = bearer(created.host_token)
    assert (await refusal(suggest(desk, host, match=created.match.name))).reason == "WRONG_SEAT"


async def test_a_match_without_hints_gives_none(desk: Desk) -> None:
    player, other = await desk.new_players(allow_hints=False)
    for one in (player, other):
        refused = await refusal(ask(one))
        assert (refused.code, refused.reason) == (
            grpc.StatusCode.FAILED_PRECONDITION,
            "HINTS_OFF",
        )


async def test_where_nobody_has_to_act_there_is_no_advice(desk: Desk) -> None:
    created = await desk.create(seats=[HUMAN, OPEN], allow_hints=True)
    one = Player(desk, created.match.name, created.seat_tokens[1], 1)
    refused = await refusal(ask(one))
    assert (refused.reason, refused.metadata["rule"]) == ("ILLEGAL_ACTION", "WRONG_PHASE")
    players = await desk.new_players("playgridia", seed=SEED, allow_hints=True)
    await play_out(*players)
    assert (await refusal(ask(players[0]))).reason == "MATCH_OVER"


async def test_what_is_asked_has_to_make_sense(desk: Desk) -> None:
    refused = await refusal(suggest(desk))
    assert (refused.reason, refused.message) == ("BAD_FIELD", "match or position is required")
    refused = await refusal(suggest(desk, match="m"))
    assert (refused.reason, refused.fields) == ("BAD_FIELD", ["match"])
    assert (await refusal(suggest(desk, match="matches/none"))).reason == "MATCH_NOT_FOUND"
    refused = await refusal(suggest(desk, bot="bots/none", position=DRAWING))
    assert refused.reason == "BOT_NOT_FOUND"
    refused = await refusal(suggest(desk, bot="none", position=DRAWING))
    assert (refused.reason, refused.fields) == ("BAD_FIELD", ["bot"])
    long = Duration(seconds=2, nanos=1000)
    refused = await refusal(suggest(desk, think_time=long, position=DRAWING))
    assert (refused.reason, refused.fields) == ("BAD_FIELD", ["think_time"])


async def test_a_position_gets_advice_with_its_numbers(desk: Desk) -> None:
    take, draw = (await about(desk)).suggestions
    assert take.action.draw.pile == 2
    assert take.reason == pb.SUGGESTION_REASON_COMPLETES_MELD
    assert (names([take.card]), take.deadwood_before, take.deadwood_after) == (["4S"], 10, 0)
    assert take.text.startswith(
        "Take 4♠: it fits a meld and leaves 0 points of deadwood instead of 10."
    )
    assert draw.action.draw.pile == 1
    assert not draw.HasField("deadwood_after")


async def test_eleven_cards_are_for_a_discard(desk: Desk) -> None:
    eleven = {"text": f"{TEN} 4S"}
    best = (await about(desk, hand=eleven, discard_pile=[NUMBER["KC"]])).suggestions[0]
    assert names([best.action.knock.discard]) == ["KD"]
    assert best.reason == pb.SUGGESTION_REASON_GIN
    assert best.text == "Gin! Put down K♦: all ten cards are in melds."
    russian = await suggest(
        desk,
        language_code="ru-RU",
        bot="bots/heuristic",
        position={"ruleset": "rulesets/kawu", "hand": eleven, "discard_pile": [NUMBER["KC"]]},
    )
    assert russian.suggestions[0].text == "Джин! Сбросьте К♦: все десять карт в комбинациях."


async def test_a_card_from_the_pile_may_not_go_back(desk: Desk) -> None:
    king = {"hand": {"text": f"{TEN} 4S"}, "drawn": NUMBER["KD"], "drawn_from": 2}
    told = (await about(desk, **king, discard_pile=[NUMBER["9C"]])).suggestions
    put_down = {s.action.knock.discard or s.action.discard.card for s in told}
    assert len(put_down) == 10
    assert NUMBER["KD"] not in put_down


async def test_no_choice_needs_no_reason(desk: Desk) -> None:
    position: dict[str, Any] = {"must_draw_stock": True, "discard_pile": [NUMBER["KC"]]}
    [only] = (await about(desk, **position)).suggestions
    assert only.reason == pb.SUGGESTION_REASON_ONLY_ACTION
    assert only.text == "Draw from the stock: there is nothing else to do."


@pytest.mark.parametrize(
    ("changed", "field", "problem"),
    [
        ({"hand": {}}, "hand", "is required"),
        ({"hand": {"text": f"{TEN} 4S"}, "phase": 2}, "hand", "holds 11 cards: 10 expected"),
        ({"hand": {"text": TEN}, "phase": 3}, "hand", "holds 10 cards: 11 expected"),
        ({"hand": {"text": "AS"}}, "hand", "holds 1 cards: 10 expected"),
        ({"hand": {"text": f"{TEN} AS"}}, "hand.text", "AS comes twice"),
        ({"hand": {"text": f"{TEN} 4X"}}, "hand.text", '"4X" is not a card'),
        ({"phase": 9}, "phase", "SEAT_PHASE_DISCARD"),
        ({"discard_pile": []}, "discard_pile", ""),
        ({"discard_pile": [NUMBER["AS"]]}, "discard_pile", "AS is there twice"),
        ({"discard_pile": [NUMBER["4S"]] * 2}, "discard_pile[1]", "4S is there twice"),
        ({"discard_pile": [0]}, "discard_pile[0]", "a card is required"),
        ({"discard_pile": [99]}, "discard_pile[0]", "there is no card 99"),
        ({"discard_pile": list(range(1, 53))}, "discard_pile", "is there twice"),
        (
            {"discard_pile": REST[:30]},
            "discard_pile",
            "leaves 2 cards in the stock, which holds more than two cards when one is drawn",
        ),
        (
            {"discard_pile": REST[:29], "phase": 4},
            "discard_pile",
            "leaves 3 cards in the stock, which holds two cards at the last chance",
        ),
        (
            {"hand": {"text": f"{TEN} 4S"}, "discard_pile": REST[:31]},
            "discard_pile",
            "leaves 0 cards in the stock, which holds at least two cards",
        ),
        ({"opponent_known": [NUMBER["4S"]]}, "opponent_known", "4S is there twice"),
        ({"opponent_known": [NUMBER["9S"]] * 2}, "opponent_known[1]", "9S is there twice"),
        ({"opponent_known": list(range(27, 38))}, "opponent_known", ""),
        ({"upcard": 99}, "upcard", "there is no card 99"),
        ({"drawn": NUMBER["AS"]}, "drawn", ""),
        (FROM_PILE, "drawn", "is required when it came from the pile"),
        (FROM_PILE | {"drawn": NUMBER["9S"]}, "drawn", ""),
        ({"drawn_from": 7}, "drawn_from", "PILE_STOCK"),
        ({"drawn_from": 2}, "drawn_from", "is for the discard phase alone"),
        (
            FROM_PILE | {"drawn": NUMBER["4S"], "discard_pile": REST[:29]},
            "drawn_from",
            "has to be the stock: the rules have no last chance",
        ),
        ({"overrides": {"knock_limit": 11}}, "overrides.knock_limit", "out of range"),
        ({"ruleset": "short"}, "ruleset", "rulesets/short"),
    ],
)
async def test_a_position_that_cannot_be_is_refused_with_its_field(
    desk: Desk, changed: dict[str, Any], field: str, problem: str
) -> None:
    refused = await refusal(about(desk, **changed))
    assert refused.reason in ("BAD_FIELD", "BAD_CARD")
    assert refused.fields == [f"position.{field}"]
    assert problem in refused.message


async def test_a_position_of_an_unknown_ruleset_is_refused(desk: Desk) -> None:
    assert (await refusal(about(desk, ruleset="rulesets/x"))).reason == "RULESET_NOT_FOUND"


class Thoughtful:
    """A game about which its bot thinks until it is told to stop."""

    def __init__(self) -> None:
        self._begun = threading.Event()
        self.cancelled = threading.Event()

    def suggest(self, *_: Any, cancel: engine.Cancel, **__: Any) -> list[Any]:
        self._begun.set()
        for _turn in range(12_000):
            if cancel.is_cancelled:
                self.cancelled.set()
                break
            threading.Event().wait(0.01)
        return []

    async def begun(self) -> None:
        assert await asyncio.to_thread(self._begun.wait, 60)


@pytest.fixture
async def thoughtful(
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[tuple[Desk, Thoughtful]]:
    """A connection to a server that thinks about two situations at once, one of each caller."""
    serving = Serving(MemoryLog(), Settings(limits=Limits(max_suggestions=2)))
    game = Thoughtful()

    async def situation(*_: object) -> Situation:
        return Situation(game, 1, "short")  # type: ignore[arg-type]

    monkeypatch.setattr(serving.analysis, "_situation", situation)
    port = await serving.start("127.0.0.1", 0)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield Desk(channel), game
    await serving.stop(0.2)


Thinking = tuple[Desk, Thoughtful]


async def test_the_thinking_stops_when_the_caller_hangs_up(thoughtful: Thinking) -> None:
    desk, game = thoughtful
    call = asyncio.ensure_future(suggest(desk))
    await game.begun()
    assert not game.cancelled.is_set()
    call.cancel()
    assert await asyncio.to_thread(game.cancelled.wait, 60)


async def test_the_thinking_stops_when_the_callers_time_is_over(thoughtful: Thinking) -> None:
    desk, game = thoughtful
    await desk.catalog.GetServerInfo(INFO)  # so that its time is not spent on connecting
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await desk.analysis.SuggestActions(pb.SuggestActionsRequest(), timeout=2)
    assert failed.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert await asyncio.to_thread(game.cancelled.wait, 60)


async def test_others_are_served_meanwhile_and_one_caller_may_have_half(
    thoughtful: Thinking,
) -> None:
    desk, game = thoughtful
    call = asyncio.ensure_future(suggest(desk))
    await game.begun()
    refused = await refusal(suggest(desk))
    assert refused.reason == "LIMIT_REACHED"
    assert refused.metadata == {"limit": "suggestions", "most": "1"}
    assert (await asyncio.wait_for(desk.catalog.GetServerInfo(INFO), 60)).version
    assert not call.done()
    call.cancel()


async def test_advice_knows_no_more_than_the_seats_view(desk: Desk) -> None:
    """The same view in a match and in a position with any hidden cards gives the same advice."""
    player, _ = await to_act(desk)
    view = await player.view()
    in_match = await ask(player, bot="bots/heuristic")
    position = {
        "hand": {"list": {"cards": view.own_hand}},
        "discard_pile": view.discard_pile,
        "phase": pb.SEAT_PHASE_UPCARD,
        "is_dealer": view.dealer == player.seat,
    }
    elsewhere = await suggest(desk, bot="bots/heuristic", position=position)
    assert list(elsewhere.suggestions) == list(in_match.suggestions)


async def test_advice_changes_nothing_in_the_match(desk: Desk) -> None:
    player, _ = await to_act(desk)
    before = await player.view()
    await ask(player)
    after = await player.view()
    assert (before.sequence, before.legal_actions) == (after.sequence, after.legal_actions)
    request = match_pb.GetMatchRequest(name=player.name)
    assert (await desk.matches.GetMatch(request)).match.sequence == before.sequence
