"""The shapes that cross between Python and the engine.

Commands go in and events and views come out as plain dictionaries, described here as typed ones:
they print, compare and store as JSON as they are. A card is its name, rank then suit (``"AS"``,
``"TD"``); a hand or meld is a list of cards in card order (clubs, diamonds, hearts, spades; ace to
king in each). Seats are 1 and 2.
"""

from collections.abc import Iterable
from typing import Literal, NotRequired, TypeAlias, TypedDict

Card: TypeAlias = str
"""A card's name: one of ``A23456789TJQK``, then one of ``CDHS``."""
Cards: TypeAlias = str | Iterable[Card]
"""Different cards handed to the engine: text like ``"AS TD"``, or an iterable of names."""
Seat: TypeAlias = int
"""1 or 2."""

PhaseName: TypeAlias = Literal["upcard", "draw", "discard", "layoff", "last_chance", "over"]
PileName: TypeAlias = Literal["stock", "discard"]
MeldChoice: TypeAlias = Literal["auto", "declared", "either"]
Oklahoma: TypeAlias = Literal["off", "ace_is_one", "ace_is_gin"]
Wall: TypeAlias = Literal["dead", "last_chance"]
DealerRule: TypeAlias = Literal["alternate", "winner", "loser"]
Shutout: TypeAlias = Literal[
    "none",
    "double_game_bonus",
    "double_hand_points",
    "double_total",
    "double_total_before_boxes",
    "flat_bonus",
]
PileView: TypeAlias = Literal["all", "top_only"]
KnockKind: TypeAlias = Literal["knock", "gin", "big_gin"]
Outcome: TypeAlias = Literal["knock", "undercut", "gin", "big_gin", "dead", "tie"]
EndReason: TypeAlias = Literal[
    "target_reached", "resigned", "clock_expired", "absence_claimed", "aborted"
]


class Rules(TypedDict):
    """Every option of the game, all set."""

    upcard_offer: bool
    knock_limit: int
    knocker_melds: MeldChoice
    layoffs: MeldChoice
    gin_bonus: int
    undercut_bonus: int
    undercut_on_tie: bool
    big_gin: bool
    big_gin_bonus: int
    oklahoma: Oklahoma
    spades_double: bool
    wall: Wall
    allow_discard_taken: bool
    layoff_on_gin: bool
    target: int
    dealer_rule: DealerRule
    box_bonus: int
    boxes_immediate: bool
    game_bonus: int
    shutout: Shutout
    shutout_flat_bonus: int
    hollywood: bool
    pile_view: PileView
    knock_card_face_down: bool


class Overrides(TypedDict, total=False):
    """Options that differ from a base ruleset; one left out (or None) is as in the base."""

    upcard_offer: bool | None
    knock_limit: int | None
    knocker_melds: MeldChoice | None
    layoffs: MeldChoice | None
    gin_bonus: int | None
    undercut_bonus: int | None
    undercut_on_tie: bool | None
    big_gin: bool | None
    big_gin_bonus: int | None
    oklahoma: Oklahoma | None
    spades_double: bool | None
    wall: Wall | None
    allow_discard_taken: bool | None
    layoff_on_gin: bool | None
    target: int | None
    dealer_rule: DealerRule | None
    box_bonus: int | None
    boxes_immediate: bool | None
    game_bonus: int | None
    shutout: Shutout | None
    shutout_flat_bonus: int | None
    hollywood: bool | None
    pile_view: PileView | None
    knock_card_face_down: bool | None


class Ruleset(TypedDict):
    """A product's published rules with the defaults of its tables."""

    name: str
    rules: Rules
    turn_time_s: int
    """Default allowance for one decision; 0 means no clock."""
    turn_times_s: list[int]
    """The permitted allowances; empty means any."""
    hints: bool
    usual_bot: str | None


class Arrangement(TypedDict):
    """A hand split into melds and deadwood."""

    melds: list[list[Card]]
    deadwood: list[Card]
    deadwood_points: int


class PricedDiscard(TypedDict):
    """What one discard of an eleven-card hand would leave."""

    card: Card
    deadwood_points: int


class Layoff(TypedDict):
    """One card laid off on one of the knocker's melds."""

    card: Card
    meld_index: int


class Defence(TypedDict):
    """What the defender does after a knock: layoffs in order, and the rest arranged."""

    layoffs: list[Layoff]
    arrangement: Arrangement


class Pass(TypedDict):
    type: Literal["pass"]


class Draw(TypedDict):
    type: Literal["draw"]
    pile: PileName


