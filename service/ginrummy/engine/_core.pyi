"""The compiled engine. Import it through :mod:`ginrummy.engine`.

An argument of the wrong Python type raises ``TypeError``; of the right type but with an impossible
value an :class:`EngineError`, whose subclasses say what is wrong. A fault of the engine itself
would raise :class:`Panic`.
"""

from collections.abc import Iterable, Sequence
from typing import ClassVar, final

from typing_extensions import Buffer

from ginrummy.engine.errors import EngineError as EngineError
from ginrummy.engine.errors import InvalidCards as InvalidCards
from ginrummy.engine.errors import InvalidOption as InvalidOption
from ginrummy.engine.errors import InvalidPosition as InvalidPosition
from ginrummy.engine.errors import Violation as Violation
from ginrummy.engine.types import (
    Action,
    Arrangement,
    Card,
    Cards,
    Command,
    DealerRule,
    Defence,
    Event,
    EventName,
    HandResult,
    HandScore,
    HandView,
    KnockKind,
    MatchView,
    Overrides,
    PhaseName,
    PileView,
    Position,
    PricedDiscard,
    Rules,
    Ruleset,
    ScoreSheet,
    Seat,
    SeatPosition,
    Suggestion,
    TallyCounts,
)

__all__ = [
    "RULES_VERSION",
    "Cancel",
    "EngineError",
    "Hand",
    "InvalidCards",
    "InvalidOption",
    "InvalidPosition",
    "Ledger",
    "Match",
    "Pairing",
    "Panic",
    "Step",
    "Tally",
    "Violation",
    "__version__",
    "action",
    "analyze_hands",
    "arrangement_batch",
    "best_arrangement",
    "best_defence",
    "best_discard",
    "best_discard_batch",
    "bots",
    "check_turn_time",
    "commitment",
    "deadwood",
    "deadwood_batch",
    "deck",
    "default_samples",
    "defence_batch",
    "find_layoffs",
    "first_dealer",
    "from_mask",
    "hand_cards",
    "match_event",
    "match_events",
    "match_view",
    "minimal_arrangements",
    "next_dealer",
    "parse_cards",
    "price_discards",
    "price_discards_batch",
    "replayed_to",
    "resolve_rules",
    "rulesets",
    "score_hand",
    "seen_by",
    "solve_batch",
    "to_mask",
]

__version__: str
"""The engine's version."""

RULES_VERSION: int
"""Changes when the same commands would give other events."""

# ------------------------------------------------------------------ one hand

def parse_cards(text: Cards, /) -> list[Card]:
    """Different cards, read from text or names: proper names, text in card order."""

def deadwood(hand: Cards) -> int:
    """Least deadwood points of at most eleven cards."""

def best_arrangement(hand: Cards) -> Arrangement:
    """The arrangement of least deadwood that the engine picks.

    Among equals: the least points of exposed cards, the fewest melds, card order.
    """

def minimal_arrangements(hand: Cards) -> list[Arrangement]:
    """All arrangements of least deadwood, the one the engine picks first."""

def price_discards(hand: Cards, barred: Card | None = None) -> list[PricedDiscard]:
    """Each permitted discard with the least deadwood that it leaves, in card order."""

def best_discard(hand: Cards, barred: Card | None = None) -> PricedDiscard:
    """The best discard of eleven cards: least deadwood left, highest rank, last suit."""

def best_defence(knocker_melds: Iterable[Cards], defender: Cards) -> Defence:
    """The defender's melds and layoffs of joint least deadwood.

    Among equals: the fewest layoffs, then the smallest list of cards, each on its lowest meld.
    """

def score_hand(rules: Rules, kind: KnockKind, knocker: int, defender: int) -> HandScore:
    """What a showdown is worth, from both deadwood points, the defender's after layoffs.

    Raises EngineError for an end that no hand has: gin with deadwood, a knock without.
    """

# ------------------------------------------------------------------ masks and batches

def to_mask(hand: Cards) -> int:
    """Cards as 52 bits: bit ``suit * 13 + rank``, clubs lowest, ace low."""

def from_mask(mask: int) -> list[Card]:
    """The cards of 52 bits, in card order."""

def deadwood_batch(hands: Buffer) -> bytes:
    """Least deadwood points, one byte a hand of at most eleven cards.

    As in every batch call: hands are masks of 8 bytes (native u64 in a typed buffer, else
    little-endian), the buffer is C-contiguous, the interpreter's lock is released meanwhile, and a
    bad row is refused with its index (from 0).
    """

def best_discard_batch(hands: Buffer) -> tuple[bytes, bytes]:
    """Best discards of hands of eleven: the cards' bit numbers, and the deadwood points left."""

