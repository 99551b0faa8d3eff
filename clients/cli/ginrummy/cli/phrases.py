"""The words of a table: what stands beside the cards, on a screen and in plain lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from google.protobuf.timestamp_pb2 import Timestamp
from rich.cells import cell_len

from ginrummy.cli.game import Game
from ginrummy.cli.sheet import running_score
from ginrummy.cli.table import Editing, Notice, Table
from ginrummy.cli.telling import Teller
from ginrummy.cli.words import Words
from ginrummy.v1.action_pb2 import PILE_DISCARD, Action
from ginrummy.v1.analysis_service_pb2 import Suggestion
from ginrummy.v1.events_pb2 import MatchEvent, Showdown
from ginrummy.v1.view_pb2 import PHASE_UPCARD, View

_URGENT_S = 10
MOST_ADVICE = 5
"""Actions whose worth is told."""


def time_left_s(view: View, passed_s: float) -> float:
    return _seconds(view.deadline) - _seconds(view.server_time) - passed_s


def _seconds(time: Timestamp) -> float:
    return time.seconds + time.nanos / 1e9


@dataclass(frozen=True)
class Phrases:
    teller: Teller

    @property
    def words(self) -> Words:
        return self.teller.words

    def card(self, card: int) -> str:
        return self.teller.faces.text(card)

    # ------------------------------------------------------------------ the table

    def heading(self, game: Game) -> str:
        rules = game.match.effective_rules
        values: dict[str, str | int] = {
            "ruleset": game.match.ruleset.removeprefix("rulesets/"),
            "hand": game.view.hand_number,
        }
        kind = "heading" if rules.target else "heading-single"
        return self.words(kind, **values, target=rules.target)

    def score(self, game: Game) -> str:
        return running_score(self.teller, game.view.sheets)

    def opponent(self, game: Game) -> list[str]:
        """Who he is, what he holds, and what of it is known."""
        view, seat = game.view, game.opponent
        status = view.seats[seat - 1]
        held = self.words("cards", count=status.hand_count)
        roles = [held]
        if view.dealer == seat:
            roles.append(self.words("dealer"))
        if not status.connected:
            roles.append(self.words("away"))
        known = self.teller.faces.row(status.known_cards)
        lines = [self.teller.name(seat), " · ".join(roles)]
        return [*lines, self.words("known-cards", cards=known)] if known else lines

    def last_action(self, game: Game, room: int = 1000) -> str:
        """What the others did last, in a line; the last two things, where there is room."""
        theirs = [event for event in game.news if event.seat != game.me or not game.me]
        said = [line for event in theirs for line in self.teller.event(event)[:1]]
        both = "; ".join(said[-2:])
        return (both if cell_len(both) <= room else said[-1]) or self.turn(game.view)

    def standing(self, game: Game) -> list[tuple[str, str]]:
        """What has to be known at any time: what the clock did, and who is waited for."""
        lines = []
        if game.by_clock:
            lines.append((self.by_clock(game.by_clock), "warn"))
        if game.view.to_act and not game.my_turn and game.me and not game.over:
            name = self.teller.name(game.view.to_act)
            lines.append((self.words("waiting-for", name=name), "muted"))
        return lines

    def by_clock(self, events: Sequence[MatchEvent]) -> str:
        """`Your time ran out: 5♣ drawn, Q♠ discarded for you`."""
        done = []
        for event in events:
            if event.HasField("card_drawn"):
                done.append(self.words("late-drawn", card=self.card(event.card_drawn.card)))
            elif event.HasField("card_discarded"):
                card = self.card(event.card_discarded.card)
                done.append(self.words("late-discarded", card=card))
            elif event.HasField("passed"):
                done.append(self.words("late-passed"))
            elif event.HasField("laid_off"):
                done.append(self.words("late-laid-off"))
        return self.words("late", done=", ".join(done)) if done else self.words("late-only")

    def clock(self, view: View, passed_s: float = 0.0) -> str:
        """The time left for the decision that is due, by the server's own clock."""
        if not view.HasField("deadline"):
            return ""
        minutes, seconds = divmod(max(round(time_left_s(view, passed_s)), 0), 60)
        return self.words("clock", time=f"{minutes}:{seconds:02}", **self.teller.who(view.to_act))

    def is_urgent(self, view: View, passed_s: float = 0.0) -> bool:
        """Whether the viewer himself has little time left."""
        mine = view.HasField("deadline") and view.to_act == self.teller.me
        return mine and time_left_s(view, passed_s) < _URGENT_S

    def turn(self, view: View) -> str:
        if not view.to_act:
            return ""
        return self.words("to-act", **self.teller.who(view.to_act))

    def pile_top(self, view: View) -> str:
        return self.card(view.discard_pile[-1]) if view.discard_pile else ""

    def piles(self, view: View, room: int) -> tuple[tuple[str, str], str]:
        """The stock's and the pile's counts; the cards below the top, the newest first."""
        older = [self.card(card) for card in reversed(view.discard_pile[:-1])]
        below = " ".join(older)
        while older and len(below) > room:
            older.pop()
            below = " ".join(older) + " …"
        upcard = view.phase == PHASE_UPCARD
        pile = self.words("upcard" if upcard else "pile-count", count=view.discard_count)
        if view.points_doubled:
            pile = f"{pile} · {self.words('points-doubled-short')}"
        return (self.words("stock-count", count=view.stock_count), pile), below

    def limit(self, view: View) -> str:
        """The hand's knock limit."""
        return self.words("knock-limit-is", limit=view.knock_limit)

    def showdown(self, shown: Showdown) -> list[str]:
        """The knocker's melds, each with its letter."""
        letters = (
            f"{chr(ord('A') + i)}: {self.teller.faces.row(meld.cards)}"
            for i, meld in enumerate(shown.knocker_melds)
        )
        first = self.words(
            "event-knock", **self.teller.who(shown.knocker), deadwood=shown.deadwood_points
        )
        left = self.teller.faces.row(shown.knocker_deadwood)
        return [first, "   ".join(letters), self.words("left-cards", cards=left) if left else ""]

    # ------------------------------------------------------------------ the own hand

    def own_title(self, table: Table) -> str:
        if table.editing:
            return self._editing_title(table.editing)
        name = self.teller.name(self.teller.me) if self.teller.me else ""
        dealer = table.view.dealer == self.teller.me
        order = self.words(f"order-{table.order.value}")
        return self.words("own-hand", name=name, order=order) + (
            f" · {self.words('dealer')}" if dealer else ""
        )

    def _editing_title(self, editing: Editing) -> str:
        card = self.card(editing.card) if editing.card else ""
        return self.words(f"editing-{editing.kind.replace('_', '-')}", card=card)

    def counter(self, table: Table) -> tuple[str, bool]:
        """The deadwood, and whether it is good enough for a knock."""
        view, editing = table.view, table.editing
        if editing:
            left = editing.grouping.deadwood_points
            good = not editing.grouping.bad_groups and left <= view.knock_limit
            return self.words("counter", points=left), good
        now = view.own_arrangement.deadwood_points
        if not table.choices.discards:
            return self.words("counter", points=now), False
        options = view.discard_options
        chosen = table.choices.leaves.get(table.chosen) if table.chosen else None
        if table.chosen and chosen is not None:
            card = self.card(table.chosen)
            good = table.chosen in table.choices.knocks
            return self.words("counter-chosen", points=now, left=chosen, card=card), good
        good = options.can_knock or options.can_big_gin
        return self.words("counter-best", points=now, left=options.best_deadwood), good

    def caption(self, view: View, card: int) -> str:
        if card == view.barred_discard:
            return self.words("caption-barred")
        return self.words("caption-new") if card == view.last_drawn else ""

    def place(self, place: int) -> str:
        """Of a card while groups are made: a group's number, or a meld's letter."""
        if place < 0:
            return "→" + chr(ord("A") - 1 - place)
        return str(place) if place else "·"

    # ------------------------------------------------------------------ what is said

    def says(self, table: Table) -> list[tuple[str, str]]:
        """Lines and their styles: a question, a refusal, a hint."""
        if table.ask:
            return [(f"{self.notice(table.ask.notice)} {self.words('answer-yes-no')}", "warn")]
        said = []
        if table.notice:
            said.append((self.notice(table.notice), "good" if table.notice.good else "warn"))
        if table.editing:
            said.append((self.groups(table.editing), ""))
        elif table.hint and table.advice:
            said.append((self.words("hint-advice", text=table.advice[0].text), "good"))
        elif table.hint and table.choices.hint:
            said.append((self.hint(table, table.choices.hint), "good"))
        return said

    def notice(self, notice: Notice) -> str:
        values = {
            key: self.card(value) if key == "card" and isinstance(value, int) else value
            for key, value in notice.values.items()
        }
        return self.words(notice.message, **values)

    def groups(self, editing: Editing) -> str:
        grouping = editing.grouping
        bad = grouping.bad_groups
        groups = (
            f"{n}: {self.teller.faces.row(cards)}{' ?' if n in bad else ''}"
            for n, cards in grouping.groups
        )
        laid = [f"{self.card(card)} → {chr(ord('A') + index)}" for card, index in grouping.moves]
        laid += [f"{self.card(card)} → ?" for card in grouping.misfits]
        left = self.teller.faces.row(grouping.deadwood)
        rest = self.words("left-cards", cards=left) if left else self.words("no-deadwood")
        return "   ".join([*groups, *laid, rest])

    def hint(self, table: Table, hint: Action) -> str:
        kind = hint.WhichOneof("kind")
        if kind == "big_gin":
            return self.words("hint-big-gin")
        card = hint.knock.discard if kind == "knock" else hint.discard.card
        left = table.choices.leaves.get(card, table.view.discard_options.best_deadwood)
        verb = "discard" if kind == "discard" else "knock" if left else "gin"
        return self.words(f"hint-{verb}", card=self.card(card), left=left)

    def prices(self, table: Table) -> list[str]:
        """While a hint is shown: what the best actions may bring, or every discard would leave."""
        if not table.hint or table.editing or table.ask:
            return []
        if told := [s for s in table.advice if s.HasField("expected_points")][:MOST_ADVICE]:
            return [self.words("advice-are"), *map(self._expectation, told)]
        options = table.view.discard_options.options
        if not options:
            return []
        prices = (f"{self.card(o.card)} {o.deadwood_points}" for o in options)
        return [self.words("prices-are"), *prices]

    def _expectation(self, suggestion: Suggestion) -> str:
        """`knock K♦ +4.5`."""
        points = f"{round(suggestion.expected_points, 1) or 0.0:+.1f}".replace("-", "−")
        if self.words.language == "ru":
            points = points.replace(".", ",")
        action = suggestion.action
        kind: str = action.WhichOneof("kind") or ""
        if kind == "draw":
            kind = "take" if action.draw.pile == PILE_DISCARD else "stock"
        name = self.words.or_plain(
            f"advice-{kind.replace('_', '-')}", kind, card=self.card(suggestion.card)
        )
        return f"{name} {points}"
