"""What the seat to act may do now, read from its view."""

from __future__ import annotations

from dataclasses import dataclass, field

from ginrummy.client.cards import CardValue
from ginrummy.v1.action_pb2 import PILE_DISCARD, PILE_STOCK, Action
from ginrummy.v1.view_pb2 import View


@dataclass(frozen=True)
class Choices:
    """The legal actions, sorted by kind."""

    can_pass: bool = False
    can_draw: bool = False
    can_take: bool = False
    discards: tuple[CardValue, ...] = ()
    knocks: dict[CardValue, Action] = field(default_factory=dict)
    """By the card that leaves the hand, the best first."""
    leaves: dict[int, int] = field(default_factory=dict)
    """Deadwood points after a discard, as far as the match tells."""
    big_gin: Action | None = None
    must_lay_off: bool = False
    hint: Action | None = None

    @property
    def any(self) -> bool:
        return bool(
            self.can_pass or self.can_draw or self.can_take or self.discards or self.must_lay_off
        )

    @property
    def best_knock(self) -> CardValue | None:
        """The card whose knock leaves the least."""
        return next(iter(self.knocks), None)

    def is_gin(self, card: int) -> bool:
        return card in self.knocks and self.leaves.get(card) == 0


def choices_of(view: View) -> Choices:
    """Sorts the legal actions; none of them when somebody else has to act."""
    kinds = [(action.WhichOneof("kind"), action) for action in view.legal_actions]
    piles = {action.draw.pile for kind, action in kinds if kind == "draw"}
    knocks = {action.knock.discard: action for kind, action in kinds if kind == "knock"}
    priced = [(o.card, o.deadwood_points) for o in view.discard_options.options]
    in_order = [card for card, _ in priced if card in knocks]
    in_order += [card for card in knocks if card not in in_order]
    options = view.discard_options
    return Choices(
        can_pass=any(kind == "pass" for kind, _ in kinds),
        can_draw=PILE_STOCK in piles,
        can_take=PILE_DISCARD in piles,
        discards=tuple(action.discard.card for kind, action in kinds if kind == "discard"),
        knocks={card: knocks[card] for card in in_order},
        leaves=dict(priced),
        big_gin=next((action for kind, action in kinds if kind == "big_gin"), None),
        must_lay_off=any(kind == "lay_off" for kind, _ in kinds),
        hint=options.hint if options.HasField("hint") else None,
    )


def groups_of(action: Action) -> list[list[CardValue]]:
    """The melds that a proposed knock or big gin declares."""
    melds = action.knock.melds if action.HasField("knock") else action.big_gin.melds
    return [list(meld.cards) for meld in melds]
