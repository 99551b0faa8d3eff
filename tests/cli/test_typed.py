"""What typed lines do at the table."""

import pytest

from ginrummy.cli.table import Do, Effect, Hint, Leave, Order, Table
from ginrummy.cli.typed import allowed, enter
from ginrummy.client import actions
from ginrummy.v1.rules_pb2 import MELD_CHOICE_DECLARED, MELD_CHOICE_EITHER

from .tables import card, cards, discard_view, draw_view, layoff_view, table


def typed(start: Table, *lines: str) -> tuple[Table, Effect | None]:
    effect = None
    for line in lines:
        start, effect = enter(start, line)
    return start, effect


@pytest.mark.parametrize("line", ["stock", "s", "DRAW", "колода", " взять "])
def test_the_stock_is_drawn_in_both_languages(line: str) -> None:
    assert typed(table(draw_view()), line)[1] == Do(actions.draw_stock())


@pytest.mark.parametrize("line", ["take", "t", "сброс"])
def test_the_pile_is_taken(line: str) -> None:
    assert typed(table(draw_view()), line)[1] == Do(actions.draw_discard())


@pytest.mark.parametrize("line", ["discard 4d", "d 4D", "4d", "4♦", "сбросить 4б", "4б"])
def test_a_card_is_discarded(line: str) -> None:
    assert typed(table(discard_view()), line)[1] == Do(actions.discard(card("4d")))


@pytest.mark.parametrize(("line", "name"), [("knock", "kd"), ("k qh", "qh"), ("стук Дч", "qh")])
def test_a_knock_takes_the_best_card_or_the_named_one(line: str, name: str) -> None:
    assert typed(table(discard_view()), line)[1] == Do(actions.knock(card(name)))


def test_a_knock_may_bring_its_groups() -> None:
    free = table(discard_view(), MELD_CHOICE_EITHER)
    refused, effect = typed(free, "knock kd : 7c 7d 7h, 3s 4s 5s")
    assert effect is None
    assert refused.notice is not None
    assert refused.notice.message == "over-limit"


def test_declared_groups_can_be_typed_and_confirmed() -> None:
    declared = table(discard_view(melds_declared=True), MELD_CHOICE_DECLARED)
    editing = typed(declared, "knock", "7c 7d 7h")[0]
    assert editing.editing is not None
    assert editing.editing.grouping.melds == [cards("7c 7d 7h")]
    assert typed(editing, "no")[0].editing is None


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("7c 7d 9s", "card-not-in-groups"),
        ("7c 7d 7h, 7h 3s 4s", "card-twice"),
        ("7c 7x", "no-card"),
        ("hint", "groups-or-yes"),
    ],
)
def test_bad_groups_are_explained(line: str, message: str) -> None:
    declared = table(discard_view(melds_declared=True), MELD_CHOICE_DECLARED)
    refused, effect = typed(declared, "knock", line)
    assert effect is None
    assert refused.notice is not None
    assert refused.notice.message == message
    assert refused.editing is not None


def test_layoffs_are_automatic_or_typed() -> None:
    assert typed(table(layoff_view()), "layoff")[1] == Do(actions.lay_off())
    moves = [(card("qh"), 0), (card("kd"), 1)]
    assert typed(table(layoff_view()), "layoff qh>a kd>B")[1] == Do(actions.lay_off((), moves))
    own = [cards("7c 7d 7h")]
    assert typed(table(layoff_view()), "layoff qh>a kd>b : 7c 7d 7h")[1] == Do(
        actions.lay_off(own, moves)
    )


def test_own_layoffs_are_looked_over_first() -> None:
    editing, effect = typed(table(layoff_view()), "own", "qh>a : 7c 7d 7h, 3s 4s 5s")
    assert effect is None
    assert typed(editing, "yes")[1] == Do(
        actions.lay_off([cards("7c 7d 7h"), cards("3s 4s 5s")], [(card("qh"), 0)])
    )


def test_a_layoff_onto_no_meld_says_which_there_are() -> None:
    refused = typed(table(layoff_view()), "layoff qh>c")[0]
    assert refused.notice is not None
    assert refused.notice.values == {"text": "qh>c", "letters": "a b"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "nothing-typed"),
        ("fold", "not-understood"),
        ("discard", "no-card"),
        ("discard 11h", "no-card"),
        ("ks", "card-not-held"),
        ("pass", "not-now"),
        ("stock", "not-now"),
        ("biggin", "no-big-gin"),
        ("yes", "nothing-asked"),
        ("sort colour", "no-order"),
        ("layoff", "not-now"),
    ],
)
def test_bad_input_says_what_is_allowed_and_changes_nothing(line: str, message: str) -> None:
    before = table(discard_view())
    after, effect = typed(before, line)
    assert effect is None
    assert after.notice is not None
    assert after.notice.message == message
    assert after.view == before.view


def test_a_card_just_taken_cannot_be_discarded() -> None:
    view = discard_view()
    view.barred_discard = card("9h")
    legal = [action for action in view.legal_actions if action != actions.discard(card("9h"))]
    del view.legal_actions[:]
    view.legal_actions.extend(legal)
    refused = typed(table(view), "9h")[0]
    assert refused.notice is not None
    assert refused.notice.message == "card-just-taken"


def test_sorting_hint_help_quit_and_resign() -> None:
    assert typed(table(discard_view()), "sort rank")[0].order is Order.RANK
    assert typed(table(discard_view()), "порядок масти")[0].order is Order.SUIT
    assert typed(table(discard_view()), "sort")[0].order is Order.SUIT
    assert typed(table(draw_view()), "hint")[1] is Hint.ASK
    assert typed(table(discard_view()), "?")[0].help
    assert typed(table(discard_view()), "quit")[1] is Leave.QUIT
    assert typed(table(discard_view()), "resign", "да")[1] is Leave.RESIGN
    assert typed(table(discard_view()), "resign", "maybe")[0].ask is not None


def test_allowed_commands_are_those_that_do_something() -> None:
    assert allowed(table(draw_view())) == ["stock", "take", "hint"]
    assert allowed(table(discard_view())) == ["discard", "knock", "hint"]
    assert allowed(table(discard_view(knock=False))) == ["discard", "hint"]
    assert allowed(table(layoff_view())) == ["layoff", "own", "hint"]


@pytest.mark.parametrize("line", ["hint", "abc", "sort rank", "table", "колода"])
def test_the_page_of_help_is_shown_once(line: str) -> None:
    asked = typed(table(draw_view()), "help")[0]
    assert asked.help
    assert not typed(asked, line)[0].help