def price_discards_batch(hands: Buffer) -> bytes:
    """Deadwood points left by each discard: eleven bytes a hand of eleven, in card order."""

def arrangement_batch(hands: Buffer) -> bytes:
    """The melds the engine picks: three little-endian u64 masks a hand, 0 where there is none."""

def defence_batch(knocker_melds: Buffer, defenders: Buffer) -> bytes:
    """Defenders' least deadwood points after layoffs, one byte a row.

    ``knocker_melds`` holds three masks a row (0 for none), ``defenders`` one. The layoffs that
    reach it are :func:`best_defence`'s.
    """

def solve_batch(
    hands: Buffer, barred: Buffer | None = None, most_problems: int = 100
) -> tuple[bytes, bytes, bytes, bytes, list[tuple[int, str, str]]]:
    """All that the other calls tell of many hands, going on past bad rows.

    Four columns: the least deadwood points, the best discard's bit number, the deadwood points
    that it leaves (a byte a hand each; 255 where there is none, or the row is bad), and the cards
    in melds (a little-endian u64 a hand). ``barred`` holds a byte a hand: the bit number of the
    card that may not be discarded, 255 for none. At last the first ``most_problems`` bad rows:
    index; ``"no_card"``, ``"too_many"``, ``"barred_no_card"`` or ``"barred_elsewhere"``; and the
    words for it.
    """

# ------------------------------------------------------------------ rulesets and bots

def rulesets() -> list[Ruleset]:
    """The named rulesets."""

def resolve_rules(ruleset: str, overrides: Overrides | None = None) -> Rules:
    """A ruleset's rules with options over them, checked.

    Raises :class:`InvalidOption` with the option's name.
    """

def check_turn_time(ruleset: str, turn_time_s: int) -> None:
    """Raises :class:`InvalidOption` where the ruleset does not offer this allowance."""

def bots() -> list[str]:
    """The names of the bots."""

def default_samples(bot: str) -> int:
    """How often the bot imagines the hidden cards for a decision; 0: it decides at once."""

# ------------------------------------------------------------------ deals

def deck(seed: bytes, hand_number: int) -> list[Card]:
    """The deck of a hand, counted from 1, in dealing order. The seed has 32 bytes."""

def first_dealer(seed: bytes) -> Seat:
    """Who deals the first hand."""

def commitment(seed: bytes) -> bytes:
    """SHA-256 of the seed, published before the first card is dealt."""

def next_dealer(rule: DealerRule, dealer: Seat, winner: Seat | None) -> Seat:
    """Who deals next. A hand without a winner is dealt again by the same dealer."""

# ------------------------------------------------------------------ events

def seen_by(event: Event, viewer: int, knock_card_face_down: bool) -> Event:
    """The event as this viewer (0 for a spectator, or a seat) saw it happen."""

def replayed_to(
    viewer: int,
    events: Sequence[Event],
    pile_view: PileView,
    knock_card_face_down: bool,
) -> list[Event]:
    """A match's latest events, up to its head, for a viewer who was not there.

    Where the pile shows its top card alone, the running hand's older faces are left out.
    """

# ------------------------------------------------------------------ messages of the API

def match_events(
    step: Step, first: int, time_us: int, to_act: int, deadline_us: int | None
) -> tuple[tuple[bytes, ...], tuple[bytes, ...], tuple[bytes, ...]]:
    """The events of a step as ``MatchEvent``: as a spectator, seat 1 and seat 2 see them live.

    Each stands behind its length, as within a message. Those who see the same of it get the same
    object. Sequence numbers count from ``first``; the last event alone has ``to_act`` and the
    deadline.
    """

def match_event(
    event: Event, sequence: int, time_us: int, to_act: int = 0, deadline_us: int | None = None
) -> bytes:
    """An event, with all that it holds, as a ``MatchEvent``."""

def match_view(
    table: bytes,
    game: Match,
    viewer: int,
    hints: bool,
    last_action: tuple[int, int, int, int | None] | None,
) -> bytes:
    """A table's ``View`` with all that its match tells this viewer added.

    ``table`` is a ``View`` of what the table alone knows: its name and numbers, who sits there.
    ``last_action`` is the place (sequence number, time, who has to act after it and until when) of
    the action that the viewer is shown as the latest; without it none is.
    """

def analyze_hands(request: bytes, rules: Rules) -> bytes:
    """The answer to an ``AnalyzeHandsRequest`` by these rules, as an ``AnalyzeHandsResponse``.

    Ruleset and overrides of the request are not looked at. The lock is released meanwhile.
    """

def find_layoffs(request: bytes) -> bytes:
    """The answer to a ``FindLayoffsRequest``, as a ``FindLayoffsResponse``."""

