"""The painted table."""

import pytest
from rich.text import Text

from ginrummy.cli.card_art import CardArt, card_rows, fan_rows
from ginrummy.cli.game import Game
from ginrummy.cli.legend import key_lines
from ginrummy.cli.paint import flowed, painted, spread
from ginrummy.cli.phrases import Phrases
from ginrummy.cli.pressing import press
from ginrummy.cli.screen import MAX_WIDTH, MIN_HEIGHT, MIN_WIDTH, Screen
from ginrummy.cli.table import Table
from ginrummy.cli.telling import teller_for
from ginrummy.cli.words import LANGUAGES, words_for
from ginrummy.client import actions
from ginrummy.v1.action_pb2 import PILE_STOCK
from ginrummy.v1.events_pb2 import CardDiscarded, CardDrawn, MatchEvent, Passed, TimedOut
from ginrummy.v1.match_pb2 import ScoreSheet
from ginrummy.v1.rules_pb2 import MELD_CHOICE_DECLARED
from ginrummy.v1.view_pb2 import View

from .tables import card, cards, discard_view, draw_view, game, layoff_view, match, sheet, table


def phrases(language: str = "en") -> Phrases:
    return Phrases(teller_for(match(), 1, words_for(language)))


def screen(view: View, at: Table, language: str = "en", width: int = 80) -> list[Text]:
    return Screen(phrases(language), width, MIN_HEIGHT).lines(game(view), at)


def plain(lines: list[Text]) -> str:
    return "\n".join(line.plain.rstrip() for line in lines)


STATES = [
    (draw_view(), ()),
    (discard_view(), ()),
    (discard_view(), ("h",)),
    (discard_view(), ("enter",)),
    (discard_view(), ("x",)),
    (discard_view(), ("o", "o")),
    (layoff_view(), ()),
    (layoff_view(), ("e", "a")),
    (discard_view(), ("?",)),
]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("width", [MIN_WIDTH, 80, MAX_WIDTH])
@pytest.mark.parametrize(("view", "keys"), STATES)
def test_every_state_fits_the_smallest_screen(
    view: View, keys: tuple[str, ...], width: int, language: str
) -> None:
    at = table(view)
    for key in keys:
        at = press(at, key)[0]
    lines = screen(view, at, language, width)
    assert len(lines) <= MIN_HEIGHT
    if not at.help:
        assert lines[-1].plain == key_lines(phrases(language), at, width)[-1].plain
    too_wide = [line.plain for line in lines if line.cell_len > width and "…" not in line.plain]
    # Long sentences are cut by the terminal; what is drawn never is.
    assert not [text for text in too_wide if "│" in text or "─" in text]


def test_cards_are_grouped_and_the_chosen_one_is_raised() -> None:
    view = discard_view()
    text = plain(screen(view, press(table(view), "enter")[0]))
    assert "│ 7♣││ 7♦││ 7♥│  │ 3♠││ 4♠││ 5♠│" in text
    raised = next(line for line in text.splitlines() if "│ 9♥│" in line)
    assert "╭───╮" in raised
    assert "set" in text
    assert "run" in text


def test_red_suits_are_red_and_black_ones_are_not() -> None:
    line = painted("You draw 10♥, then K♠")
    styles = {line.plain[span.start : span.end]: str(span.style) for span in line.spans}
    assert styles == {"10♥": "card.red", "K♠": "card.black"}


def style_of(lines: list[Text], text: str) -> str:
    line = next(line for line in lines if text in line.plain)
    at = line.plain.index(text)
    return next(str(span.style) for span in line.spans if span.start <= at < span.end)


def test_the_counter_turns_green_when_a_knock_is_possible() -> None:
    good, bad = discard_view(), discard_view(knock=False)
    assert style_of(screen(good, table(good)), "deadwood 35") == "good"
    assert style_of(screen(bad, table(bad)), "deadwood 35") == "warn"


def test_the_legend_offers_the_knock_and_what_it_leaves() -> None:
    view = discard_view()
    text = plain(key_lines(phrases(), table(view), 80))
    assert "k knock, 9 left (K♦ down)" in text
    unfit = press(table(view), "enter")[0]
    text = plain(key_lines(phrases(), unfit, 80))
    assert "knock" not in text
    assert "Enter discard 9♥" in text


def test_the_opponent_is_a_fan_of_backs_with_a_count() -> None:
    view = draw_view()
    text = plain(screen(view, table(view)))
    assert text.count("│▒") >= 10
    assert "10 cards" in text


def test_the_clock_runs_by_the_server_s_time() -> None:
    view = draw_view()
    assert phrases().clock(view) == ""
    view.server_time.FromSeconds(1000)
    view.deadline.FromSeconds(1090)
    assert phrases().clock(view) == "your time 1:30"
    assert phrases("ru").clock(view, passed_s=31) == "ваше время 0:59"
    assert phrases().clock(view, passed_s=100) == "your time 0:00"
    assert "your time 1:30" in plain(screen(view, table(view)))


def test_a_question_takes_the_place_of_the_keys() -> None:
    view = discard_view(melds_declared=True)
    asked = press(press(table(view, MELD_CHOICE_DECLARED), "enter")[0], "d")[0]
    text = plain(screen(view, asked))
    assert "Discard 9♥?" in text
    assert "y yes" in text


