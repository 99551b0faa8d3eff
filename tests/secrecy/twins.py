"""Twin matches: two deals that look the same to some viewers, and what makes them stay so.

What a viewer has seen is written down here once more, from the rules and not from the engine: as
long as what he has seen is the same in both worlds, all that he is sent has to be the same bytes.
"""

import hmac
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Literal, TypeAlias, cast

from ginrummy import engine
from ginrummy.engine import Action, Command, Event, InvalidOption, Match, Rules

DECK = [engine.from_mask(1 << bit)[0] for bit in range(52)]
HANDS = 6
"""Hands of a match whose decks are twins; later ones come from the seed, and are the same."""

Deck: TypeAlias = list[str]
Hidden: TypeAlias = Literal["seat 1", "seat 2", "both", "stock"]
"""Whose cards differ, beside the stock; for "stock" nobody's."""
Two: TypeAlias = tuple[Match, Match]

OPTIONS: dict[str, list[Any]] = {
    "upcard_offer": [True, False],
    "knock_limit": [0, 3, 10],
    "knocker_melds": ["auto", "declared", "either"],
    "layoffs": ["auto", "either"],
    "big_gin": [True, False],
    "oklahoma": ["off", "ace_is_one", "ace_is_gin"],
    "spades_double": [True, False],
    "wall": ["dead", "last_chance"],
    "allow_discard_taken": [True, False],
    "layoff_on_gin": [True, False],
    "target": [50, 150],
    "pile_view": ["all", "top_only"],
    "knock_card_face_down": [True, False],
}
USUAL = {"playgridia": {"target": 150}}
"""A single hand would not show what a later one is sent of an earlier."""


@dataclass(frozen=True)
class Plan:
    """A match as it is set up in both worlds, and the decks of each."""

    name: str
    ruleset: str
    overrides: dict[str, Any]
    rules: Rules
    hints: bool
    spectators: str
    bots: dict[int, str]
    turn_time_s: int
    hidden: Hidden
    dealer: int
    decks: tuple[list[Deck], list[Deck]]
    seed: bytes
    joins: bool = False
    """Seat 2 is open at first."""
    times_out: bool = False
    """Now and then nobody acts until the engine does."""
    risk: float = 0.03
    """How often a player lets himself see other cards in each world, for the others' sake."""


def timed_plan(number: int) -> Plan:
    """A plan in which time runs out now and then."""
    return replace(
        plan(number, clocks=True),
        name=f"{number}-timed",
        seed=Random(f"{number} timed").randbytes(32),
        times_out=True,
    )


def knock_plan(number: int) -> Plan:
    """A plan in which somebody soon puts another card face down in each world."""
    random = Random(f"{number} knocks")
    dealer = random.choice([1, 2])
    melds: list[str] = []
    for rank in random.sample("456789TJQK", 3):
        melds += [f"{rank}{suit}" for suit in random.sample("CDHS", 3)]
    # The non-dealer holds three sets and an ace, so that any card drawn may be put down.
    strong = [*melds, "AC"]
    rest = random.sample([card for card in DECK if card not in strong], 42)
    first = [card for pair in zip(strong, rest[:10], strict=True) for card in pair] + rest[10:]
    second = list(first)
    second[21], second[23], second[40] = first[23], first[40], first[21]
    overrides: Any = {"layoffs": random.choice(["auto", "either"]), "upcard_offer": False}
    return replace(
        plan(number),
        name=f"{number}-knock",
        seed=random.randbytes(32),
        ruleset="kawu",
        overrides=overrides,
        rules=engine.resolve_rules("kawu", overrides),
        spectators=random.choice(["public_info", "delayed_full"]),
        bots={},
        turn_time_s=0,
        hidden="stock",
        dealer=dealer,
        decks=([first], [second]),
        risk=0.8,
    )


