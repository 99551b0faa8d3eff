"""The whole table on a screen, with cards drawn as cards. Pure: a game and a table give lines."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from ginrummy.cli import card_art, legend
from ginrummy.cli.card_art import CardArt
from ginrummy.cli.game import Game
from ginrummy.cli.paint import flowed, painted, spread
from ginrummy.cli.phrases import Phrases
from ginrummy.cli.pressing import buttons
from ginrummy.cli.table import Editing, Order, Table
from ginrummy.v1.cards_pb2 import MELD_KIND_RUN, MELD_KIND_SET

MIN_WIDTH, MIN_HEIGHT = 66, 24
MAX_WIDTH = 96
_INDENT = 2


@dataclass(frozen=True)
class Screen:
    """Draws for one player at one size."""

    phrases: Phrases
    width: int
    height: int
    faded: bool = False
    """The opponent's last action is no longer new."""
    passed_s: float = 0.0
    """Since the view was made."""

    def lines(self, game: Game, table: Table) -> list[Text]:
        phrases = self.phrases
        if table.help:
            return clipped(legend.help_lines(phrases, table), self.width, self.height)
        bottom = legend.key_lines(phrases, table, self.width)
        top = [
            self._ends(phrases.heading(game), phrases.score(game), "title"),
            self._rule(),
            *self._opponent(game),
            self._last_action(game),
            *(self._knocker(game) if table.choices.must_lay_off else self._piles(game, table)),
            *self._own(table),
            *self._says(game, table),
        ]
        # The keys stay, whatever there is to say.
        bottom = [self._rule(), *bottom]
        free = self.height - len(top) - len(bottom)
        if free < 0:
            top = _without_blanks(top, -free)[: self.height - len(bottom)]
        return clipped([*top, *[Text() for _ in range(free)], *bottom], self.width, self.height)

    # ------------------------------------------------------------------ parts, from the top

    def _opponent(self, game: Game) -> list[Text]:
        seat = game.view.seats[game.opponent - 1]
        fan = card_art.fan_rows(seat.hand_count)
        texts = self.phrases.opponent(game)
        rows = zip(fan, [*texts, "", "", ""], strict=False)
        return [self._indented(Text.assemble(row, "  ", painted(text))) for row, text in rows]

    def _last_action(self, game: Game) -> Text:
        clock = self.phrases.clock(game.view, self.passed_s)
        style = "urgent" if self.phrases.is_urgent(game.view, self.passed_s) else "title"
        right = Text(f"{clock} ", style)
        room = self.width - right.cell_len - _INDENT - 1
        said = painted(self.phrases.last_action(game, room), "muted" if self.faded else "")
        return spread(self._indented(said), right, self.width)

    def _piles(self, game: Game, table: Table) -> list[Text]:
        view = game.view
        row = buttons(table)
        here = row[table.cursor % len(row)].key if row else ""
        stock = self._pile("", here == "s")
        pile = self._pile(self.phrases.pile_top(view), here == "t")
        count, older = self.phrases.piles(view, self.width - 40)
        notes = [("", self.phrases.limit(view)), count, ("", older)]
        rows = [
            Text.assemble(" ", left, f" {note:<18.18}", right, " ", painted(more))
            for left, right, (note, more) in zip(stock, pile, notes, strict=True)
        ]
        return [Text(), *rows, Text()]

    def _pile(self, top: str, here: bool) -> list[Text]:
        """A card, and a mark before it when the cursor is there."""
        rows = card_art.card_rows(CardArt(top, "frame.cursor" if here else "frame"))
        mark = Text("▸" if here else " ", "frame.cursor")
        return [Text.assemble(mark if at == 1 else " ", row) for at, row in enumerate(rows)]

    def _knocker(self, game: Game) -> list[Text]:
        """The melds to lay off on, with the letters that name them."""
        shown = self.phrases.showdown(game.view.showdown)
        lines = [Text(), *(self._indented(painted(line)) for line in shown)]
        return [*lines, *[Text() for _ in range(5 - len(lines))]]

    def _own(self, table: Table) -> list[Text]:
        title = painted(f" {self.phrases.own_title(table)}", "title")
        counter, good = self.phrases.counter(table)
        heading = spread(title, Text(f"{counter} ", "good" if good else "warn"), self.width)
        if table.editing:
            groups, labels = [self._edited(table, table.editing)], list[list[str]]()
        else:
            groups = self._grouped(table)
            labels = self._labels(table)
        return [heading, *card_art.hand_rows(groups, labels, _INDENT)]

    def _grouped(self, table: Table) -> list[list[CardArt]]:
        groups, at = [], 0
        for group in table.groups:
            row = []
            for card in group:
                here = bool(table.choices.discards) and at == table.cursor % len(table.cards)
                raised = card == table.chosen
                frame = "frame.chosen" if raised else "frame.cursor" if here else "frame"
                caption = "▲" if here else self.phrases.caption(table.view, card)
                row.append(CardArt(self.phrases.card(card), frame, raised, caption))
                at += 1
            groups.append(row)
        return groups

    def _edited(self, table: Table, editing: Editing) -> list[CardArt]:
        places = editing.grouping.places
        cards = editing.grouping.cards
        return [
            CardArt(
                self.phrases.card(card),
                "frame.cursor" if at == table.cursor % len(cards) else "frame",
                caption=self.phrases.place(places.get(card, 0)),
            )
            for at, card in enumerate(cards)
        ]

    def _labels(self, table: Table) -> list[list[str]]:
        """What each group is: the whole word, and a shorter one for a narrow group."""
        if table.order is not Order.MELDS:
            return []
        words = self.phrases.words
        names = {
            MELD_KIND_SET: [words("term-set"), words("label-set")],
            MELD_KIND_RUN: [words("term-run"), words("label-run")],
        }
        labels = [names.get(meld.kind, []) for meld in table.view.own_arrangement.melds]
        return [*labels, [words("term-deadwood-cards"), words("label-deadwood")]]

    def _says(self, game: Game, table: Table) -> list[Text]:
        """What was asked, refused or hinted, and what the clock did: three lines at most."""
        said = [*self.phrases.says(table), *self.phrases.standing(game)]
        width = self.width - 2 * _INDENT
        parts = [(part, style) for text, style in said for part in broken(text, width)]
        lines = [self._indented(painted(part, style)) for part, style in parts[:3]]
        prices = (painted(price, "muted") for price in self.phrases.prices(table))
        return [*lines, *flowed(prices, self.width, indent=" " * _INDENT)]

    # ------------------------------------------------------------------ pieces

    def _indented(self, text: Text) -> Text:
        return Text.assemble(" " * _INDENT, text, no_wrap=True, overflow="ellipsis")

    def _ends(self, left: str, right: str, style: str) -> Text:
        return spread(painted(f" {left}", style), painted(f"{right} ", style), self.width)

    def _rule(self) -> Text:
        return Text("─" * self.width, "frame")


def broken(text: str, width: int) -> list[str]:
    """A sentence on as many lines as it needs."""
    return [text] if cell_len(text) <= width else textwrap.wrap(text, width)


def clipped(lines: list[Text], width: int, height: int) -> list[Text]:
    """The lines as far as the terminal has room, none of them broken."""
    kept = [line.copy() for line in lines[:height]]
    for line in kept:
        line.truncate(width, overflow="ellipsis")
    return kept


def _without_blanks(lines: list[Text], count: int) -> list[Text]:
    """The lines without the first few that only make room."""
    blank = [at for at, line in enumerate(lines) if not line.plain.strip()][:count]
    return [line for at, line in enumerate(lines) if at not in blank]
