"""`analyze`: melds, deadwood, discards and layoffs of hands that are typed or piped in."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ginrummy.cli.connect import throwaway
from ginrummy.cli.faces import Faces, faces_for, meld_kind, typed_card
from ginrummy.cli.faults import CommandError, CommandLineError
from ginrummy.cli.run import Run
from ginrummy.client import GinRummyClient
from ginrummy.client.cards import CardValue
from ginrummy.v1.analysis_service_pb2 import HandAnalysis, ItemError, LayoffSolution
from ginrummy.v1.cards_pb2 import Arrangement
from ginrummy.v1.rules_pb2 import Rules

STANDARD_INPUT = "-"
MOST_AT_ONCE = 1000
"""Hands of one call."""
MOST_CARDS = 11
LONGEST_CARD = 4
"""Letters that somebody may take for one card."""

Hand = list[CardValue]
_CARD = re.compile(r"10.|..?", re.DOTALL)


@dataclass(frozen=True)
class Question:
    """What is asked of each hand."""

    ruleset: str
    overrides: Rules
    barred: str
    wants_all: bool
    melds: Sequence[str]
    """Of a knocker, on which the hand lays off; none: the hand stands alone."""


def typed_cards(text: str) -> Hand:
    """The cards of a line, with or without spaces. A CommandLineError names what is none.

    >>> typed_cards("as 10h,Kd") == typed_cards("AS10HKD")
    True
    """
    found: Hand = []
    for word in text.replace(",", " ").split():
        one = typed_card(word)
        parts = [word] if one else _CARD.findall(word)
        for part in parts:
            card = typed_card(part)
            if card is None:
                # Of a whole hand in one word only the part that is wrong.
                raise CommandLineError("no-card", text=word if len(word) <= LONGEST_CARD else part)
            if card in found:
                raise CommandLineError("card-twice", card=Faces().text(card))
            found.append(card)
    return found


def typed_melds(texts: Iterable[str]) -> list[Hand]:
    """A knocker's melds. A CommandLineError names what is none, or a card that two would have."""
    melds: list[Hand] = []
    for text in texts:
        meld = typed_cards(text)
        if meld_kind(meld) is None:
            raise CommandLineError("not-a-meld", text=text)
        _check_apart(meld, melds)
        melds.append(meld)
    return melds


def _check_apart(cards: Hand, melds: Iterable[Hand]) -> None:
    """Raises a CommandLineError for a card that is in a meld too."""
    known = {card for meld in melds for card in meld}
    for card in cards:
        if card in known:
            raise CommandLineError("card-twice", card=Faces().text(card))


async def analyze(run: Run, words: Sequence[str], question: Question) -> None:
    """The hand of the command line, or each line of standard input."""
    text = " ".join(words)
    melds = typed_melds(question.melds)
    barred = typed_cards(question.barred)
    if len(barred) > 1:
        raise CommandLineError("one-barred-card")
    report = Report(run, question, melds, barred[0] if barred else None)
    if text.strip() == STANDARD_INPUT:
        await _many(run, report)
        return
    if not text.strip():
        raise CommandLineError("no-hand")
    hand = report.typed(text)
    async with throwaway(run.server, run.access) as server:
        [answer] = await report.ask(server.client, [hand])
    if isinstance(answer, ItemError):
        raise CommandError("bad-hand", why=answer.message)
    report.tell(answer)


async def _many(run: Run, report: Report) -> None:
    """A line for each line; bad ones are told apart and do not stop the others."""
    bad = 0
    async with throwaway(run.server, run.access) as server:
        for rows in _batches(enumerate(sys.stdin, 1)):
            hands: dict[int, Hand] = {}
            problems: dict[int, str] = {}
            for row, text in rows:
                try:
                    hands[row] = report.typed(text)
                except CommandLineError as error:
                    problems[row] = run.words(error.message, **error.values)
            answers = await report.ask(server.client, list(hands.values())) if hands else []
            answered = dict(zip(hands, answers, strict=True))
            for row, _ in rows:
                answer = answered.get(row)
                if answer is None or isinstance(answer, ItemError):
                    bad += 1
                    why = answer.message if answer else problems[row]
                    run.output.error(run.words("bad-line", row=row, why=why))
                    if run.output.json:
                        run.output.record(error=why, line=row)
                else:
                    report.tell_in_short(answer)
    if bad:
        raise CommandError("bad-lines", count=bad)


def _batches(lines: Iterable[tuple[int, str]]) -> Iterable[list[tuple[int, str]]]:
    """Numbered lines that are not blank, as many as go into one call."""
    batch = []
    for row, text in lines:
        if text.strip():
            batch.append((row, text))
        if len(batch) == MOST_AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch


