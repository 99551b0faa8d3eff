"""What a player does."""

from ginrummy.engine.types import Action, Layoff
from ginrummy.server.convert.cards import MOST_CARDS, card_from_wire, melds_from_wire
from ginrummy.server.convert.enums import PILE
from ginrummy.server.refusals import BadField
from ginrummy.v1 import action_pb2 as pb


def action_from_wire(action: pb.Action, path: str) -> Action:
    """The engine's action. Raises BadField or BadCard."""
    kind = action.WhichOneof("kind")
    at = f"{path}.{kind}"
    match kind:
        case "pass":
            return {"type": "pass"}
        case "draw":
            return {"type": "draw", "pile": PILE.word(action.draw.pile, f"{at}.pile")}
        case "discard":
            return {"type": "discard", "card": card_from_wire(action.discard.card, f"{at}.card")}
        case "knock":
            return {
                "type": "knock",
                "discard": card_from_wire(action.knock.discard, f"{at}.discard"),
                "melds": melds_from_wire(action.knock.melds, f"{at}.melds"),
            }
        case "big_gin":
            melds = melds_from_wire(action.big_gin.melds, f"{at}.melds")
            return {"type": "big_gin", "melds": melds}
        case "lay_off":
            return {
                "type": "lay_off",
                "melds": melds_from_wire(action.lay_off.melds, f"{at}.melds"),
                "layoffs": _layoffs_from_wire(action.lay_off, f"{at}.moves"),
            }
        case _:
            raise BadField(path, "an action of this version's kinds is required")


def _layoffs_from_wire(lay_off: pb.LayOff, path: str) -> list[Layoff]:
    if len(lay_off.moves) > MOST_CARDS:
        raise BadField(path, f"at most {MOST_CARDS} cards can be laid off")
    read = []
    for i, move in enumerate(lay_off.moves):
        if move.meld_index >= MOST_CARDS:
            raise BadField(f"{path}[{i}].meld_index", f"the knocker has no meld {move.meld_index}")
        card = card_from_wire(move.card, f"{path}[{i}].card")
        read.append(Layoff(card=card, meld_index=move.meld_index))
    return read