def test_a_card_is_three_rows_of_five_cells() -> None:
    assert [row.plain for row in card_rows(CardArt("10♥"))] == ["╭───╮", "│10♥│", "╰───╯"]
    assert [row.plain for row in fan_rows(2)] == ["╭─╭──╮", "│▒│▒▒│", "╰─╰──╯"]
    assert [row.plain for row in fan_rows(0)] == ["", "", ""]


def test_pieces_flow_over_as_many_lines_as_they_need() -> None:
    lines = flowed([Text("aaaa"), Text("bbbb"), Text("cccc")], 12, indent=" ", gap="  ")
    assert [line.plain for line in lines] == [" aaaa  bbbb", " cccc"]


def test_the_score_stays_when_the_heading_is_too_long() -> None:
    line = spread(Text("a very long heading"), Text("12 : 9"), 16)
    assert line.plain == "a very l… 12 : 9"


def hollywood(view: View) -> View:
    """All that makes lines long: three columns, a doubled hand, a long pile, a clock."""
    view.points_doubled = True
    view.knock_limit = 0
    columns = sheet(100).columns[0]
    del view.sheets[:]
    view.sheets.extend(ScoreSheet(columns=[columns] * 3, total=1375) for _ in range(2))
    view.discard_pile.extend(cards("10c 10d 10h jc jh js qc qd qs kh ks ac ah as 8c 8d 8s 9c"))
    view.server_time.FromSeconds(1000)
    view.deadline.FromSeconds(1600)
    return view


LONG = [
    draw_view(),
    draw_view(actions.draw_discard(), actions.pass_upcard()),
    discard_view(),
    discard_view(knock=False),
    layoff_view(),
]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("width", "height"), [(MIN_WIDTH, 24), (80, 24), (120, 40)])
@pytest.mark.parametrize("keys", [(), ("h",), ("enter",), ("x",), ("e", "1"), ("k",), ("?",)])
def test_no_line_is_wider_and_no_screen_higher_than_the_terminal(
    width: int, height: int, keys: tuple[str, ...], language: str
) -> None:
    for view in LONG:
        shown = hollywood(View.FromString(view.SerializeToString()))
        at = table(shown, MELD_CHOICE_DECLARED)
        for key in keys:
            at = press(at, key)[0]
        seated = match()
        seated.seats[0].human.display_name = "Константин Константинопольский" * 2
        told = Phrases(teller_for(seated, 1, words_for(language)))
        columns = min(width, MAX_WIDTH)
        lines = Screen(told, columns, height).lines(game(shown, *late(8)), at)
        assert len(lines) <= height
        assert max(line.cell_len for line in lines) <= columns
        if not at.help:
            # What the terminal would wrap pushes the keys off.
            assert lines[-1].plain.strip()
            assert key_lines(told, at, columns)[-1].plain[:20] in lines[-1].plain


def late(first: int) -> list[MatchEvent]:
    """My time ran out: a card was drawn and another discarded for me; then the bot passed."""
    return [
        MatchEvent(sequence=first, seat=1, timed_out=TimedOut(timeouts=1)),
        MatchEvent(
            sequence=first + 1, seat=1, card_drawn=CardDrawn(pile=PILE_STOCK, card=card("5c"))
        ),
        MatchEvent(sequence=first + 2, seat=1, card_discarded=CardDiscarded(card=card("qs"))),
        MatchEvent(sequence=first + 3, seat=2, passed=Passed()),
    ]


def after(view: View, *events: MatchEvent) -> Game:
    playing = Game(match(), 1, view)
    for event in events:
        playing = playing.after(event)
    return playing


def test_what_the_clock_did_is_told_until_the_player_acts() -> None:
    view = draw_view()
    late_game = after(view, *late(5))
    told = "Your time ran out: 5♣ drawn, Q♠ discarded for you."
    assert (told, "warn") in phrases().standing(late_game)
    assert told in plain(Screen(phrases(), 80, 24).lines(late_game, table(view)))
    acted = MatchEvent(sequence=9, seat=1, passed=Passed())
    assert phrases().standing(late_game.after(acted)) == []
    # The opponent's time is his own affair.
    theirs = MatchEvent(sequence=5, seat=2, timed_out=TimedOut(timeouts=1))
    assert phrases().standing(after(view, theirs)) == []


def test_little_time_left_is_shown_in_colour() -> None:
    view = draw_view()
    view.server_time.FromSeconds(1000)
    view.deadline.FromSeconds(1015)
    for passed_s, style in ((0, "title"), (6, "urgent")):
        lines = Screen(phrases(), 80, 24, passed_s=passed_s).lines(game(view), table(view))
        assert style_of(lines, "your time") == style
    view.to_act = 2
    lines = Screen(phrases(), 80, 24, passed_s=6).lines(game(view), table(view))
    assert style_of(lines, "0:09") == "title"


def test_it_is_said_who_is_waited_for() -> None:
    view = draw_view()
    assert "Waiting for" not in plain(screen(view, table(view)))
    view.to_act = 2
    del view.legal_actions[:]
    assert "Waiting for simple …" in plain(screen(view, table(view)))


def test_a_long_story_is_cut_to_its_last_part_not_in_its_middle() -> None:
    story = after(draw_view(), *late(5)[3:], MatchEvent(sequence=9, seat=2, passed=Passed()))
    assert phrases().last_action(story) == "simple passes; simple passes"
    assert phrases().last_action(story, 20) == "simple passes"
