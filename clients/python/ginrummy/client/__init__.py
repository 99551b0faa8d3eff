"""The official client of the gin rummy server: typed, asynchronous, resuming.

```python
async with GinRummyClient("localhost:50051") as client:
    created = await client.create_match(match)
    seat = client.seat(created.match.name, created.seats[1])
    async for update in seat.watch(): ...
```

Messages are those of `ginrummy.v1`; `cards` and `actions` help to write them.
"""

from ginrummy.client import actions, analysis, cards
from ginrummy.client.client import CreatedMatch, GinRummyClient, JoinedSeat
from ginrummy.client.errors import (
    BadKey,
    BadToken,
    GinRummyError,
    HintsOff,
    IllegalAction,
    InvalidRequest,
    LimitReached,
    MatchNotFound,
    MatchOver,
    NoOpenSeat,
    NotClaimable,
    NotYourTurn,
    SequenceGap,
    ServerUnavailable,
    SimulationNotFound,
    StaleSequence,
    WrongSeat,
)
from ginrummy.client.match import MatchClient
from ginrummy.client.names import bot_name, match_name, ruleset_name, simulation_name
from ginrummy.client.play import PlaySession
from ginrummy.client.retry import NO_RETRY, RetryPolicy
from ginrummy.client.simulations import has_ended
from ginrummy.client.tls import Tls
from ginrummy.client.watch import Update

__all__ = [
    "NO_RETRY",
    "BadKey",
    "BadToken",
    "CreatedMatch",
    "GinRummyClient",
    "GinRummyError",
    "HintsOff",
    "IllegalAction",
    "InvalidRequest",
    "JoinedSeat",
    "LimitReached",
    "MatchClient",
    "MatchNotFound",
    "MatchOver",
    "NoOpenSeat",
    "NotClaimable",
    "NotYourTurn",
    "PlaySession",
    "RetryPolicy",
    "SequenceGap",
    "ServerUnavailable",
    "SimulationNotFound",
    "StaleSequence",
    "Tls",
    "Update",
    "WrongSeat",
    "actions",
    "analysis",
    "bot_name",
    "cards",
    "has_ended",
    "match_name",
    "ruleset_name",
    "simulation_name",
]
