"""Questions about hands and positions, asked of a real server."""

from array import array
from collections.abc import AsyncIterator

import pytest

from ginrummy.client import (
    NO_RETRY,
    BadToken,
    GinRummyClient,
    GinRummyError,
    HintsOff,
    InvalidRequest,
    MatchClient,
    NotYourTurn,
    analysis,
)
from ginrummy.log import MemoryLog
from ginrummy.server.serving import Serving
from ginrummy.v1.analysis_service_pb2 import HandInput, HandQuery, SeatPosition
from ginrummy.v1.cards_pb2 import Card
from ginrummy.v1.match_pb2 import HumanSeat, Match, Seat
from ginrummy.v1.rules_pb2 import Rules

from .fake_server import FakeServer

ELEVEN = "AS 2S 3S 8C 8D 8H TC JC QC KC 9D"


@pytest.fixture
async def client() -> AsyncIterator[GinRummyClient]:
    serving = Serving(MemoryLog())
    port = await serving.start("127.0.0.1", 0)
    async with GinRummyClient(f"127.0.0.1:{port}") as client:
        yield client
    await serving.stop(0.2)


async def test_hands_are_analysed_in_any_form(client: GinRummyClient) -> None:
    cards = [Card.CARD_AS, Card.CARD_2S, Card.CARD_3S, Card.CARD_9D]
    query = HandQuery(hand=HandInput(text="AS2S3S9D"))
    mask = sum(1 << (card - 1) for card in cards)
    results = await client.analyze_hands(
        ["AS 2S 3S 9D", cards, mask, HandInput(text="as 2s 3s 9d"), query]
    )
    assert [result.deadwood_points for result in results] == [9] * 5


async def test_a_bad_hand_spares_the_others(client: GinRummyClient) -> None:
    bad, good = await client.analyze_hands(["AS AS", "AS"])
    assert bad.error.field == "hands[0].hand.text"
    assert good.deadwood_points == 1


async def test_barred_cards_and_rules_go_with_the_hands(client: GinRummyClient) -> None:
    free, barred = await client.analyze_hands([ELEVEN, ELEVEN], barred=[None, "9D"])
    assert (free.can_gin, barred.can_gin) == (True, False)
    [low] = await client.analyze_hands([ELEVEN], barred=["9D"], overrides=Rules(knock_limit=8))
    assert (barred.can_knock, low.can_knock) == (True, False)
    [solo] = await client.analyze_hands(["AS 2S 3S 8C 8D 8H TC JC QC KC 4S"], ruleset="solo")
    assert not solo.can_big_gin
    with pytest.raises(ValueError, match="shorter"):
        await client.analyze_hands([ELEVEN, ELEVEN], barred=["9D"])
    with pytest.raises(InvalidRequest) as refused:
        await client.analyze_hands([])
    assert refused.value.field_violations[0][0] == "hands"


async def test_columns_are_analysed(client: GinRummyClient) -> None:
    masks = array("Q", [0b111, 0b1011]).tobytes()
    assert list((await client.analyze_columns(masks)).deadwood_points) == [0, 7]


async def test_layoffs_are_found(client: GinRummyClient) -> None:
    problem = analysis.layoff_problem(["4H 5H 6H"], "KS")
    found, other = await client.find_layoffs([(["4H 5H 6H"], "7H 8H KS AC 2D"), problem])
    assert [move.card for move in found.moves] == [Card.CARD_7H, Card.CARD_8H]
    assert (found.rest.deadwood_points, other.rest.deadwood_points) == (13, 10)


async def test_advice_is_given_for_a_position(client: GinRummyClient) -> None:
    hand = HandInput(text="AS 2S 3S 8C 8D 8H TC JC QC KD")
    position = SeatPosition(hand=hand, discard_pile=[Card.CARD_4S])
    advice = await client.suggest_actions(
        position, bot="heuristic", max_suggestions=1, language_code="ru", think_time_s=0.5
    )
    [best] = advice.suggestions
    assert advice.bot == "bots/heuristic"
    assert best.text.startswith("Возьмите 4♠")
    position.discard_pile.append(Card.CARD_4S)
    with pytest.raises(InvalidRequest):
        await client.suggest_actions(position)


async def seats(client: GinRummyClient, *, hints: bool) -> tuple[MatchClient, MatchClient]:
    people = [Seat(human=HumanSeat(display_name=name)) for name in ("Ada", "Ben")]
    match = Match(ruleset="rulesets/short", seats=people, allow_hints=hints)
    created = await client.create_match(match)
    one, two = (client.seat(created.match.name, created.seats[n]) for n in (1, 2))
    return (one, two) if (await one.view()).to_act == 1 else (two, one)


async def test_advice_is_given_to_the_seat_that_has_to_act(client: GinRummyClient) -> None:
    to_act, waiting = await seats(client, hints=True)
    advice = await to_act.suggest_actions(bot="heuristic")
    view = await to_act.view()
    assert all(told.action in view.legal_actions for told in advice.suggestions)
    await to_act.act(advice.suggestions[0].action, expected_sequence=view.sequence)
    has_passed = advice.suggestions[0].action.HasField("pass")
    with pytest.raises(NotYourTurn):
        await (to_act if has_passed else waiting).suggest_actions()
    with pytest.raises(BadToken):
        await client.spectate(to_act.name).suggest_actions()


async def test_a_match_without_hints_says_so(client: GinRummyClient) -> None:
    to_act, _ = await seats(client, hints=False)
    with pytest.raises(HintsOff, match="no hints"):
        await to_act.suggest_actions()


async def test_an_older_server_offers_no_advice() -> None:
    server = FakeServer()
    await server.start()
    async with GinRummyClient(server.address, retry=NO_RETRY) as client:
        with pytest.raises(GinRummyError) as failed:
            await client.seat("m", "t").suggest_actions()
    await server.stop()
    assert failed.value.code.name == "UNIMPLEMENTED"
