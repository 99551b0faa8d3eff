"""What happened at a table, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ginrummy.cli.faces import Faces, faces_for
from ginrummy.cli.words import Words
from ginrummy.v1.action_pb2 import PILE_DISCARD, LayoffMove
from ginrummy.v1.cards_pb2 import Arrangement, Meld
from ginrummy.v1.events_pb2 import (
    HAND_OUTCOME_DEAD,
    HAND_OUTCOME_TIE,
    HAND_OUTCOME_UNDERCUT,
    KNOCK_KIND_BIG_GIN,
    KNOCK_KIND_GIN,
    HandDealt,
    HandOutcome,
    HandScored,
    LaidOff,
    MatchEvent,
    Showdown,
)
from ginrummy.v1.match_pb2 import Match, MatchEndReason, MatchResult, Seat


@dataclass(frozen=True)
class Teller:
    """Tells one viewer, in his language, with the cards as he writes them."""

    words: Words
    faces: Faces
    me: int
    """His seat; 0 = he only watches."""
    names: tuple[str, str]
    single_hand: bool = False
    face_down: bool = False
    """How a knock card lies."""

    def name(self, seat: int) -> str:
        return self.words("you") if seat == self.me else self.names[seat - 1]

    def who(self, seat: int) -> dict[str, str]:
        """The values that choose between "you draw" and "Ann draws"."""
        return {"who": "you" if seat == self.me else "other", "name": self.names[seat - 1]}

    # ------------------------------------------------------------------ events

    def event(self, event: MatchEvent) -> list[str]:
        """The event in one line, or a few; nothing for an event that this program does not know."""
        tell = self._payloads().get(event.WhichOneof("payload") or "")
        return tell(event) if tell else []

    def _payloads(self) -> dict[str, Callable[[MatchEvent], list[str]]]:
        return {
            "seat_taken": lambda e: [
                self.words("event-seat-taken", **self.who(e.seat_taken.occupant.number))
            ],
            "hand_dealt": lambda e: self.dealt(e.hand_dealt),
            "passed": lambda e: [self.words("event-passed", **self.who(e.seat))],
            "card_drawn": lambda e: [self.drawn(e)],
            "card_discarded": lambda e: [
                self.words(
                    "event-discarded",
                    **self.who(e.seat),
                    card=self.faces.text(e.card_discarded.card),
                )
            ],
            "knocked": lambda e: self.showdown(e.knocked),
            "laid_off": lambda e: self.laid_off(e),
            "hand_scored": lambda e: self.scored(e.hand_scored),
            "timed_out": lambda e: [self.words("event-timed-out", **self.who(e.seat))],
            "clock_extended": lambda e: [self.words("event-clock-extended", **self.who(e.to_act))],
            "match_ended": lambda e: self.ended(e.match_ended),
        }

    def dealt(self, dealt: HandDealt) -> list[str]:
        lines = [
            self.words(
                "event-hand-dealt",
                **self.who(dealt.dealer),
                hand=dealt.hand_number,
                upcard=self.faces.text(dealt.upcard),
                limit=dealt.knock_limit,
            )
        ]
        if dealt.points_doubled:
            lines.append(self.words("points-doubled"))
        for seat, hand in enumerate(dealt.hands, start=1):
            if hand.cards:
                lines.append(f"  {self.name(seat)}: {self.faces.row(hand.cards)}")
        return lines

    def drawn(self, event: MatchEvent) -> str:
        pile = "discard" if event.card_drawn.pile == PILE_DISCARD else "stock"
        card = event.card_drawn.card
        kind = "event-drew" if card else "event-drew-unseen"
        values = {**self.who(event.seat), "pile": pile}
        if card:
            values["card"] = self.faces.text(card)
        return self.words(kind, **values)

    def showdown(self, shown: Showdown) -> list[str]:
        kind = {KNOCK_KIND_GIN: "gin", KNOCK_KIND_BIG_GIN: "big-gin"}.get(shown.kind, "knock")
        headline = self.words(
            f"event-{kind}", **self.who(shown.knocker), deadwood=shown.deadwood_points
        )
        if self.face_down and shown.kind != KNOCK_KIND_BIG_GIN:
            headline = f"{headline} · {self.words('knock-card-face-down')}"
        cards = self._hand_line(shown.knocker_melds, shown.knocker_deadwood, shown.deadwood_points)
        return [headline, f"  {cards}"]

    def laid_off(self, event: MatchEvent) -> list[str]:
        shown: LaidOff = event.laid_off
        cards = self._hand_line(shown.melds, shown.deadwood, shown.deadwood_points)
        headline = self.words(
            "event-laid-off",
            **self.who(event.seat),
            count=len(shown.moves),
            cards=self.faces.row(move.card for move in shown.moves),
        )
        return [headline, f"  {cards}"]

    # ------------------------------------------------------------------ results

    def outcome(self, scored: HandScored) -> str:
        """`gin`, `undercut`, ...: one or two words for the score sheet."""
        name = HandOutcome.Name(scored.outcome).removeprefix("HAND_OUTCOME_").lower()
        return self.words.or_plain(f"outcome-{name.replace('_', '-')}", name)

    def scored(self, scored: HandScored) -> list[str]:
        """The hand's end in one line: who won how much, and out of what."""
        if scored.outcome in (HAND_OUTCOME_DEAD, HAND_OUTCOME_TIE) or not scored.winner:
            end = "tie" if scored.outcome == HAND_OUTCOME_TIE else "dead"
            return [self.words(f"scored-{end}", hand=scored.hand_number)]
        line = self.words(
            "scored",
            **self.who(scored.winner),
            hand=scored.hand_number,
            outcome=self.outcome(scored),
            points=self.words("points", points=scored.points),
        )
        return [f"{line} ({self.sum_of(scored)})"]

    def sum_of(self, scored: HandScored) -> str:
        """`22 - 4`, `25 + 22`, `(25 + 22) x 2`: how the points come about."""
        deadwood = scored.deadwood_points
        if len(deadwood) != 2 or not scored.knocker:
            return str(scored.points)
        knockers = deadwood[scored.knocker - 1]
        defenders = deadwood[2 - scored.knocker]
        undercut = scored.outcome == HAND_OUTCOME_UNDERCUT
        more, less = (knockers, defenders) if undercut else (defenders, knockers)
        difference = f"{more} − {less}" if less else str(more)
        total = f"{scored.bonus} + {difference}" if scored.bonus else difference
        return f"({total}) × 2" if scored.doubled else total

    def hand_result(self, scored: HandScored) -> list[str]:
        """The whole result: every meld, every layoff, what was left and what it is worth."""
        lines = self.scored(scored)
        width = max(len(self.name(seat)) for seat in (1, 2))
        for seat, reveal in enumerate(scored.reveals, start=1):
            shown = self._hand_line(reveal.melds, reveal.deadwood, scored.deadwood_points[seat - 1])
            lines.append(f"  {self.name(seat):<{width}}  {shown}")
        if scored.layoffs:
            lines.append(f"  {self._layoffs(scored.layoffs, scored.reveals[scored.knocker - 1])}")
        return lines

    def _layoffs(self, moves: Sequence[LayoffMove], knockers: Arrangement) -> str:
        onto = [
            self.words(
                "laid-off-onto",
                card=self.faces.text(move.card),
                meld=self.faces.row(knockers.melds[move.meld_index].cards),
            )
            for move in moves
        ]
        return self.words("layoffs-were", layoffs="; ".join(onto))

    def _hand_line(self, melds: Sequence[Meld], deadwood: Sequence[int], points: int) -> str:
        parts = [self.faces.groups(meld.cards for meld in melds)] if melds else []
        left = self.words("deadwood-is", cards=self.faces.row(deadwood), points=points)
        return "  |  ".join([*parts, left if deadwood else self.words("no-deadwood")])

    def ended(self, result: MatchResult) -> list[str]:
        """The match's end, with both totals: the winner's need not be the larger."""
        reason = MatchEndReason.Name(result.reason).removeprefix("MATCH_END_REASON_").lower()
        values = {
            "who": "you" if self.me and result.winner == 3 - self.me else "other",
            "single": "yes" if self.single_hand else "no",
        }
        because = self.words.or_plain(f"ended-{reason.replace('_', '-')}", reason, **values)
        if not result.winner:
            return [self.words("match-ended-nobody", because=because)]
        lines = [self.words("match-ended", **self.who(result.winner), because=because)]
        if len(result.sheets) == 2:
            mine, theirs = result.winner, 3 - result.winner
            winner, loser = (result.sheets[seat - 1].total for seat in (mine, theirs))
            lines.append(self.words("totals", winner=winner, loser=loser))
        return lines


def seat_name(seat: Seat, words: Words) -> str:
    """What the others call a seat."""
    if seat.HasField("bot"):
        return seat.bot.bot.removeprefix("bots/")
    if seat.human.display_name:
        return seat.human.display_name
    return words("open-seat" if seat.HasField("open") else "unnamed-seat", seat=seat.number)


def teller_for(match: Match, me: int, words: Words) -> Teller:
    first, second = (seat_name(seat, words) for seat in match.seats)
    rules = match.effective_rules
    return Teller(
        words,
        faces_for(words.language, match.ruleset),
        me,
        (first, second),
        single_hand=not rules.target,
        face_down=rules.knock_card_face_down,
    )
