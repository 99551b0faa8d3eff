"""What keys do at the table."""

from dataclasses import replace

from ginrummy.cli.pressing import press
from ginrummy.cli.table import Ask, Do, Effect, Hint, Leave, Order, Table
from ginrummy.client import actions
from ginrummy.v1.analysis_service_pb2 import Suggestion
from ginrummy.v1.rules_pb2 import MELD_CHOICE_DECLARED, MELD_CHOICE_EITHER
from ginrummy.v1.view_pb2 import View

from .tables import card, cards, discard_view, draw_view, layoff_view, table


def pressed(start: Table, *keys: str) -> tuple[Table, Effect | None]:
    effect = None
    for key in keys:
        start, effect = press(start, key)
    return start, effect


def test_one_key_draws() -> None:
    assert pressed(table(draw_view()), "s")[1] == Do(actions.draw_stock())
    assert pressed(table(draw_view()), "t")[1] == Do(actions.draw_discard())


def test_arrows_move_between_the_piles_and_enter_takes() -> None:
    assert pressed(table(draw_view()), "enter")[1] == Do(actions.draw_stock())
    assert pressed(table(draw_view()), "right", "space")[1] == Do(actions.draw_discard())
    assert pressed(table(draw_view()), "left", "left", "enter")[1] == Do(actions.draw_stock())


def test_an_upcard_is_taken_or_passed() -> None:
    offered = table(draw_view(actions.draw_discard(), actions.pass_upcard()))
    assert pressed(offered, "p")[1] == Do(actions.pass_upcard())
    assert pressed(offered, "t")[1] == Do(actions.draw_discard())
    refused, effect = pressed(offered, "s")
    assert effect is None
    assert refused.notice is not None
    assert refused.notice.values == {"keys": "t p"}


def test_the_cursor_starts_at_the_new_card() -> None:
    assert table(discard_view()).under_cursor == card("9h")


def test_enter_chooses_a_card_and_enter_again_discards_it() -> None:
    chosen, effect = pressed(table(discard_view()), "left", "enter")
    assert (chosen.chosen, effect) == (card("4d"), None)
    assert pressed(chosen, "enter")[1] == Do(actions.discard(card("4d")))


def test_escape_puts_the_card_back() -> None:
    assert pressed(table(discard_view()), "enter", "escape")[0].chosen is None


def test_moving_on_and_choosing_another_card_changes_the_choice() -> None:
    assert pressed(table(discard_view()), "enter", "right", "enter")[0].chosen == card("qh")


def test_one_key_knocks_with_the_best_card() -> None:
    assert pressed(table(discard_view()), "k")[1] == Do(actions.knock(card("kd")))


def test_a_chosen_card_knocks_only_if_it_qualifies() -> None:
    chosen = pressed(table(discard_view()), "right", "enter")[0]
    assert pressed(chosen, "k")[1] == Do(actions.knock(card("qh")))
    unfit, effect = pressed(table(discard_view()), "enter", "k")
    assert effect is None
    assert unfit.notice is not None
    assert unfit.notice.message == "no-knock-with"


def test_no_knock_says_what_is_left() -> None:
    refused, effect = pressed(table(discard_view(knock=False)), "k")
    assert effect is None
    assert refused.notice is not None
    assert refused.notice.values == {"left": 25, "limit": 10}


def test_gin_needs_no_deadwood() -> None:
    view = discard_view()
    assert pressed(table(view), "g")[0].notice is not None
    view.discard_options.options[0].deadwood_points = 0
    assert pressed(table(view), "g")[1] == Do(actions.knock(card("kd")))


def test_big_gin_is_declared_with_b() -> None:
    view = discard_view()
    assert pressed(table(view), "b")[1] is None
    view.legal_actions.append(actions.big_gin())
    assert pressed(table(view), "b")[1] == Do(actions.big_gin())


def declared() -> Table:
    return table(discard_view(melds_declared=True), MELD_CHOICE_DECLARED)


def test_declared_discards_are_confirmed() -> None:
    asked, effect = pressed(declared(), "enter", "enter")
    assert effect is None
    assert isinstance(asked.ask, Ask)
    assert pressed(asked, "y")[1] == Do(actions.discard(card("9h")))
    assert pressed(asked, "n") == (pressed(declared(), "enter")[0], None)


def test_a_declared_knock_shows_the_groups_first() -> None:
    editing, effect = pressed(declared(), "k")
    assert effect is None
    assert editing.editing is not None
    assert editing.editing.grouping.melds == [cards("7c 7d 7h"), cards("3s 4s 5s")]
    # 9h is among the ten: the proposal of this view leaves more than the limit.
    refused, effect = pressed(editing, "enter")
    assert effect is None
    assert refused.notice is not None
    assert refused.notice.message == "over-limit"


def good_declared() -> View:
    view = discard_view(melds_declared=True)
    del view.own_hand[:]
    view.own_hand.extend(sorted(cards("7c 7d 7h 3s 4s 5s 2c 4d ac ad kd")))
    return view


def test_declared_groups_are_sent_as_confirmed() -> None:
    editing = pressed(table(good_declared(), MELD_CHOICE_DECLARED), "k")[0]
    melds = [cards("7c 7d 7h"), cards("3s 4s 5s")]
    assert pressed(editing, "enter")[1] == Do(actions.knock(card("kd"), melds))


