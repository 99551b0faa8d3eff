"""Simulations, as they are asked for and as they are shown."""

import secrets
from collections.abc import Sequence

from ginrummy.server.convert.fields import shown_text_from_wire
from ginrummy.server.convert.matches import SEED_LEN
from ginrummy.server.convert.rules import (
    overrides_from_wire,
    resolve,
    rules_to_wire,
    ruleset_from_wire,
)
from ginrummy.server.convert.seats import LONGEST_DISPLAY_NAME, bot_from_wire
from ginrummy.server.convert.times import SECOND_US, duration_to_wire, timestamp_to_wire
from ginrummy.server.refusals import BadField
from ginrummy.simulations.estimates import Estimate
from ginrummy.simulations.snapshot import Snapshot
from ginrummy.simulations.spec import Entrant, Spec
from ginrummy.simulations.standings import PairFigures, Standing
from ginrummy.v1 import simulation_service_pb2 as pb

FEWEST_ENTRANTS = 2
MOST_ENTRANTS = 8
MOST_MATCHES = 1_000_000
"""Of each pair."""

OUTPUT_ONLY = (
    "name",
    "state",
    "progress",
    "create_time",
    "end_time",
    "error_message",
    "engine_version",
)


def simulation_id_from_wire(name: str, path: str) -> str:
    """The id in "simulations/{id}"; one of another form is none that there is. Raises BadField."""
    if not name:
        raise BadField(path, "is required")
    kind, _, simulation_id = name.partition("/")
    if kind != "simulations" or not simulation_id:
        raise BadField(path, 'has the form "simulations/{id}"')
    return simulation_id


def spec_from_wire(request: pb.CreateSimulationRequest) -> Spec:
    """What is to be played. Raises BadField, RulesetNotFound or BotNotFound."""
    if not request.HasField("simulation"):
        raise BadField("simulation", "is required")
    asked = request.simulation
    ruleset = ruleset_from_wire(asked.ruleset, "simulation.ruleset")
    overrides = overrides_from_wire(asked.overrides, "simulation.overrides")
    rules = resolve(ruleset, overrides, "simulation.overrides")
    entrants = _entrants_from_wire(asked.entrants)
    _check_matches(asked)
    return Spec(
        ruleset=ruleset["name"],
        overrides=overrides,
        rules=rules,
        entrants=entrants,
        matches_per_pairing=asked.matches_per_pairing,
        single_deals=asked.single_deals,
        seed=_seed_from_wire(asked.seed),
        is_seed_chosen=bool(asked.seed),
    )


def _entrants_from_wire(entrants: Sequence[pb.Entrant]) -> tuple[Entrant, ...]:
    at = "simulation.entrants"
    if not FEWEST_ENTRANTS <= len(entrants) <= MOST_ENTRANTS:
        raise BadField(at, f"{FEWEST_ENTRANTS} to {MOST_ENTRANTS} take part, not {len(entrants)}")
    read: list[Entrant] = []
    for i, entrant in enumerate(entrants):
        who = _entrant_from_wire(entrant, f"{at}[{i}]")
        for j, other in enumerate(read):
            if who.label == other.label:
                problem = f"is that of entrants[{j}] too; each needs a label of its own"
                raise BadField(f"{at}[{i}].label", problem)
        read.append(who)
    return tuple(read)


def _entrant_from_wire(entrant: pb.Entrant, path: str) -> Entrant:
    if not entrant.HasField("bot"):
        raise BadField(f"{path}.bot", "is required")
    bot = bot_from_wire(entrant.bot, f"{path}.bot")
    if entrant.bot.HasField("think_time"):
        problem = "is not for simulations: what comes out must not depend on the server's speed"
        raise BadField(f"{path}.bot.think_time", problem)
    for option in bot.get("options", {}):
        problem = "is not for simulations: each bot plays as it usually does"
        raise BadField(f"{path}.bot.options[{option!r}]", problem)
    label = shown_text_from_wire(entrant.label, f"{path}.label", LONGEST_DISPLAY_NAME)
    return Entrant(label or bot["bot"], bot["bot"])


