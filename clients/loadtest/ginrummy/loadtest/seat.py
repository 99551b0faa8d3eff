"""A seat that plays quick, legal hands from the events it is shown, without asking for views."""

from __future__ import annotations

from random import Random

from ginrummy.client import actions
from ginrummy.client.cards import CardValue
from ginrummy.loadtest.melds import Arrangement, arrange, cards_of, points_of
from ginrummy.loadtest.melds import mask_of as mask
from ginrummy.v1.action_pb2 import Action, Pile
from ginrummy.v1.events_pb2 import CardDrawn, HandDealt, MatchEvent
from ginrummy.v1.rules_pb2 import MeldChoice, Rules

TAKES_UPCARD = 0.3
TAKES_DISCARD = 0.15


class Seat:
    """Follows one seat's match by its events and chooses an action whenever it has to act.

    Knows the rules of the four rulesets as they are, without overrides.

    It melds well, discards its highest deadwood and knocks as soon as it can, so that matches end
    after as many hands as people's do.
    """

    def __init__(self, number: int, rules: Rules, random: Random) -> None:
        self.number = number
        self.head = 0
        """The last event noted."""
        self._rules = rules
        self._random = random
        self._hand = 0
        self._barred = 0
        self._knock_limit = 0
        self._passes = 0
        self._is_offered = False
        self._has_to_draw_stock = False
        self._has_drawn = False
        self._defends = False

    def note(self, event: MatchEvent) -> None:
        """Takes in the next event."""
        self.head = event.sequence
        is_mine = event.seat == self.number
        match event.WhichOneof("payload"):
            case "hand_dealt":
                self._begin(event.hand_dealt)
            case "passed":
                self._passes += 1
                if self._passes == 2 and self._is_offered:
                    self._is_offered, self._has_to_draw_stock = False, True
            case "card_drawn":
                self._draw(event.card_drawn, is_mine=is_mine)
            case "card_discarded":
                if is_mine:
                    self._hand &= ~mask([event.card_discarded.card])
                    self._has_drawn, self._barred = False, 0
            case "knocked":
                self._defends = not is_mine

    def action(self) -> Action:
        """What to do now; only when this seat has to act."""
        if self._defends:
            return actions.lay_off()
        if self._has_drawn:
            return self._end_of_turn()
        if self._is_offered:
            takes = self._random.random() < TAKES_UPCARD
            return actions.draw_discard() if takes else actions.pass_upcard()
        takes = not self._has_to_draw_stock and self._random.random() < TAKES_DISCARD
        return actions.draw_discard() if takes else actions.draw_stock()

    def _begin(self, dealt: HandDealt) -> None:
        self._hand = mask(dealt.hands[self.number - 1].cards)
        self._barred = 0
        self._knock_limit = dealt.knock_limit
        self._passes = 0
        self._is_offered = self._rules.upcard_offer
        self._has_to_draw_stock = self._has_drawn = self._defends = False

    def _draw(self, drawn: CardDrawn, *, is_mine: bool) -> None:
        self._is_offered = self._has_to_draw_stock = False
        if is_mine:
            card = mask([drawn.card])
            self._hand |= card
            self._has_drawn = True
            self._barred = 0 if drawn.pile == Pile.PILE_STOCK else card

    def _end_of_turn(self) -> Action:
        card, kept = self._best_discard()
        if kept.deadwood > self._knock_limit:
            return actions.discard(card)
        return actions.knock(card, self._declared(kept))

    def _best_discard(self) -> tuple[CardValue, Arrangement]:
        """The highest card outside the melds; or, with all in melds, one that leaves the least."""
        whole = arrange(self._hand)
        free = cards_of(whole.rest & ~self._barred)
        if free:
            card = max(free, key=lambda free_card: points_of(mask([free_card])))
            rest = whole.rest & ~mask([card])
            return _value(card), Arrangement(whole.melds, rest, points_of(rest))
        others = cards_of(self._hand & ~self._barred)
        left = {card: arrange(self._hand & ~mask([card])) for card in others}
        card = min(left, key=lambda other: left[other].deadwood)
        return _value(card), left[card]

    def _declared(self, kept: Arrangement) -> list[list[CardValue]]:
        if self._rules.knocker_melds == MeldChoice.MELD_CHOICE_AUTO:
            return []
        return [[_value(card) for card in cards_of(meld)] for meld in kept.melds]


def _value(card: int) -> CardValue:
    return card  # type: ignore[return-value] # enum values are ints
