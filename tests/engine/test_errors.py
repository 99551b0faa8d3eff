"""What is refused, how it is said, and that nothing is lost on the way."""

import pickle
from typing import Any

import pytest

from ginrummy.engine import (
    EngineError,
    Hand,
    InvalidCards,
    InvalidOption,
    InvalidPosition,
    Ledger,
    Match,
    Rules,
    Violation,
    best_defence,
    best_discard,
    check_turn_time,
    commitment,
    deadwood,
    deck,
    from_mask,
    next_dealer,
    parse_cards,
    resolve_rules,
    score_hand,
    seen_by,
)

from .reading import DECK

RULES: Rules = resolve_rules("short")


def refusal(game: Match, action: Any) -> Violation:
    with pytest.raises(Violation) as refused:
        game.apply({"type": "act", "seat": game.to_act or 1, "action": action})
    return refused.value


def test_a_violation_names_the_rule_and_its_numbers() -> None:
    game, _ = Match.start(RULES, bytes(32))
    assert game.to_act == 2
    with pytest.raises(Violation, match=r"^it is seat 2's turn$") as refused:
        game.apply({"type": "act", "seat": 1, "action": {"type": "pass"}})
    assert (refused.value.kind, refused.value.fields) == ("not_your_turn", {"to_act": 2})
    wrong_phase = refusal(game, {"type": "draw", "pile": "stock"})
    assert (wrong_phase.kind, wrong_phase.fields) == ("wrong_phase", {"phase": "upcard"})
    game.apply({"type": "act", "seat": 2, "action": {"type": "draw", "pile": "discard"}})
    hand = game.view(2)["own_hand"] or []
    taken = game.view(2)["last_drawn"]
    just_taken = refusal(game, {"type": "discard", "card": taken})
    assert (just_taken.kind, just_taken.fields) == ("discard_just_taken", {"card": taken})
    groups = refusal(game, {"type": "knock", "discard": hand[0], "melds": [hand[1:4]]})
    assert (groups.kind, groups.fields) == ("bad_melds", {"problem": "refused"})


def test_groups_that_are_no_melds_are_named_with_their_cards() -> None:
    game, _ = Match.start(resolve_rules("solo"), bytes(32))
    game.apply({"type": "act", "seat": 2, "action": {"type": "draw", "pile": "discard"}})
    view = game.view(2)
    discard = next(card for card in view["own_hand"] or [] if card != view["barred_discard"])
    group = [card for card in view["own_hand"] or [] if card != discard][:2]
    refused = refusal(game, {"type": "knock", "discard": discard, "melds": [group]})
    assert refused.kind == "bad_melds"
    assert refused.fields == {"problem": "not_a_meld", "cards": group}


@pytest.mark.parametrize(
    "error",
    [
        EngineError("what"),
        InvalidCards("which"),
        Violation("too much", "over_knock_limit", {"deadwood": 14, "limit": 10}),
        InvalidOption("target", "49 is out of range"),
        InvalidPosition("stock", "AS is missing"),
    ],
)
def test_an_error_survives_pickling(error: EngineError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)


def test_every_error_is_an_engine_error_and_a_value_error() -> None:
    for error in (InvalidCards, InvalidOption, InvalidPosition, Violation):
        assert issubclass(error, EngineError)
    assert issubclass(EngineError, ValueError)


@pytest.mark.parametrize(
    ("hand", "message"),
    [
        ("1S", '"1S" is not a card'),
        ("AS AS", "AS comes twice"),
        (["AS", "as"], "AS comes twice"),
        ("AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC", "12 cards: a hand has at most eleven"),
        ("\ud800", "is not a card"),
    ],
)
def test_what_is_no_hand_is_refused_by_its_text(hand: Any, message: str) -> None:
    with pytest.raises(InvalidCards, match=message):
        deadwood(hand)


