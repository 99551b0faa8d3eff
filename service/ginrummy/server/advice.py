"""Suggestions in words: a sentence for the action and what speaks for it, with its numbers.

The words are in `locale/*.ftl` (Project Fluent), for languages in which a number decides the form
of a word. They are read when the first suggestion is asked for.
"""

from functools import cache
from importlib.resources import files
from typing import Any

from ginrummy.engine.types import Action, Card, Suggestion

LANGUAGES = ("en", "ru")
SUITS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
RANKS = {"T": "10"}
RUSSIAN_RANKS = {"A": "Т", "T": "10", "J": "В", "Q": "Д", "K": "К"}
RUSSIAN_RULESET = "kawu"
"""Where cards have Russian letters for those who read Russian."""
LEAST_TOLD_UNDERCUT = 0.01
LAST_WORDS = ("only_action", "gin", "knock_now", "undercut_risk")
"""Reasons after which nothing is said of cards that may still come."""


def language_of(code: str) -> str:
    """The language that is nearest to a BCP 47 code; English where there is none."""
    language = code.partition("-")[0].lower()
    return language if language in LANGUAGES else "en"


def shown_card(card: Card, language: str, ruleset: str) -> str:
    """The card as people see it.

    >>> shown_card("TD", "en", "kawu"), shown_card("AS", "ru", "kawu")
    ('10♦', 'Т♠')
    """
    is_russian = language == "ru" and ruleset == RUSSIAN_RULESET
    ranks = RUSSIAN_RANKS if is_russian else RANKS
    return ranks.get(card[0], card[0]) + SUITS[card[1]]


def in_words(suggestion: Suggestion, reason: str, language: str, ruleset: str) -> str:
    """What the suggestion comes to. `reason`: as the API has it.

    Raises LookupError if the catalog lacks a message, or a message one of its values.
    """
    card = suggestion["card"]
    after = suggestion["deadwood_after"]
    undercut = suggestion["undercut_chance"] or 0.0
    values: dict[str, str | int] = {
        "card": shown_card(card, language, ruleset) if card else "none",
        "points": suggestion["deadwood_before"] if after is None else after,
        "before": suggestion["deadwood_before"],
        "limit": suggestion["knock_limit"],
        "improving": suggestion["improving_cards"],
        "danger": suggestion["danger_melds"] or 0,
        "undercut": max(round(100 * undercut), 1),
    }
    kind = _kind(suggestion["action"])
    messages = [f"{kind}-{reason.replace('_', '-')}"]
    if kind in ("discard", "draw-stock", "draw-discard") and reason not in LAST_WORDS:
        messages.append("improving" if values["improving"] else "no-improving")
    if kind == "discard" and values["danger"]:
        messages.append("danger")
    if _knocks(kind, reason) and undercut >= LEAST_TOLD_UNDERCUT:
        messages.append("undercut")
    return " ".join(_said(language, message, values) for message in messages)


def _knocks(kind: str, reason: str) -> bool:
    return kind in ("knock", "draw-discard") and reason in ("knock_now", "undercut_risk")


def _kind(action: Action) -> str:
    if action["type"] == "draw":
        return f"draw-{action['pile']}"
    return action["type"].replace("_", "-")


def _said(language: str, message: str, values: dict[str, str | int]) -> str:
    bundle = _bundle(language)
    pattern = bundle.get_message(message).value
    text, faults = bundle.format_pattern(pattern, values)
    if faults:
        raise LookupError(f"{message}: {faults}")
    return str(text)


@cache
def _bundle(language: str) -> Any:
    # Loaded with the first suggestion: a server that gives none starts without it.
    from fluent.runtime import FluentBundle, FluentResource

    text = (files(__package__) / "locale" / f"{language}.ftl").read_text(encoding="utf-8")
    # Isolation marks would be control codes in plain text.
    bundle = FluentBundle([language], use_isolating=False)
    bundle.add_resource(FluentResource(text))
    return bundle