class Discard(TypedDict):
    type: Literal["discard"]
    card: Card


class Knock(TypedDict):
    type: Literal["knock"]
    discard: Card
    melds: NotRequired[list[list[Card]]]


class BigGin(TypedDict):
    type: Literal["big_gin"]
    melds: NotRequired[list[list[Card]]]


class LayOff(TypedDict):
    type: Literal["lay_off"]
    melds: NotRequired[list[list[Card]]]
    layoffs: NotRequired[list[Layoff]]


Action: TypeAlias = Pass | Draw | Discard | Knock | BigGin | LayOff
"""A player's command to a hand. Empty lists are the same as none."""


class Act(TypedDict):
    type: Literal["act"]
    seat: Seat
    action: Action


class TimeOut(TypedDict):
    type: Literal["time_out"]
    timeouts_to_forfeit: int


class Resign(TypedDict):
    type: Literal["resign"]
    seat: Seat


class ClaimAbsence(TypedDict):
    type: Literal["claim_absence"]
    seat: Seat


class Abort(TypedDict):
    type: Literal["abort"]


Command: TypeAlias = Act | TimeOut | Resign | ClaimAbsence | Abort
"""A command to a match."""


class ScoreColumn(TypedDict):
    """One player's score in one column."""

    hand_points: int
    boxes: int
    box_bonus: int
    game_bonus: int
    shutout_bonus: int
    total: int
    closed: bool
    won: bool


class ScoreSheet(TypedDict):
    """One player's score: one column, or three under Hollywood."""

    columns: list[ScoreColumn]
    total: int


class HandDealt(TypedDict):
    type: Literal["hand_dealt"]
    hand_number: int
    dealer: Seat
    upcard: Card | None
    hands: list[list[Card] | None]
    """By seat - 1; None where the viewer may not see."""
    stock_count: int
    knock_limit: int
    points_doubled: bool


class Passed(TypedDict):
    type: Literal["passed"]
    seat: Seat


class CardDrawn(TypedDict):
    type: Literal["card_drawn"]
    seat: Seat
    pile: PileName
    card: Card | None


class CardDiscarded(TypedDict):
    type: Literal["card_discarded"]
    seat: Seat
    card: Card | None


class Showdown(TypedDict):
    """The knocker's cards, laid open."""

    seat: Seat
    kind: KnockKind
    melds: list[list[Card]]
    deadwood: list[Card]
    deadwood_points: int
    discard: Card | None


class Knocked(Showdown):
    type: Literal["knocked"]


class LaidOff(TypedDict):
    type: Literal["laid_off"]
    seat: Seat
    layoffs: list[Layoff]
    melds: list[list[Card]]
    deadwood: list[Card]
    deadwood_points: int


class HandResult(TypedDict):
    """How a hand came out."""

    outcome: Outcome
    knocker: Seat | None
    winner: Seat | None
    points: int
    bonus: int
    doubled: bool
    arrangements: list[Arrangement] | None
    """By seat - 1, the defender's after his layoffs; None for a dead hand."""
    layoffs: list[Layoff]


class ScoredHand(HandResult):
    """How a hand of a match came out, with the sheets after it."""

    hand_number: int
    sheets: list[ScoreSheet]


class HandScored(ScoredHand):
    type: Literal["hand_scored"]


class TimedOut(TypedDict):
    type: Literal["timed_out"]
    seat: Seat
    timeouts: int


class MatchResult(TypedDict):
    """How a match ended. ``seed`` is 64 hex digits and opens the deal commitment."""

    winner: Seat | None
    reason: EndReason
    sheets: list[ScoreSheet]
    seed: str


class MatchEnded(MatchResult):
    type: Literal["match_ended"]


Event: TypeAlias = (
    HandDealt
    | Passed
    | CardDrawn
    | CardDiscarded
    | Knocked
    | LaidOff
    | HandScored
    | TimedOut
    | MatchEnded
)
"""A durable fact of a match. What a viewer may not know is None, never the event itself."""


EventName: TypeAlias = Literal[
    "hand_dealt",
    "passed",
    "card_drawn",
    "card_discarded",
    "knocked",
    "laid_off",
    "hand_scored",
    "timed_out",
    "match_ended",
]
"""An event's ``type``."""


class DiscardOption(TypedDict):
    card: Card
    deadwood_points: int
    can_knock: bool


class DiscardOptions(TypedDict):
    """Every permitted discard, best first; without hints only those that permit a knock."""

    options: list[DiscardOption]
    best_deadwood: int
    can_knock: bool
    can_gin: bool
    can_big_gin: bool
    hint: Action | None


