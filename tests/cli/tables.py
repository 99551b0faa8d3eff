"""Hand-built matches and views for the tests of the command line."""

from __future__ import annotations

from ginrummy.cli.faces import typed_card
from ginrummy.cli.game import Game
from ginrummy.cli.table import Table, table_for
from ginrummy.client import actions
from ginrummy.client.cards import CardValue
from ginrummy.v1.action_pb2 import Action, LayoffMove
from ginrummy.v1.cards_pb2 import MELD_KIND_RUN, MELD_KIND_SET, Arrangement, Meld
from ginrummy.v1.events_pb2 import (
    HAND_OUTCOME_KNOCK,
    KNOCK_KIND_KNOCK,
    HandScored,
    MatchEvent,
    Showdown,
)
from ginrummy.v1.match_pb2 import BotSeat, HumanSeat, Match, ScoreColumn, ScoreSheet, Seat
from ginrummy.v1.rules_pb2 import MELD_CHOICE_AUTO, MeldChoice, Rules
from ginrummy.v1.view_pb2 import (
    PHASE_DISCARD,
    PHASE_DRAW,
    PHASE_LAYOFF,
    DiscardOption,
    DiscardOptions,
    SeatStatus,
    View,
)


def cards(text: str) -> list[CardValue]:
    """`7c 10h` as cards."""
    found = [typed_card(word) for word in text.split()]
    assert all(found), text
    return [card for card in found if card]


def card(text: str) -> CardValue:
    return cards(text)[0]


def sheet(points: int, boxes: int = 0, box_bonus: int = 0, game_bonus: int = 0) -> ScoreSheet:
    total = points + box_bonus + game_bonus
    column = ScoreColumn(
        hand_points=points, boxes=boxes, box_bonus=box_bonus, game_bonus=game_bonus, total=total
    )
    return ScoreSheet(columns=[column], total=total)


def match(ruleset: str = "short", knocker_melds: MeldChoice.ValueType = MELD_CHOICE_AUTO) -> Match:
    return Match(
        name="matches/abc",
        ruleset=f"rulesets/{ruleset}",
        effective_rules=Rules(target=50, knock_limit=10, knocker_melds=knocker_melds),
        seats=[
            Seat(number=1, human=HumanSeat(display_name="Ann")),
            Seat(number=2, bot=BotSeat(bot="bots/simple")),
        ],
    )


HAND = "7c 7d 7h 3s 4s 5s 2c 4d qh kd 9h"


def _view(phase: int, hand: str, deadwood: str) -> View:
    held = cards(hand)
    return View(
        match="matches/abc",
        sequence=9,
        viewer_seat=1,
        phase=phase,  # type: ignore[arg-type]
        hand_number=3,
        dealer=2,
        to_act=1,
        knock_limit=10,
        seats=[
            SeatStatus(number=1, connected=True, hand_count=len(held)),
            SeatStatus(number=2, connected=True, hand_count=10, known_cards=cards("8h")),
        ],
        sheets=[sheet(34, 2), sheet(12, 1)],
        own_hand=sorted(held),
        own_arrangement=Arrangement(
            melds=[
                Meld(kind=MELD_KIND_SET, cards=cards("7c 7d 7h")),
                Meld(kind=MELD_KIND_RUN, cards=cards("3s 4s 5s")),
            ],
            deadwood=sorted(cards(deadwood)),
            deadwood_points=35,
        ),
        discard_pile=cards("kc 4c 10s jd"),
        discard_count=4,
        stock_count=23,
        hints_allowed=True,
    )


def discard_view(knock: bool = True, melds_declared: bool = False) -> View:
    """Eleven cards; the nine of hearts is new; without the king of diamonds 25 is left, or 9."""
    view = _view(PHASE_DISCARD, HAND, "2c 4d qh kd 9h")
    view.last_drawn = card("9h")
    view.legal_actions.extend(actions.discard(held) for held in sorted(cards(HAND)))
    left = {"kd": 9, "qh": 9, "9h": 15} if knock else {"kd": 25, "qh": 25, "9h": 26}
    options = DiscardOptions(
        options=[
            DiscardOption(card=card(name), deadwood_points=points, can_knock=points <= 10)
            for name, points in left.items()
        ],
        best_deadwood=min(left.values()),
        can_knock=knock,
    )
    melds = ["7c 7d 7h", "3s 4s 5s"] if melds_declared else []
    if knock:
        view.legal_actions.extend(actions.knock(card(name), melds) for name in ("qh", "kd"))
        options.hint.CopyFrom(actions.knock(card("kd"), melds))
    else:
        options.hint.CopyFrom(actions.discard(card("kd")))
    view.discard_options.CopyFrom(options)
    return view


def draw_view(*legal: Action) -> View:
    view = _view(PHASE_DRAW, HAND.removesuffix(" 9h"), "2c 4d qh kd")
    view.own_arrangement.deadwood_points = 26
    view.legal_actions.extend(legal or (actions.draw_stock(), actions.draw_discard()))
    return view


def layoff_view() -> View:
    view = _view(PHASE_LAYOFF, HAND.removesuffix(" 9h"), "2c 4d qh kd")
    view.legal_actions.append(actions.lay_off())
    view.showdown.CopyFrom(
        Showdown(
            knocker=2,
            kind=KNOCK_KIND_KNOCK,
            knocker_melds=[
                Meld(kind=MELD_KIND_RUN, cards=cards("9h 10h jh")),
                Meld(kind=MELD_KIND_SET, cards=cards("kc kh ks")),
            ],
            knocker_deadwood=cards("ad 2d"),
            deadwood_points=3,
        )
    )
    return view


def table(view: View, knocker_melds: MeldChoice.ValueType = MELD_CHOICE_AUTO) -> Table:
    return table_for(match(knocker_melds=knocker_melds), view)


def game(view: View, *news: MatchEvent, ruleset: str = "short") -> Game:
    return Game(match(ruleset), 1, view, sequence=view.sequence, news=news)


def scored(hand_number: int = 3) -> HandScored:
    """You knocked with 9; the bot laid one card off and is left with 22."""
    return HandScored(
        hand_number=hand_number,
        outcome=HAND_OUTCOME_KNOCK,
        winner=1,
        knocker=1,
        points=13,
        reveals=[
            Arrangement(
                melds=[
                    Meld(kind=MELD_KIND_SET, cards=cards("7c 7d 7h")),
                    Meld(kind=MELD_KIND_RUN, cards=cards("3s 4s 5s")),
                ],
                deadwood=cards("2c 4d 3d"),
                deadwood_points=9,
            ),
            Arrangement(
                melds=[Meld(kind=MELD_KIND_RUN, cards=cards("9h 10h jh"))],
                deadwood=cards("kc qd 2d"),
                deadwood_points=22,
            ),
        ],
        layoffs=[LayoffMove(card=card("6s"), meld_index=1)],
        deadwood_points=[9, 22],
        sheets=[sheet(47, 3), sheet(12, 1)],
    )
