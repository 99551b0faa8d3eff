"""What one viewer may know."""

from dataclasses import replace

from ginrummy.engine.types import DiscardOptions, MatchView
from ginrummy.server.convert.actions import action_to_wire
from ginrummy.server.convert.cards import (
    NUMBERS,
    arrangement_to_wire,
    cards_to_wire,
)
from ginrummy.server.convert.enums import PHASE
from ginrummy.server.convert.events import (
    event_to_wire,
    hand_result_to_wire,
    match_result_to_wire,
    sheets_to_wire,
    showdown_to_wire,
)
from ginrummy.server.convert.seats import seat_to_wire
from ginrummy.server.convert.times import timestamp_to_wire
from ginrummy.tables.views import TableView
from ginrummy.v1 import view_pb2 as pb


def view_to_wire(view: TableView) -> pb.View:
    """The whole of what the viewer may know."""
    state, game = view.state, view.game
    wire = pb.View(
        match=f"matches/{state.match_id}",
        sequence=state.head,
        viewer_seat=view.viewer,
        server_time=timestamp_to_wire(view.now_us),
        phase=pb.PHASE_WAITING,
        to_act=state.to_act,
        deadline=timestamp_to_wire(state.deadline_us),
        seats=_seats(view),
        hints_allowed=state.setup["hints"],
    )
    if game is not None:
        _add_game(wire, game)
        _add_cards(wire, game)
        if view.last_action is not None and game["last_action"] is not None:
            seen = replace(view.last_action, event=game["last_action"])
            wire.last_action.CopyFrom(event_to_wire(seen))
    if state.result is not None:
        wire.phase = pb.PHASE_MATCH_OVER
        wire.result.CopyFrom(match_result_to_wire(state.result))
        if game is None:
            wire.sheets.extend(sheets_to_wire(state.result["sheets"]))
    return wire


def _seats(view: TableView) -> list[pb.SeatStatus]:
    seats = []
    for i, occupant in enumerate(view.state.occupants):
        status = pb.SeatStatus(
            number=i + 1,
            occupant=seat_to_wire(i + 1, occupant),
            connected=view.connected[i],
            claimable_time=timestamp_to_wire(view.claimable_us[i]),
        )
        if view.game is not None:
            status.hand_count = view.game["hand_counts"][i]
            status.known_cards.extend(cards_to_wire(view.game["known_cards"][i]))
        seats.append(status)
    return seats


def _add_game(wire: pb.View, game: MatchView) -> None:
    wire.phase = PHASE.number["match_over" if game["phase"] == "over" else game["phase"]]
    wire.hand_number = game["hand_number"]
    wire.dealer = game["dealer"]
    wire.knock_limit = game["knock_limit"]
    wire.points_doubled = game["points_doubled"]
    wire.sheets.extend(sheets_to_wire(game["sheets"]))
    wire.legal_actions.extend(action_to_wire(action) for action in game["legal_actions"])
    if game["discard_options"] is not None:
        wire.discard_options.CopyFrom(_discard_options(game["discard_options"]))
    if game["showdown"] is not None:
        wire.showdown.CopyFrom(showdown_to_wire(game["showdown"]))
    if game["last_hand"] is not None:
        wire.last_hand.CopyFrom(hand_result_to_wire(game["last_hand"]))


def _add_cards(wire: pb.View, game: MatchView) -> None:
    wire.discard_pile.extend(cards_to_wire(game["discard_pile"]))
    wire.discard_count = game["discard_count"]
    wire.stock_count = game["stock_count"]
    if game["own_hand"] is not None:
        wire.own_hand.extend(cards_to_wire(game["own_hand"]))
    if game["own_arrangement"] is not None:
        wire.own_arrangement.CopyFrom(arrangement_to_wire(game["own_arrangement"]))
    if game["last_drawn"] is not None:
        wire.last_drawn = NUMBERS[game["last_drawn"]]
    if game["barred_discard"] is not None:
        wire.barred_discard = NUMBERS[game["barred_discard"]]


def _discard_options(options: DiscardOptions) -> pb.DiscardOptions:
    hint = options["hint"]
    return pb.DiscardOptions(
        options=[
            pb.DiscardOption(
                card=NUMBERS[option["card"]],
                deadwood_points=option["deadwood_points"],
                can_knock=option["can_knock"],
            )
            for option in options["options"]
        ],
        best_deadwood=options["best_deadwood"],
        can_knock=options["can_knock"],
        can_gin=options["can_gin"],
        can_big_gin=options["can_big_gin"],
        hint=None if hint is None else action_to_wire(hint),
    )
