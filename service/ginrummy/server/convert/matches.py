"""Matches, as they are asked for and as they are shown."""

from collections.abc import Mapping

from ginrummy.log import IndexRow
from ginrummy.server.convert.enums import SPECTATORS, STATE
from ginrummy.server.convert.events import match_result_to_wire
from ginrummy.server.convert.fields import match_id_from_wire, text_from_wire
from ginrummy.server.convert.rules import (
    clock_from_wire,
    clock_to_wire,
    overrides_from_wire,
    resolve,
    rules_to_wire,
    ruleset_from_wire,
)
from ginrummy.server.convert.seats import seat_from_wire, seat_to_wire
from ginrummy.server.convert.times import timestamp_to_wire
from ginrummy.server.refusals import BadField
from ginrummy.tables.lifetimes import Lifetimes
from ginrummy.tables.rows import summary_of
from ginrummy.tables.setup import Setup
from ginrummy.v1 import match_pb2 as pb
from ginrummy.v1 import match_service_pb2 as service_pb

MOST_LABELS = 16
LONGEST_LABEL_KEY = 63
LONGEST_LABEL_VALUE = 255
SEED_LEN = 32


def match_to_wire(row: IndexRow, lifetimes: Lifetimes) -> pb.Match:
    """A match as everybody may see it who knows its name."""
    summary = summary_of(row)
    result = summary["result"]
    replay_of = summary["replay_of"]
    return pb.Match(
        name=f"matches/{row.match_id}",
        state=STATE.number[row.state.value],
        ruleset=f"rulesets/{row.ruleset}",
        overrides=rules_to_wire(summary["overrides"]),
        effective_rules=rules_to_wire(summary["rules"]),
        clock=clock_to_wire(summary["clock"]),
        seats=[seat_to_wire(i + 1, who) for i, who in enumerate(summary["occupants"])],
        spectators=SPECTATORS.number[summary["spectators"]],
        labels=row.labels.value,
        unlisted=row.unlisted,
        allow_hints=summary["hints"],
        sequence=row.head,
        create_time=timestamp_to_wire(row.created_us),
        update_time=timestamp_to_wire(row.updated_us),
        expire_time=timestamp_to_wire(lifetimes.expire_us(row)),
        result=None if result is None else match_result_to_wire(result),
        deal_commitment=bytes.fromhex(summary["commitment"]),
        seeded=summary["seeded"],
        replay_of="" if replay_of is None else f"matches/{replay_of}",
    )


def setup_from_wire(request: service_pb.CreateMatchRequest) -> Setup:
    """What is to be set up. Raises BadField, RulesetNotFound or BotNotFound."""
    if not request.HasField("match"):
        raise BadField("match", "is required")
    match = request.match
    ruleset = ruleset_from_wire(match.ruleset, "match.ruleset")
    overrides = overrides_from_wire(match.overrides, "match.overrides")
    if len(match.seats) != 2:
        raise BadField("match.seats", f"exactly two are required, not {len(match.seats)}")
    seats = [seat_from_wire(seat, f"match.seats[{i}]") for i, seat in enumerate(match.seats)]
    policy = match.spectators or pb.SPECTATOR_POLICY_NONE
    return Setup(
        ruleset=ruleset["name"],
        overrides=overrides,
        rules=resolve(ruleset, overrides, "match.overrides"),
        clock=clock_from_wire(match.clock, ruleset, "match.clock"),
        seats=seats,
        spectators=SPECTATORS.word(policy, "match.spectators"),
        labels=labels_from_wire(match.labels, "match.labels"),
        unlisted=match.unlisted,
        hints=match.allow_hints if match.HasField("allow_hints") else ruleset["hints"],
        seed=_seed_from_wire(request),
        replay_of=match_id_from_wire(request.replay_of, "replay_of") if request.replay_of else None,
    )


def _seed_from_wire(request: service_pb.CreateMatchRequest) -> str | None:
    if not request.seed:
        return None
    if request.replay_of:
        raise BadField("replay_of", "does not go together with seed")
    if len(request.seed) != SEED_LEN:
        raise BadField("seed", f"is {len(request.seed)} bytes long, not {SEED_LEN}")
    return request.seed.hex()


def labels_from_wire(labels: Mapping[str, str], path: str) -> dict[str, str]:
    """The caller's own labels. Raises BadField."""
    if len(labels) > MOST_LABELS:
        raise BadField(path, f"at most {MOST_LABELS} are allowed, not {len(labels)}")
    for key, value in labels.items():
        if not 1 <= len(key) <= LONGEST_LABEL_KEY:
            raise BadField(path, f"a key has 1 to {LONGEST_LABEL_KEY} characters")
        at = f"{path}[{key!r}]"
        text_from_wire(key, at, LONGEST_LABEL_KEY)
        text_from_wire(value, at, LONGEST_LABEL_VALUE)
    return dict(labels)