class HandView(TypedDict):
    """A hand as one viewer sees it. Hidden things are counts."""

    phase: PhaseName
    dealer: Seat
    to_act: Seat | None
    own_hand: list[Card] | None
    own_arrangement: Arrangement | None
    hand_counts: list[int]
    known_cards: list[list[Card]]
    discard_pile: list[Card]
    discard_count: int
    stock_count: int
    knock_limit: int
    points_doubled: bool
    legal_actions: list[Action]
    discard_options: DiscardOptions | None
    last_action: Event | None
    showdown: Showdown | None
    last_drawn: Card | None
    barred_discard: Card | None


class MatchView(HandView):
    """A match as one viewer sees it."""

    hand_number: int
    sheets: list[ScoreSheet]
    last_hand: ScoredHand | None
    result: MatchResult | None


class Position(TypedDict):
    """Where a hand stands: every one of the 52 cards once."""

    dealer: Seat
    phase: PhaseName
    to_act: Seat
    hands: list[list[Card]]
    stock: list[Card]
    """In drawing order."""
    discard_pile: list[Card]
    """Bottom to top; the knock card is on top."""
    upcard: NotRequired[Card | None]
    must_draw_stock: NotRequired[bool]
    drawn: NotRequired[Card | None]
    drawn_from: NotRequired[PileName]
    knocker_melds: NotRequired[list[list[Card]]]


class SeatPosition(TypedDict):
    """Where a hand stands for the seat to act: its own cards and what lies open."""

    seat: Seat
    dealer: Seat
    phase: PhaseName
    hand: list[Card]
    discard_pile: list[Card]
    """The whole pile, bottom to top; the knock card is on top."""
    known_of_opponent: NotRequired[list[Card]]
    """Taken from the pile and still held; before a layoff all that the knocker has laid open."""
    stock_count: NotRequired[int | None]
    upcard: NotRequired[Card | None]
    must_draw_stock: NotRequired[bool]
    drawn: NotRequired[Card | None]
    drawn_from: NotRequired[PileName]
    knocker_melds: NotRequired[list[list[Card]]]


ReasonName: TypeAlias = Literal[
    "lowers_deadwood",
    "completes_meld",
    "keeps_chances",
    "safe_discard",
    "knock_now",
    "wait_for_gin",
    "undercut_risk",
    "gin",
    "big_gin",
    "nothing_gained",
    "lays_off",
]
"""What speaks for an action, or against it."""


class Suggestion(TypedDict):
    """One action with what speaks for it."""

    action: Action
    reason: ReasonName
    card: Card | None
    """The card taken, left or put away."""
    deadwood_before: int
    deadwood_after: int | None
    """After the action, and the best discard where a card is taken; None: the next card decides."""
    knock_limit: int
    improving_cards: int
    """Hidden cards that would make or lengthen a meld after the action."""
    danger_melds: int | None
    """Melds that the opponent may be making with the discard, as far as anybody can tell."""
    undercut_chance: float | None
    """That a knock of this seat, now or later in the hand, is undercut."""
    expected_points: float | None
    """What the hand brings the seat: his points, less the opponent's."""
    hand_win_chance: float | None
    match_win_chance: float | None


class HandScore(TypedDict):
    """What a showdown is worth, before any doubling."""

    outcome: Outcome
    knocker_wins: bool | None
    points: int
    bonus: int


class HandEnds(TypedDict):
    """How many hands one side won, by how they ended."""

    knocks: int
    gins: int
    big_gins: int
    undercuts: int


class TallyCounts(TypedDict):
    """What the matches of a pairing come to.

    Lists are by side, differences the first less the second. The squares are sums over deals, each
    of which is one observation.
    """

    deals: int
    matches: int
    wins: list[int]
    unfinished: int
    """Aborted, as they did not end; won by nobody, all else of them counts."""
    totals: list[int]
    """Final totals."""
    hands: int
    """Dead hands too."""
    ends: list[HandEnds]
    dead_hands: int
    tied_hands: int
    """Level where that scores nothing."""
    hand_points: dict[int, int]
    """Hands by their difference of points."""
    win_squares: int
    """Of the difference of wins."""
    total_squares: int
    """Of the difference of totals."""
    point_squares: int
    """Of the difference of hand points."""
    hand_squares: int
    """Of the number of hands."""
    points_times_hands: int
    """The difference of hand points times the number of hands."""