def test_a_value_of_another_type_is_a_type_error() -> None:
    calls: list[Any] = [
        lambda: deadwood(5),  # type: ignore[arg-type]
        lambda: deadwood([5]),  # type: ignore[list-item]
        lambda: parse_cards(None),  # type: ignore[arg-type]
        lambda: from_mask("AS"),  # type: ignore[arg-type]
        lambda: commitment("0" * 32),  # type: ignore[arg-type]
        lambda: resolve_rules(7),  # type: ignore[arg-type]
    ]
    for call in calls:
        with pytest.raises(TypeError, match="expected "):
            call()


def test_numbers_out_of_range_are_refused() -> None:
    game, _ = Match.start(RULES, bytes(32))
    calls: list[Any] = [
        lambda: game.view(3),
        lambda: game.view(-1),
        lambda: game.view(1 << 200),
        lambda: game.bot_action(0, "simple"),
        lambda: deck(bytes(32), 0),
        lambda: deck(bytes(32), 1 << 32),
        lambda: deck(bytes(31), 1),
        lambda: from_mask(1 << 52),
        lambda: from_mask(-1),
        lambda: score_hand(RULES, "knock", 101, 0),
        lambda: score_hand(RULES, "gin", 0, 1 << 32),
        lambda: score_hand(RULES, "gin", 5, 20),
        lambda: score_hand(RULES, "knock", 0, 20),
        lambda: score_hand(RULES, "knock", 11, 20),
        lambda: score_hand({**RULES, "big_gin": False}, "big_gin", 0, 20),
        lambda: next_dealer("alternate", 3, None),
        lambda: Ledger(RULES).record(1, 1 << 31),
        lambda: check_turn_time("solo", -1),
    ]
    for call in calls:
        with pytest.raises(EngineError):
            call()


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ({"type": "resign", "seat": 3}, "^command: seat 3: 1 or 2"),
        ({"type": "resign", "seat": "1"}, "^command: invalid type"),
        ({"type": "resign", "seat": 1, "now": True}, "^command: unknown field `now`"),
        ({"type": "surrender"}, r"^command\.type: unknown variant `surrender`"),
        ({"seat": 1}, "^command: missing field `type`"),
        ({"type": "act", "seat": 1, "action": {"type": "discard", "card": "1S"}}, '"1S" is not'),
        ([], "^command: "),
        ({1: 2}, "^command: a dictionary's keys are text"),
        ({"type": {1}}, "^command: set is no plain value"),
    ],
)
def test_a_malformed_command_is_refused_with_what_is_wrong(command: Any, message: str) -> None:
    game, _ = Match.start(RULES, bytes(32))
    with pytest.raises(EngineError, match=message):
        game.apply(command)


def test_a_list_in_itself_is_refused() -> None:
    endless: Any = []
    endless.append(endless)
    game, _ = Match.start(RULES, bytes(32))
    commands: list[Any] = [endless, {"type": endless}, {"type": "abort", "why": {"deep": endless}}]
    for command in commands:
        with pytest.raises(EngineError, match="nested more than 10 deep"):
            game.apply(command)


def test_rules_are_checked_wherever_they_come_in() -> None:
    for rules, option in (
        ({**RULES, "knock_limit": 11}, "knock_limit"),
        ({**RULES, "hollywood": True, "target": 0}, "hollywood"),
        ({**RULES, "gin_bonus": 4_000_000_000}, "gin_bonus"),
    ):
        with pytest.raises(InvalidOption) as refused:
            Match.start(rules, bytes(32))  # type: ignore[arg-type]
        assert refused.value.option == option
    with pytest.raises(EngineError, match=r"^rules\.target: "):
        Match.start({**RULES, "target": "fifty"}, bytes(32))  # type: ignore[typeddict-item]
    with pytest.raises(EngineError, match=r"^rules: missing field `upcard_offer`"):
        Match.start({}, bytes(32))  # type: ignore[typeddict-item]


