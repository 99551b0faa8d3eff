"""What is asked of both worlds at one position: views, listings, and all that is refused.

Every question is the same bytes for both worlds, and none of them changes a match.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, cast

from google.protobuf.duration_pb2 import Duration

from ginrummy.engine import Action, Match, Violation
from ginrummy.v1 import action_pb2, match_pb2
from ginrummy.v1 import analysis_service_pb2 as analysis_pb
from ginrummy.v1 import match_service_pb2 as pb

from ..engine import messages
from .twins import DECK, Two
from .worlds import MATCHES, Metadata, bearer

METHODS = [method.name for method in pb.DESCRIPTOR.services_by_name["MatchService"].methods]
UNARY = [
    method.name
    for method in pb.DESCRIPTOR.services_by_name["MatchService"].methods
    if not method.server_streaming
]
SUGGEST = "/ginrummy.v1.AnalysisService/SuggestActions"
NO_SUCH_MATCH = "matches/" + "0" * 32


@dataclass(frozen=True)
class Place:
    """One viewer at one position of a match."""

    name: str
    label: str
    """Of the pair, to find the match in listings."""
    viewer: int
    token: str | None
    head: int

    @property
    def metadata(self) -> Metadata:
        return bearer(self.token)


@dataclass(frozen=True)
class Question:
    """One unary call."""

    surface: str
    method: str
    request: bytes
    metadata: Metadata


def watching(place: Place, after: int | None = None) -> pb.WatchMatchRequest:
    """Follows the match, with the longest silence that is allowed."""
    return pb.WatchMatchRequest(
        name=place.name, after_sequence=after, heartbeat=Duration(seconds=60)
    )


def view(place: Place) -> Question:
    request = pb.GetViewRequest(name=place.name)
    return Question("GetView", "GetView", request.SerializeToString(), place.metadata)


def tellings(place: Place) -> Iterator[Question]:
    """What everybody may ask of a match."""
    asked: list[tuple[str, Any]] = [
        ("GetMatch", pb.GetMatchRequest(name=place.name)),
        ("ListMatches", pb.ListMatchesRequest(labels={"pair": place.label})),
        (
            "ListMatches",
            pb.ListMatchesRequest(
                labels={"pair": place.label}, state=match_pb2.MATCH_STATE_RUNNING, page_size=1
            ),
        ),
        ("ListMatchEvents", pb.ListMatchEventsRequest(name=place.name)),
        (
            "ListMatchEvents",
            pb.ListMatchEventsRequest(name=place.name, page_size=7, page_token="3"),
        ),
    ]
    for method, request in asked:
        yield Question(method, method, request.SerializeToString(), place.metadata)
    for bot in ("heuristic", "hard"):
        advice = analysis_pb.SuggestActionsRequest(match=place.name, bot=f"bots/{bot}", seed=1)
        surface = f"SuggestActions of {bot}"
        yield Question(surface, SUGGEST, advice.SerializeToString(), place.metadata)


def refused_actions(twins: Two, seat: int) -> list[Action]:
    """Actions of every kind, with every card, that this seat may not do now.

    Whether it may is his own to know: the same in both worlds, or the engine is at fault.
    """
    return [action for action in every_action(twins[0], seat) if _is_refused(twins, seat, action)]


def _is_refused(twins: Two, seat: int, action: Action) -> bool:
    verdicts: list[str | None] = []
    for game in twins:
        try:
            game.clone().apply({"type": "act", "seat": seat, "action": action})
            verdicts.append(None)
        except Violation as violation:
            verdicts.append(str(violation))
    assert verdicts[0] == verdicts[1], f"{action}: {verdicts}"
    return verdicts[0] is not None


def every_action(game: Match, seat: int) -> Iterator[Action]:
    """Possible or not, with melds and without."""
    own = game.view(seat)["own_hand"] or []
    groups: list[list[str]] = [own[:3], own[2:5]]
    yield {"type": "pass"}
    yield {"type": "draw", "pile": "stock"}
    yield {"type": "draw", "pile": "discard"}
    yield {"type": "big_gin"}
    yield {"type": "big_gin", "melds": groups}
    yield {"type": "lay_off"}
    yield {"type": "lay_off", "melds": groups[:1]}
    for card in DECK:
        yield {"type": "discard", "card": card}
        yield {"type": "knock", "discard": card}
        yield {"type": "lay_off", "layoffs": [{"card": card, "meld_index": 0}]}
    for card in own[:2]:
        yield {"type": "knock", "discard": card, "melds": [own[-3:]]}
        yield {"type": "knock", "discard": card, "melds": [[card, *own[-2:]], own[-3:]]}


def acting(place: Place, action: Action, **fields: Any) -> pb.ActRequest:
    given = {"expected_sequence": place.head} | fields
    return pb.ActRequest(name=place.name, action=messages.action(action), **given)


def refused_acts(place: Place, actions: list[Action], random: Random) -> Iterator[Question]:
    """Act with some of these actions, and with good ones that come too late or too early."""
    for action in random.sample(actions, min(len(actions), 12)):
        request = acting(place, action)
        yield Question(f"Act {action}", "Act", request.SerializeToString(), place.metadata)
    action = cast(Action, {"type": "discard", "card": random.choice(DECK)})
    for expected in (0, 1, place.head - 1, place.head + 1, 1 << 62):
        request = acting(place, action, expected_sequence=expected)
        surface = f"Act at {expected}"
        yield Question(surface, "Act", request.SerializeToString(), place.metadata)


def malformed(place: Place, other_token: str, random: Random) -> Iterator[Question]:
    """Requests that are wrong in themselves, or from the wrong caller."""
    for method in UNARY:
        garbage = random.randbytes(random.choice([1, 9, 60]))
        yield Question(f"{method} garbage", method, b"\xff" + garbage, place.metadata)
    name = place.name
    for path, request in (
        ("no action", pb.ActRequest(name=name, expected_sequence=place.head)),
        ("no card", _act(place, discard=action_pb2.Discard())),
        ("no such card", _act(place, discard=action_pb2.Discard(card=77))),  # type: ignore[arg-type]
        ("bad request id", _act(place, request_id="7")),
        ("no match", pb.ActRequest(name=NO_SUCH_MATCH, expected_sequence=place.head)),
        ("no name", pb.ActRequest()),
    ):
        yield Question(f"Act {path}", "Act", request.SerializeToString(), place.metadata)
    for who, metadata in (
        ("nobody", ()),
        ("a forger", bearer(f"{name.partition('/')[2]}.{'x' * 40}")),
        ("another match's", bearer(other_token)),
        ("another scheme's", (("authorization", "Basic x"),)),
    ):
        for method in (
            "Act",
            "ResignMatch",
            "AbortMatch",
            "ReissueToken",
            "ErasePlayer",
            "GetView",
        ):
            yield Question(f"{method} of {who}", method, _named(method, name, place.head), metadata)
    yield Question("claim", "ClaimMatch", _named("ClaimMatch", name, 0), place.metadata)
    yield Question("join", "JoinMatch", _named("JoinMatch", name, 0), place.metadata)
    yield Question("no method", MATCHES + "Peek", b"", place.metadata)


def _act(place: Place, request_id: str = "", **action: Any) -> pb.ActRequest:
    given = action_pb2.Action(**action) if action else messages.action({"type": "pass"})
    return pb.ActRequest(
        name=place.name, action=given, expected_sequence=place.head, request_id=request_id
    )


def _named(method: str, name: str, head: int) -> bytes:
    request = getattr(pb, f"{method}Request")(name=name)
    if method == "Act":
        request.action.CopyFrom(messages.action({"type": "draw", "pile": "stock"}))
        request.expected_sequence = head
    if method in ("ReissueToken", "ErasePlayer"):
        request.seat = 1
    return bytes(request.SerializeToString())
