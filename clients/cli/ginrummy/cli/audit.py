"""Compares what was dealt in a finished match with its opened seed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ginrummy.cli import deals
from ginrummy.v1.action_pb2 import PILE_STOCK
from ginrummy.v1.events_pb2 import HandDealt, MatchEvent
from ginrummy.v1.match_pb2 import Match


@dataclass(frozen=True)
class Finding:
    """One thing that was checked. `what` names a message of the catalog."""

    what: str
    ok: bool
    hand_number: int = 0


@dataclass
class Audit:
    """The findings so far; `hands` and `stock_draws` count what was compared."""

    seed: bytes
    findings: list[Finding] = field(default_factory=list)
    hands: int = 0
    stock_draws: int = 0
    _stock: list[int] = field(default_factory=list)
    _hand_number: int = 0

    @property
    def ok(self) -> bool:
        return all(finding.ok for finding in self.findings)

    def note(self, what: str, ok: bool) -> None:
        self.findings.append(Finding(what, ok, self._hand_number))

    def check_hand(self, dealt: HandDealt) -> None:
        if dealt.hand_number == 1:
            self.note("verify-first-dealer", dealt.dealer == deals.first_dealer(self.seed))
        self.hands += 1
        self._hand_number = dealt.hand_number
        expected = deals.deal(self.seed, dealt.hand_number, dealt.dealer)
        hands = tuple(frozenset(hand.cards) for hand in dealt.hands)
        self.note("verify-hand", hands == expected.hands and dealt.upcard == expected.upcard)
        self._stock = list(expected.stock)

    def check_stock_draw(self, card: int) -> None:
        """Silent when right: a match has hundreds of them."""
        self.stock_draws += 1
        if not self._stock or self._stock.pop(0) != card:
            self.note("verify-stock", False)


def audit(match: Match, events: Iterable[MatchEvent], promised: bytes = b"") -> Audit:
    """Checks commitment, first dealer, every deal and every card drawn from the stock.

    `promised` is the commitment that the caller wrote down when the match was created.
    """
    seed = match.result.seed
    found = Audit(seed)
    found.note("verify-commitment", deals.commitment(seed) == match.deal_commitment)
    if promised:
        found.note("verify-promised", promised == match.deal_commitment)
    if len(seed) != deals.SEED_BYTES:
        found.note("verify-seed-missing", False)
        return found
    for number, event in enumerate(events, start=1):
        if event.sequence != number:
            found.note("verify-sequence", False)
            break
        if event.HasField("hand_dealt"):
            found.check_hand(event.hand_dealt)
        elif event.HasField("card_drawn") and event.card_drawn.pile == PILE_STOCK:
            found.check_stock_draw(event.card_drawn.card)
    return found