def test_an_option_is_refused_by_its_name() -> None:
    for overrides, option in (
        ({"knock_limit": 11}, "knock_limit"),
        ({"target": -1}, "target"),
        ({"wall": "brick"}, "wall"),
        ({"layoffs": "declared"}, "layoffs"),
    ):
        with pytest.raises(InvalidOption) as refused:
            resolve_rules("short", overrides)  # type: ignore[arg-type]
        assert refused.value.option == option
        assert str(refused.value).startswith(f"{option}: ")
    with pytest.raises(EngineError, match="unknown field `limit`"):
        resolve_rules("short", {"limit": 3})  # type: ignore[arg-type]
    with pytest.raises(InvalidOption, match=r"ruleset: .*playgridia, solo, kawu, short") as refused:
        resolve_rules("bridge")
    assert refused.value.option == "ruleset"
    with pytest.raises(InvalidOption, match="turn_time: 31 s is not offered"):
        check_turn_time("playgridia", 31)


def test_an_option_left_as_none_is_as_in_the_base() -> None:
    assert resolve_rules("short", {"target": None, "wall": None}) == RULES


def test_a_position_is_refused_by_its_field() -> None:
    position = Hand.deal(RULES, deck(bytes(32), 1), 1).position()
    assert position is not None
    top, *rest = position["stock"]
    for wrong, field in (
        ({"stock": rest}, "stock"),
        ({"stock": [top, top, *rest]}, "stock"),
        ({"phase": "discard"}, "hands"),
        ({"phase": "over"}, "phase"),
        ({"drawn": top}, "drawn"),
    ):
        with pytest.raises(InvalidPosition) as refused:
            Hand.from_position(RULES, {**position, **wrong})  # type: ignore[typeddict-item]
        assert refused.value.field == field


def test_a_position_after_a_knock_needs_its_knock_card() -> None:
    position: Any = {
        "dealer": 1,
        "phase": "layoff",
        "to_act": 2,
        "hands": [DECK[:10], DECK[20:30]],
        "stock": DECK[10:20] + DECK[30:],
        "discard_pile": [],
        "upcard": "KS",
    }
    with pytest.raises(InvalidPosition, match="discard_pile: is empty"):
        Hand.from_position(resolve_rules("kawu", {"layoff_on_gin": True}), position)


def test_hands_that_cannot_meet_are_refused() -> None:
    with pytest.raises(InvalidCards, match="4H comes twice"):
        best_defence(["4H 5H 6H", "4C 4D 4H"], "AS")
    with pytest.raises(InvalidCards, match="4H comes twice"):
        best_defence(["4H 5H 6H"], "4H")
    with pytest.raises(InvalidCards, match="is no meld"):
        best_defence(["4H 5H 7H"], "AS")
    with pytest.raises(InvalidCards, match="at most three melds"):
        best_defence(["AC 2C 3C", "AD 2D 3D", "AH 2H 3H", "AS 2S 3S"], "KC")
    with pytest.raises(InvalidCards, match="13 cards in melds"):
        best_defence(["AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC"], "KD")
    with pytest.raises(InvalidCards, match="11 cards: a defender holds ten"):
        best_defence([], "AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC")
    with pytest.raises(InvalidCards, match="chosen from eleven"):
        best_discard("AS")
    with pytest.raises(InvalidCards, match="51 cards: a deck has 52"):
        Hand.deal(RULES, deck(bytes(32), 1)[1:], 1)


def test_a_stored_event_of_another_shape_is_refused() -> None:
    with pytest.raises(EngineError, match=r"^event\.type: unknown variant `rained`"):
        seen_by({"type": "rained"}, 0, False)  # type: ignore[arg-type]
    _, events = Match.start(RULES, bytes(32))
    with pytest.raises(EngineError, match=r"^event: "):
        seen_by({**events[0], "dealer": 9}, 0, False)  # type: ignore[arg-type]