def plan(number: int, *, clocks: bool = False) -> Plan:
    """The plan of this number, always the same."""
    random = Random(number)
    ruleset = random.choice(["playgridia", "solo", "kawu", "short"])
    overrides, rules = _options(random, ruleset)
    hidden = cast(Hidden, random.choice(["seat 1", "seat 2"] * 3 + ["both", "stock"]))
    dealer = random.choice([1, 2])
    pairs = [_twin_decks(random, hidden, dealer) for _ in range(HANDS)]
    bots = {}
    if not clocks and random.random() < 0.2:
        bots[random.choice([1, 2])] = random.choice(engine.bots())
    times = [30, 60] if clocks or ruleset == "playgridia" else [0, 0, 30]
    return Plan(
        name=str(number),
        ruleset=ruleset,
        overrides=overrides,
        rules=rules,
        hints=random.random() < 0.6,
        spectators=random.choice(["none", "public_info", "public_info", "delayed_full"]),
        bots=bots,
        turn_time_s=random.choice(times),
        hidden=hidden,
        dealer=dealer,
        decks=([first for first, _ in pairs], [second for _, second in pairs]),
        seed=random.randbytes(32),
        joins=not bots and random.random() < 0.3,
    )


def _options(random: Random, ruleset: str) -> tuple[dict[str, Any], Rules]:
    while True:
        changed = random.sample(sorted(OPTIONS), random.choice([0, 0, 2, 5]))
        overrides: Any = USUAL.get(ruleset, {}) | {
            name: random.choice(OPTIONS[name]) for name in changed
        }
        try:
            return overrides, engine.resolve_rules(ruleset, overrides)
        except InvalidOption:
            continue


def _twin_decks(random: Random, hidden: Hidden, dealer: int) -> tuple[Deck, Deck]:
    """Two decks: places whose cards change places among themselves are those that are hidden."""
    deck = random.sample(DECK, 52)
    places: list[int] = []
    for seat in (1, 2):
        if hidden in ("both", f"seat {seat}"):
            of_seat = list(range(int(seat == dealer), 20, 2))
            places += random.sample(of_seat, random.choice([1, 1, 2, 3, 4, 6]))
    if hidden == "stock":
        places += range(random.choice([22, 30, 40, 49]), 52)
    elif random.random() < 0.3:
        places += random.sample(range(21, 52), random.choice([1, 4]))
    elif random.random() < 0.6:
        # In turns without a take, these are the draws of one seat alone.
        others = int(hidden == f"seat {dealer}")
        places += random.sample(range(21 + others, 52, 2), random.choice([2, 4, 8]))
    else:
        places += random.sample(range(44, 52), 6)
    twin = list(deck)
    while twin == deck:
        cards = [deck[place] for place in places]
        for place, card in zip(places, random.sample(cards, len(cards)), strict=True):
            twin[place] = card
    return deck, twin


def start(plan: Plan) -> tuple[Two, tuple[list[Event], list[Event]]]:
    """The same matches here, so that all that is hidden in the servers is known."""
    started = [
        Match.start_from_decks(plan.rules, decks, plan.dealer, plan.seed) for decks in plan.decks
    ]
    return (started[0][0], started[1][0]), (started[0][1], started[1][1])


@dataclass
class Seen:
    """What one viewer (0: a spectator) sees in one world."""

    viewer: int
    face_down: bool
    opens_hands: bool
    """Sees everything of a scored hand, afterwards: a spectator where that is agreed."""
    _hand: list[Event] = field(default_factory=list)

    def of(self, events: Iterable[Event]) -> list[Any]:
        """What he sees of these events, which follow those noted."""
        facts: list[Any] = []
        hand = list(self._hand)
        for event in events:
            facts.append(self.shown(event))
            hand = [event] if event["type"] == "hand_dealt" else [*hand, event]
            if event["type"] == "match_ended" or (
                event["type"] == "hand_scored" and self.opens_hands and event["arrangements"]
            ):
                facts.append(hand)
        return facts

    def note(self, events: Iterable[Event]) -> None:
        """These events have happened."""
        for event in events:
            self._hand = [event] if event["type"] == "hand_dealt" else [*self._hand, event]

    def shown(self, event: Event) -> Any:
        """What a viewer at the table sees happen."""
        facts = dict(cast(dict[str, Any], event))
        match event["type"]:
            case "hand_dealt":
                facts["hands"] = event["hands"][self.viewer - 1] if self.viewer else None
            case "card_drawn" if event["pile"] == "stock" and event["seat"] != self.viewer:
                del facts["card"]
            case "knocked" if self.face_down and event["seat"] != self.viewer:
                del facts["discard"]
        return facts


