"""What a simulation plays, as it was asked for."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, cast

from ginrummy.engine import Pairing
from ginrummy.engine.types import Overrides, Rules


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who takes part."""

    label: str
    bot: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """Everything that a simulation's matches follow from."""

    ruleset: str
    overrides: Overrides
    rules: Rules
    """Both together."""
    entrants: tuple[Entrant, ...]
    matches_per_pairing: int
    single_deals: bool
    seed: bytes
    is_seed_chosen: bool
    """By whoever asked; otherwise it was drawn for him."""

    @property
    def deals_per_pairing(self) -> int:
        return self.matches_per_pairing // self.matches_per_deal

    @property
    def matches_per_deal(self) -> int:
        return 1 if self.single_deals else 2

    @property
    def pairs(self) -> Sequence[tuple[int, int]]:
        """Who meets whom, as indexes of the entrants."""
        return tuple(combinations(range(len(self.entrants)), 2))

    @property
    def matches_total(self) -> int:
        return self.matches_per_pairing * len(self.pairs)

    def pairing(self, number: int) -> Pairing:
        """The engine's part of a pair's matches."""
        first, second = (self.entrants[i].bot for i in self.pairs[number])
        return Pairing(self.rules, (first, second), self.seed, number, self.single_deals)

    def is_repeated_by(self, other: "Spec") -> bool:
        """Whether `other` asks for the same; a seed that nobody chose is drawn anew each time."""
        return self._asked() == other._asked()

    def _asked(self) -> dict[str, Any]:
        asked: dict[str, Any] = json.loads(self.json())
        return asked if self.is_seed_chosen else asked | {"seed": ""}

    def json(self) -> str:
        """As it is stored."""
        return json.dumps(
            {
                "ruleset": self.ruleset,
                "overrides": self.overrides,
                "rules": self.rules,
                "entrants": [[who.label, who.bot] for who in self.entrants],
                "matches_per_pairing": self.matches_per_pairing,
                "single_deals": self.single_deals,
                "seed": self.seed.hex(),
                "is_seed_chosen": self.is_seed_chosen,
            }
        )

    @classmethod
    def from_json(cls, text: str) -> "Spec":
        """As it was stored."""
        fields = json.loads(text)
        return cls(
            ruleset=fields["ruleset"],
            overrides=cast(Overrides, fields["overrides"]),
            rules=cast(Rules, fields["rules"]),
            entrants=tuple(Entrant(*who) for who in fields["entrants"]),
            matches_per_pairing=fields["matches_per_pairing"],
            single_deals=fields["single_deals"],
            seed=bytes.fromhex(fields["seed"]),
            is_seed_chosen=fields["is_seed_chosen"],
        )