class Report:
    """Asks about hands, and tells the answers."""

    def __init__(
        self, run: Run, question: Question, melds: list[Hand], barred: CardValue | None
    ) -> None:
        self._run = run
        self._words = run.words
        self._question = question
        self._melds = melds
        self._barred = barred
        self._faces = faces_for(run.words.language, question.ruleset)
        self._most_cards = MOST_CARDS - 1 if melds else MOST_CARDS

    def typed(self, text: str) -> Hand:
        """The cards of one hand. A CommandLineError tells what is wrong with them."""
        hand = typed_cards(text)
        _check_apart(hand, self._melds)
        if len(hand) > self._most_cards:
            raise CommandLineError("too-many-cards", count=len(hand), most=self._most_cards)
        if self._barred is not None and self._barred not in hand:
            raise CommandLineError("barred-not-held", card=self._faces.text(self._barred))
        return hand

    async def ask(
        self, client: GinRummyClient, hands: list[Hand]
    ) -> list[HandAnalysis | LayoffSolution | ItemError]:
        """The answer to each hand, or what is wrong with it."""
        found: list[HandAnalysis] | list[LayoffSolution]
        if self._melds:
            found = await client.find_layoffs([(self._melds, hand) for hand in hands])
        else:
            asked = self._question
            found = await client.analyze_hands(
                hands,
                barred=[self._barred] * len(hands),
                ruleset=asked.ruleset,
                overrides=asked.overrides if asked.overrides.ListFields() else None,
                all_arrangements=asked.wants_all,
            )
        return [each.error if each.HasField("error") else each for each in found]

    def tell(self, answer: HandAnalysis | LayoffSolution) -> None:
        """One hand, at length."""
        if self._run.output.json:
            self._record(answer)
        elif isinstance(answer, LayoffSolution):
            self._tell_layoffs(answer)
        else:
            self._tell_hand(answer)

    def _record(self, answer: HandAnalysis | LayoffSolution) -> None:
        kind = "layoffs" if isinstance(answer, LayoffSolution) else "hand"
        self._run.output.message(kind, answer, whole=True)

    def _row(self, label: str, text: str, style: str = "") -> None:
        labels = ("melds", "or-melds", "deadwood", "table", "layoffs", "left", "discard")
        width = max(len(self._words(f"analyze-{name}")) for name in labels) + 2
        self._run.output.line(f"{self._words(f'analyze-{label}'):<{width}}{text}", style)

    def _tell_arrangement(self, arrangement: Arrangement, label: str) -> None:
        melds = self._faces.groups(meld.cards for meld in arrangement.melds)
        self._row(label, melds or self._words("analyze-none"))

    def _deadwood(self, arrangement: Arrangement) -> str:
        points = self._words("points", points=arrangement.deadwood_points)
        cards = self._faces.row(arrangement.deadwood)
        return f"{cards} = {points}" if cards else points

    def _tell_hand(self, hand: HandAnalysis) -> None:
        best, *others = hand.arrangements
        self._tell_arrangement(best, "melds")
        self._row("deadwood", self._deadwood(best))
        for arrangement in others:
            self._tell_arrangement(arrangement, "or-melds")
            self._row("deadwood", self._deadwood(arrangement))
        if verdict := self._verdict(hand):
            self._run.output.line(verdict, "good")
        if hand.discards:
            self._run.output.line()
            self._row("discard", self._words("analyze-leaves"), "muted")
        for price in hand.discards:
            mark = ""
            if price.can_knock:
                mark = self._words("analyze-gin" if not price.deadwood_points else "analyze-knock")
            left = f"{price.deadwood_points:>3}   {mark}"
            self._run.output.line(f"  {self._faces.text(price.card):<4}{left}".rstrip())

    def _verdict(self, hand: HandAnalysis) -> str:
        """What the hand can end with."""
        if hand.can_big_gin:
            return self._words("analyze-big-gin")
        message = "gin" if hand.can_gin else "knock" if hand.can_knock else ""
        if not message:
            return ""
        if not hand.discards:
            return self._words(f"analyze-is-{message}")
        best = hand.discards[0]
        card, left = self._faces.text(best.card), best.deadwood_points
        return self._words(f"analyze-can-{message}", card=card, left=left)

    def _tell_layoffs(self, found: LayoffSolution) -> None:
        self._row("table", self._faces.groups(self._melds))
        self._row("layoffs", self._laid_off(found))
        self._tell_arrangement(found.rest, "melds")
        self._row("left", self._deadwood(found.rest))

    def _laid_off(self, found: LayoffSolution) -> str:
        moves = [
            f"{self._faces.text(move.card)} → {self._faces.row(self._melds[move.meld_index])}"
            for move in found.moves
        ]
        return ", ".join(moves) or self._words("analyze-none")

    def tell_in_short(self, answer: HandAnalysis | LayoffSolution) -> None:
        """One hand of many, on a line."""
        if self._run.output.json:
            self._record(answer)
            return
        if isinstance(answer, LayoffSolution):
            layoffs, left = self._laid_off(answer), self._deadwood(answer.rest)
            line = self._words("analyze-short-layoffs", layoffs=layoffs, left=left)
        else:
            cards = self._faces.row(answer.cards)
            deadwood = self._words("points", points=answer.deadwood_points)
            line = f"{cards}: {deadwood}"
            if answer.discards and not answer.can_big_gin:
                price = answer.discards[0]
                card, points = self._faces.text(price.card), price.deadwood_points
                line += f" · {self._words('analyze-best', card=card, left=points)}"
            kinds = ("big-gin", answer.can_big_gin), ("gin", answer.can_gin)
            for kind, can in (*kinds, ("knock", answer.can_knock)):
                if can:
                    line += f" · {self._words(f'term-{kind}')}"
                    break
        self._run.output.line(line)