def test_digits_put_cards_into_groups() -> None:
    editing = pressed(table(good_declared(), MELD_CHOICE_DECLARED), "k", "0")[0]
    assert editing.editing is not None
    assert editing.editing.grouping.bad_groups == [1]
    refused, effect = pressed(editing, "enter")
    assert effect is None
    assert refused.notice is not None
    assert refused.notice.message == "bad-group"
    restored = pressed(editing, "r", "enter")[1]
    assert isinstance(restored, Do)
    assert pressed(editing, "escape")[0].editing is None


def test_where_groups_are_free_k_knocks_and_m_groups() -> None:
    free = table(discard_view(), MELD_CHOICE_EITHER)
    assert pressed(free, "k")[1] == Do(actions.knock(card("kd")))
    editing = pressed(free, "m")[0].editing
    assert editing is not None
    assert editing.grouping.melds == [cards("7c 7d 7h"), cards("3s 4s 5s")]


def test_the_defence_is_automatic_with_a() -> None:
    assert pressed(table(layoff_view()), "a")[1] == Do(actions.lay_off())


def test_no_doubled_enter_settles_a_layoff() -> None:
    for key in ("enter", "space"):
        asked, effect = pressed(table(layoff_view()), key)
        assert effect is None
        assert asked.notice is not None
        assert asked.notice.values == {"keys": "a e"}


def test_the_card_just_taken_is_neither_offered_nor_chosen() -> None:
    view = discard_view()
    view.barred_discard = card("9h")
    kept = [action for action in view.legal_actions if action.discard.card != card("9h")]
    del view.legal_actions[:]
    view.legal_actions.extend(kept)
    at = table(view)
    assert at.under_cursor in at.choices.discards
    at = replace(at, cursor=at.cards.index(card("9h")))
    refused, effect = pressed(at, "enter")
    assert (refused.chosen, effect) == (None, None)
    assert refused.notice is not None
    assert refused.notice.message == "card-just-taken"


def test_the_defence_can_be_made_by_hand() -> None:
    # Cards: 7c 7d 7h 3s 4s 5s 2c 4d kd qh. It begins with the best: the queen onto A, the king
    # onto B.
    melds = [cards("7c 7d 7h"), cards("3s 4s 5s")]
    best = Do(actions.lay_off(melds, [(card("qh"), 0), (card("kd"), 1)]))
    assert pressed(table(layoff_view()), "e", "enter")[1] == best
    changed = pressed(table(layoff_view()), "e", "left", "0")[0]
    assert pressed(changed, "enter")[1] == Do(actions.lay_off(melds, [(card("kd"), 1)]))
    assert pressed(changed, "r", "enter")[1] == best


def test_sorting_turns_and_keeps_the_card_under_the_cursor() -> None:
    turned = pressed(table(discard_view()), "o")[0]
    assert (turned.order, turned.under_cursor) == (Order.SUIT, card("9h"))
    assert [len(group) for group in turned.groups] == [2, 3, 3, 3]
    ranked = pressed(turned, "o")[0]
    assert ranked.groups == [cards("2c 3s 4d 4s 5s 7c 7d 7h 9h qh kd")]


def test_a_hint_is_shown_where_hints_are_given() -> None:
    for view in (discard_view(), draw_view(), layoff_view()):
        asked, effect = pressed(table(view), "h")
        assert effect is Hint.ASK
        shown = asked.advised([Suggestion(text="Do it.")])
        assert shown.hint
        hidden, effect = pressed(shown, "h")
        assert (hidden.hint, effect) == (False, None)
        assert pressed(hidden, "h") == (shown, None)
        assert not shown.seen(view).advice
    view = discard_view()
    view.hints_allowed = False
    silent = pressed(table(view), "h")[0]
    assert silent.notice is not None
    assert not silent.hint
    view.hints_allowed = True
    del view.legal_actions[:]
    waiting, effect = pressed(table(view), "h")
    assert effect is None
    assert waiting.notice is not None
    assert waiting.notice.message == "hint-not-now"


def test_an_older_servers_own_hint_is_shown_where_it_has_one() -> None:
    assert table(discard_view()).advised([]).hint
    drawing = table(draw_view()).advised([])
    assert drawing.notice is not None
    assert (drawing.hint, drawing.notice.message) == (False, "hint-later")


def test_resigning_is_asked_and_quitting_is_not() -> None:
    asked, effect = pressed(table(draw_view()), "x")
    assert effect is None
    assert pressed(asked, "y")[1] is Leave.RESIGN
    assert pressed(asked, "s")[0].ask is not None
    assert pressed(table(draw_view()), "q")[1] is Leave.QUIT


def test_any_key_closes_the_help() -> None:
    helped = pressed(table(draw_view()), "?")[0]
    assert helped.help
    closed, effect = pressed(helped, "s")
    assert (closed.help, effect) == (False, None)


def test_nothing_can_be_done_out_of_turn() -> None:
    view = draw_view()
    del view.legal_actions[:]
    waiting, effect = pressed(table(view), "s")
    assert effect is None
    assert waiting.notice is not None
    assert waiting.notice.message == "wait"
