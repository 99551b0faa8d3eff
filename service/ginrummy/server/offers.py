"""What the server offers, in words: rulesets and bots for people to choose from."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """A name and a sentence or two."""

    display_name: str
    description: str


RULESET_WORDS = {
    "playgridia": Words(
        "Playgridia",
        "A single hand between two people against a clock of 45 seconds a turn. No upcard offer;"
        " only the top of the discard pile shows.",
    ),
    "solo": Words(
        "Solo",
        "To 100 points, usually against a bot. You arrange your own melds when you knock and lay"
        " off cards yourself.",
    ),
    "kawu": Words(
        "Kawu",
        "To 100 points with boxes and a game bonus. The winner deals; the knock card lies face"
        " down; melds and layoffs are yours to choose, or left to the engine.",
    ),
    "short": Words(
        "Short",
        "A quick game to 50 points with big gin, boxes and a game bonus. The engine arranges melds"
        " and layoffs.",
    ),
}

BOT_WORDS = {
    "simple": Words(
        "Simple",
        "Takes a discard when that lowers its deadwood and knocks at the first chance.",
    ),
    "heuristic": Words(
        "Heuristic",
        "Weighs its own hand and what has been seen of yours.",
    ),
    "easy": Words(
        "Easy",
        "A beginner: sees melds, and hardly looks at what you do.",
    ),
    "normal": Words(
        "Normal",
        "Somebody who plays now and then.",
    ),
    "hard": Words(
        "Hard",
        "Somebody who plays well, and remembers what you took and left.",
    ),
    "expert": Words(
        "Expert",
        "Thinks through what you may hold before each move: the strongest player here.",
    ),
}


def words_for(table: dict[str, Words], name: str) -> Words:
    """The words for a name; the name itself where there are none."""
    return table.get(name, Words(name.capitalize(), ""))