Pair: TypeAlias = tuple[Command, Command]


class Twins:
    """Two local matches in step, and which viewers have seen the same of both."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.games, dealt = start(plan)
        face_down = plan.rules["knock_card_face_down"]
        self._seen = {
            viewer: tuple(
                Seen(viewer, face_down, viewer == 0 and plan.spectators == "delayed_full")
                for _ in range(2)
            )
            for viewer in (0, 1, 2)
        }
        self.head = 3
        """Sequence number of the latest event; before the deal the table was set for two."""
        self.hands = 1
        self.alike = {0, 1, 2}
        """The viewers who have seen the same in both worlds."""
        self._note(dealt)

    @property
    def to_act(self) -> int:
        return self.games[0].to_act or 0

    @property
    def differ(self) -> bool:
        """Whether anything is hidden that is not the same."""
        return self.games[0] != self.games[1]

    def after(self, pair: Pair) -> set[int]:
        """The viewers who would have seen the same after these commands."""
        copies = [game.clone() for game in self.games]
        first, second = (copy.apply(command) for copy, command in zip(copies, pair, strict=True))
        return self._alike_after((first, second))

    def play(self, pair: Pair) -> None:
        """Plays these commands in step."""
        first, second = (g.apply(command) for g, command in zip(self.games, pair, strict=True))
        self._note((first, second))

    def _alike_after(self, events: tuple[list[Event], list[Event]]) -> set[int]:
        alike = set()
        for viewer in self.alike:
            one, other = self._seen[viewer]
            if one.of(events[0]) == other.of(events[1]):
                alike.add(viewer)
        return alike

    def _note(self, events: tuple[list[Event], list[Event]]) -> None:
        self.alike = self._alike_after(events)
        for two in self._seen.values():
            for one, of_world in zip(two, events, strict=True):
                one.note(of_world)
        self.head += len(events[0])
        self.hands += sum(event["type"] == "hand_scored" for event in events[0])

    def pairs(self, random: Random) -> list[Pair]:
        """Legal actions of the seat to act, in each world one, that might look the same."""
        seat = self.to_act
        first, second = (game.view(seat)["legal_actions"] for game in self.games)
        pairs = [(action, action) for action in first if action in second]
        if self.plan.rules["knock_card_face_down"]:
            pairs += self._other_knocks(first, second)
        random.shuffle(pairs)
        # The best test comes first: other cards that are never to be seen.
        pairs.sort(key=lambda pair: pair[0] == pair[1])
        return [(_act(seat, a), _act(seat, b)) for a, b in pairs]

    def _other_knocks(
        self, first: list[Action], second: list[Action]
    ) -> list[tuple[Action, Action]]:
        """Knocks that show the same ten cards and put another one face down."""
        hands = [set(game.view(self.to_act)["own_hand"] or ()) for game in self.games]
        return [
            (a, b)
            for a in first
            for b in second
            if a["type"] == "knock" and b["type"] == "knock" and a["discard"] != b["discard"]
            if hands[0] - {a["discard"]} == hands[1] - {b["discard"]}
        ]

    def time_out_pair(self) -> Pair:
        """Nobody acts until the engine does."""
        time_out = cast(Command, {"type": "time_out", "timeouts_to_forfeit": 0})
        return time_out, time_out

    def bot_pair(self, bot: str) -> Pair:
        """What the bot to act does in each world."""
        seat = self.to_act
        # As the service does it: the seed is the same in both worlds, and so are chance numbers.
        chance = hmac.digest(self.plan.seed, b"bot to act after %d" % self.head, "sha256")
        seed = int.from_bytes(chance[:8])
        first, second = (game.bot_action(seat, bot, seed=seed) for game in self.games)
        assert first is not None
        assert second is not None
        return _act(seat, first), _act(seat, second)


def _act(seat: int, action: Action) -> Command:
    return cast(Command, {"type": "act", "seat": seat, "action": action})