def action(action: Action) -> bytes:
    """An action as an ``Action``."""

def hand_cards(hand: bytes, path: str) -> list[Card] | bytes:
    """The cards of a ``HandInput`` at this path of a request; an ``ItemError`` for a bad one."""

# ------------------------------------------------------------------ state machines

class Panic(BaseException):
    """A fault of the engine itself. No argument should lead to it: please report it."""

@final
class Cancel:
    """Lets any thread end a bot's thinking, which then answers with the best so far."""

    def __init__(self) -> None: ...
    def cancel(self) -> None:
        """From now on whoever was given this thinks no more."""

    @property
    def is_cancelled(self) -> bool: ...

@final
class Hand:
    """One deal. A refused action raises :class:`Violation` and changes nothing.

    Any thread may call it: calls on one object wait for each other, and each is one step.
    """

    __hash__: ClassVar[None]  # type: ignore[assignment]

    @staticmethod
    def deal(rules: Rules, deck: Sequence[Card], dealer: Seat) -> Hand:
        """Deals from a whole deck, in dealing order."""

    @staticmethod
    def from_position(rules: Rules, position: Position) -> Hand:
        """Sets a hand up. Raises :class:`InvalidPosition` for what no hand can be in."""

    @staticmethod
    def from_seat_position(rules: Rules, position: SeatPosition) -> Hand:
        """Sets a hand up from what the seat to act knows, as far as that seat's view goes.

        The hidden cards lie anyhow; no bot in that seat sees them. Raises
        :class:`InvalidPosition` with the field's name.
        """

    def apply(self, seat: Seat, action: Action) -> list[Event]:
        """Plays one action."""

    def time_out(self) -> list[Event]:
        """Plays for the seat to act: it never knocks."""

    def view(self, viewer: int, hints: bool = True) -> HandView:
        """What a viewer sees: 0 is a spectator, 1 and 2 are the seats."""

    def position(self) -> Position | None:
        """Where the hand stands, every card included; ``None`` once it is over."""

    def bot_action(
        self,
        seat: Seat,
        bot: str,
        *,
        seed: int = 0,
        samples: int | None = None,
        think_s: float | None = None,
        cancel: Cancel | None = None,
    ) -> Action | None:
        """What a bot in this seat does, from the seat's view alone; ``None`` out of turn.

        The same view, seed (below 2**64) and samples give the same action, unless ``think_s`` or
        ``cancel`` cuts the thinking short: then it is the best so far. A bot thinks on a copy and
        holds no lock meanwhile. Without samples :func:`default_samples` holds.
        """

    def suggest(
        self,
        seat: Seat,
        bot: str,
        *,
        seed: int = 0,
        samples: int | None = None,
        think_s: float | None = None,
        cancel: Cancel | None = None,
    ) -> list[Suggestion]:
        """What the seat may do, best first, each with its reason; nothing out of turn.

        Bots that think tell the best few discards alone, those that they weighed.
        The arguments are those of :meth:`bot_action`. Bots that do not think tell no chances.
        """

    def clone(self) -> Hand:
        """A copy that plays on by itself."""

    def __copy__(self) -> Hand: ...
    def __deepcopy__(self, memo: object, /) -> Hand: ...
    def __eq__(self, other: object, /) -> bool: ...
    @property
    def phase(self) -> PhaseName: ...
    @property
    def to_act(self) -> Seat | None:
        """Whose decision the hand waits for; ``None`` when it is over."""

    @property
    def result(self) -> HandResult | None:
        """How the hand came out, once it is over."""

