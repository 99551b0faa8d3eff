"""Who sits where."""

from collections.abc import Mapping, Sequence

from ginrummy import engine
from ginrummy.server.convert.fields import shown_text_from_wire, text_from_wire
from ginrummy.server.convert.times import duration_from_wire, duration_to_wire
from ginrummy.server.refusals import BadField, BotNotFound
from ginrummy.tables.events import Occupant
from ginrummy.tables.thinking import MOST_SAMPLES, SAMPLES, thinks
from ginrummy.tables.tokens import HOST
from ginrummy.v1 import match_pb2 as pb

LONGEST_DISPLAY_NAME = 64
LONGEST_EXTERNAL_ID = 128
LONGEST_THINK_S = 60

BOTS = frozenset(engine.bots())


def seat_to_wire(number: int, occupant: Occupant) -> pb.Seat:
    """A seat with who sits in it."""
    match occupant["kind"]:
        case "human":
            human = pb.HumanSeat(
                display_name=occupant.get("display_name", ""),
                external_id=occupant.get("external_id", ""),
            )
            return pb.Seat(number=number, human=human)
        case "bot":
            think_us = occupant.get("think_time_us")
            bot = pb.BotSeat(
                bot=f"bots/{occupant['bot']}",
                options=occupant.get("options", {}),
                think_time=None if think_us is None else duration_to_wire(think_us),
            )
            return pb.Seat(number=number, bot=bot)
        case "open":
            return pb.Seat(number=number, open=pb.OpenSeat())


def seat_from_wire(seat: pb.Seat, path: str) -> Occupant:
    """Who is to sit there. Raises BadField or BotNotFound."""
    match seat.WhichOneof("occupant"):
        case "open":
            return Occupant(kind="open")
        case "human":
            return human_from_wire(seat.human, f"{path}.human")
        case "bot":
            return bot_from_wire(seat.bot, f"{path}.bot")
        case _:
            raise BadField(path, "open, human or bot is required")


def human_from_wire(human: pb.HumanSeat, path: str) -> Occupant:
    """A person. Raises BadField."""
    return Occupant(
        kind="human",
        display_name=shown_text_from_wire(
            human.display_name, f"{path}.display_name", LONGEST_DISPLAY_NAME
        ),
        external_id=text_from_wire(human.external_id, f"{path}.external_id", LONGEST_EXTERNAL_ID),
    )


def role_from_wire(seat: int, occupants: Sequence[Occupant], path: str) -> str:
    """Who has a token: the person in a seat, or for 0 the host. Raises BadField."""
    if seat == 0:
        return HOST
    if seat not in (1, 2):
        raise BadField(path, f"is 1 or 2, or 0 for the host, not {seat}")
    match occupants[seat - 1]["kind"]:
        case "bot":
            raise BadField(path, f"seat {seat} is a bot's, which has no token")
        case "open":
            raise BadField(path, f"seat {seat} is open; JoinMatch gives its token")
        case "human":
            return str(seat)


def human_seat_from_wire(seat: int, occupants: Sequence[Occupant], path: str) -> int:
    """The seat of a person. Raises BadField."""
    if seat not in (1, 2):
        raise BadField(path, f"is 1 or 2, not {seat}")
    if occupants[seat - 1]["kind"] != "human":
        raise BadField(path, f"no person sits in seat {seat}")
    return seat


def bot_name_from_wire(bot: str, path: str) -> str:
    """The bot's name in "bots/{name}". Raises BadField or BotNotFound."""
    if not bot:
        raise BadField(path, "is required")
    kind, _, name = bot.partition("/")
    if kind != "bots" or not name:
        raise BadField(path, 'has the form "bots/simple"')
    if name not in BOTS:
        raise BotNotFound(bot[:100], engine.bots())
    return name


def bot_from_wire(bot: pb.BotSeat, path: str) -> Occupant:
    """A bot with its options. Raises BadField or BotNotFound."""
    name = bot_name_from_wire(bot.bot, f"{path}.bot")
    options = _options_from_wire(bot.options, name, f"{path}.options")
    think_us = None
    if bot.HasField("think_time"):
        think_us = duration_from_wire(bot.think_time, f"{path}.think_time", LONGEST_THINK_S)
    return Occupant(kind="bot", bot=name, options=options, think_time_us=think_us)


def default_options(name: str) -> dict[str, str]:
    """What a bot may be told, with the values that hold otherwise."""
    return {SAMPLES: str(engine.default_samples(name))} if thinks(name) else {}


def _options_from_wire(options: Mapping[str, str], bot: str, path: str) -> dict[str, str]:
    """Those that are set. Raises BadField for one that the bot does not know, or a bad value."""
    known = default_options(bot)
    for option, value in options.items():
        place = f"{path}[{option[:63]!r}]"
        if option not in known:
            allowed = f"; it has {', '.join(known)}" if known else ""
            raise BadField(place, f"bots/{bot} has no such option{allowed}")
        is_number = value.isascii() and value.isdecimal() and len(value) <= len(str(MOST_SAMPLES))
        if not is_number or not 1 <= int(value) <= MOST_SAMPLES:
            raise BadField(place, f"is a whole number from 1 to {MOST_SAMPLES}")
    return dict(options)
