"""The painted table."""

import pytest
from rich.text import Text

from ginrummy.cli.card_art import CardArt, card_rows, fan_rows
from ginrummy.cli.legend import key_lines
from ginrummy.cli.paint import flowed, painted, spread
from ginrummy.cli.phrases import Phrases
from ginrummy.cli.pressing import press
from ginrummy.cli.screen import MAX_WIDTH, MIN_HEIGHT, MIN_WIDTH, Screen
from ginrummy.cli.table import Table
from ginrummy.cli.telling import teller_for
from ginrummy.cli.words import LANGUAGES, Words
from ginrummy.v1.rules_pb2 import MELD_CHOICE_DECLARED
from ginrummy.v1.view_pb2 import View

from .tables import discard_view, draw_view, game, layoff_view, match, table


def phrases(language: str = "en") -> Phrases:
    return Phrases(teller_for(match(), 1, Words(language)))


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