@final
class Match:
    """Hands played until a target is reached. A refused command raises :class:`Violation`.

    Any thread may call it: calls on one object wait for each other, and each is one step.
    """

    __hash__: ClassVar[None]  # type: ignore[assignment]

    @staticmethod
    def start(rules: Rules, seed: bytes) -> tuple[Match, list[Event]]:
        """Deals the first hand. The seed has 32 bytes and fixes every deal."""

    @staticmethod
    def start_from_decks(
        rules: Rules, decks: Sequence[Sequence[Card]], first_dealer: int, seed: bytes
    ) -> tuple[Match, list[Event]]:
        """Deals the first hands from given decks, for puzzles and tests; later ones from the seed.

        ``deck[0], [2], …`` go to the non-dealer, ``[1], [3], …`` to the dealer, ``[20]`` is turned
        up, ``[21:]`` is the stock from its top. The seed that the end of the match opens says
        nothing of the given decks.
        """

    def after(self, command: Command) -> Step:
        """What the command leads to; the match itself stays as it is."""

    def apply(self, command: Command) -> list[Event]:
        """Plays one command."""

    def view(self, viewer: int, hints: bool = True) -> MatchView:
        """What a viewer sees: 0 is a spectator, 1 and 2 are the seats."""

    def bot_action(
        self,
        seat: Seat,
        bot: str,
        *,
        seed: int = 0,
        samples: int | None = None,
        think_s: float | None = None,
        cancel: Cancel | None = None,
    ) -> Action | None:
        """What a bot in this seat does, from the seat's view alone; ``None`` out of turn.

        The same view, seed (below 2**64) and samples give the same action, unless ``think_s`` or
        ``cancel`` cuts the thinking short: then it is the best so far. A bot thinks on a copy and
        holds no lock meanwhile. Without samples :func:`default_samples` holds.
        """

    def suggest(
        self,
        seat: Seat,
        bot: str,
        *,
        seed: int = 0,
        samples: int | None = None,
        think_s: float | None = None,
        cancel: Cancel | None = None,
    ) -> list[Suggestion]:
        """What the seat may do, best first, each with its reason; nothing out of turn.

        Bots that think tell the best few discards alone, those that they weighed.
        The arguments are those of :meth:`bot_action`. Bots that do not think tell no chances.
        """

    def clone(self) -> Match:
        """A copy that plays on by itself."""

    def __copy__(self) -> Match: ...
    def __deepcopy__(self, memo: object, /) -> Match: ...
    def __eq__(self, other: object, /) -> bool: ...
    @property
    def rules(self) -> Rules: ...
    @property
    def hand_number(self) -> int:
        """Counts from 1, dead hands too."""

    @property
    def phase(self) -> PhaseName: ...
    @property
    def to_act(self) -> Seat | None:
        """Whose decision the match waits for; ``None`` when it is over."""

    @property
    def is_over(self) -> bool: ...

@final
class Step:
    """What one command leads to: the match after it, and its events in the form asked for."""

    @property
    def game(self) -> Match:
        """The match after the command: one object, however often it is asked for."""

    @property
    def events(self) -> list[Event]:
        """The events as plain objects, made anew each time."""

    @property
    def kinds(self) -> list[tuple[EventName, Seat]]:
        """Each event's ``type`` with the seat that did it, 0 for the table."""

    @property
    def is_over(self) -> bool:
        """The match has ended."""

    def stored(self, to_act: int = 0, deadline_us: int | None = None) -> str:
        """The events as compact JSON.

        What is given, other than 0 and None, stands at the end of the last event's object.
        """

@final
class Ledger:
    """The score of a match: hand points, boxes, bonuses, and Hollywood's three columns."""

    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __new__(cls, rules: Rules) -> Ledger: ...
    def record(self, winner: Seat, points: int) -> None:
        """Enters a won hand. A dead hand is not entered."""

    def sheets(self) -> list[ScoreSheet]:
        """Both players' sheets; a closed column with all its bonuses."""

    def running(self) -> list[int]:
        """Both players' points that count towards the target, in the first open column."""

    def clone(self) -> Ledger:
        """A copy that counts on by itself."""

    def __copy__(self) -> Ledger: ...
    def __deepcopy__(self, memo: object, /) -> Ledger: ...
    def __eq__(self, other: object, /) -> bool: ...
    @property
    def is_over(self) -> bool: ...
    @property
    def winner(self) -> Seat | None:
        """Who won, once the target is reached."""

# ------------------------------------------------------------------ simulations

@final
class Tally:
    """What the matches of a pairing come to, in whole numbers."""

    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __new__(cls) -> Tally: ...
    @staticmethod
    def from_json(text: str) -> Tally:
        """As `json` wrote it."""

    def json(self) -> str:
        """All of it, as text."""

    def add(self, other: Tally) -> None:
        """Adds other deals of the same pairing, in whatever order."""

    def counts(self) -> TallyCounts:
        """Its numbers."""

    def __eq__(self, other: object, /) -> bool: ...
    @property
    def deals(self) -> int: ...
    @property
    def matches(self) -> int: ...

@final
class Pairing:
    """Two bots and the rules and deals they play with."""

    def __new__(
        cls,
        rules: Rules,
        bots: tuple[str, str],
        seed: bytes,
        number: int = 0,
        single_deals: bool = False,
    ) -> Pairing:
        """The seed, of 32 bytes, is that of all pairings together, and `number` this one's among
        them. Each deal is played twice, seats exchanged, unless the deals are single."""

    def deal_seed(self, deal: int) -> bytes:
        """The seed of this deal's matches; the same for any rules and bots."""

    def play(self, first: int, end: int, cancel: Cancel) -> Tally | None:
        """Plays the deals from `first` to the one before `end`; None when cancelled meanwhile."""