def _check_matches(asked: pb.Simulation) -> None:
    at = "simulation.matches_per_pairing"
    count = asked.matches_per_pairing
    if not 1 <= count <= MOST_MATCHES:
        raise BadField(at, f"is 1 to {MOST_MATCHES}, not {count}")
    if count % 2 and not asked.single_deals:
        raise BadField(at, f"is even, not {count}: each deal is played twice; see single_deals")


def _seed_from_wire(seed: bytes) -> bytes:
    if not seed:
        return secrets.token_bytes(SEED_LEN)
    if len(seed) != SEED_LEN:
        raise BadField("simulation.seed", f"is {len(seed)} bytes long, not {SEED_LEN}")
    return seed


def simulation_to_wire(snapshot: Snapshot, *, with_points: bool = True) -> pb.Simulation:
    """A simulation as it stands."""
    shown = pb.Simulation(
        name=f"simulations/{snapshot.id}",
        state=pb.SimulationState.Value(f"SIMULATION_STATE_{snapshot.state.upper()}"),
        create_time=timestamp_to_wire(snapshot.created_us),
        end_time=timestamp_to_wire(snapshot.ended_us),
        error_message=snapshot.error,
        engine_version=snapshot.engine,
    )
    spec = snapshot.spec
    if spec is None:
        return shown
    shown.ruleset = f"rulesets/{spec.ruleset}"
    shown.overrides.CopyFrom(rules_to_wire(spec.overrides))
    for who in spec.entrants:
        shown.entrants.add(label=who.label).bot.bot = f"bots/{who.bot}"
    shown.matches_per_pairing = spec.matches_per_pairing
    shown.single_deals = spec.single_deals
    shown.seed = spec.seed
    shown.progress.CopyFrom(_progress_to_wire(snapshot, spec, with_points=with_points))
    return shown


def _progress_to_wire(
    snapshot: Snapshot, spec: Spec, *, with_points: bool
) -> pb.SimulationProgress:
    figures = snapshot.figures
    left_s = snapshot.time_left_s
    return pb.SimulationProgress(
        matches_done=figures.matches,
        matches_total=spec.matches_total,
        matches_per_second=snapshot.matches_per_s,
        time_left=None if left_s is None else duration_to_wire(int(left_s * SECOND_US)),
        standings=[_standing_to_wire(standing) for standing in figures.standings],
        pairings=[_pair_to_wire(pair, with_points=with_points) for pair in figures.pairs],
    )


def _standing_to_wire(standing: Standing) -> pb.Standing:
    sums = standing.sums
    return pb.Standing(
        label=standing.label,
        matches=sums.matches,
        wins=sums.wins,
        losses=sums.losses,
        win_rate=_estimate_to_wire(standing.win_rate),
        hands=sums.hands,
        points_per_hand=_estimate_to_wire(standing.points_per_hand),
    )


def _pair_to_wire(pair: PairFigures, *, with_points: bool) -> pb.Pairing:
    sums = pair.sums
    first_ends, second_ends = (pb.HandEnds(**ends) for ends in pair.ends)
    points = pair.hand_points if with_points else ()
    return pb.Pairing(
        first=pair.first,
        second=pair.second,
        matches=sums.matches,
        first_wins=sums.wins,
        second_wins=sums.losses,
        unfinished=sums.unfinished,
        win_rate=_estimate_to_wire(pair.win_rate),
        total_difference=_estimate_to_wire(pair.total_difference),
        points_per_hand=_estimate_to_wire(pair.points_per_hand),
        hands=sums.hands,
        hands_per_match=_estimate_to_wire(pair.hands_per_match),
        first_ends=first_ends,
        second_ends=second_ends,
        dead_hands=pair.dead_hands,
        tied_hands=pair.tied_hands,
        hand_points=[pb.PointsCount(points=points, hands=hands) for points, hands in points],
    )


def _estimate_to_wire(estimate: Estimate) -> pb.Estimate:
    return pb.Estimate(value=estimate.value, low=estimate.low, high=estimate.high)
