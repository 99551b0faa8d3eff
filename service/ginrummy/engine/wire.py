"""What the engine tells, as serialised messages of the API v1 (`proto/ginrummy/v1`).

The bytes are the API's, made by the engine's side because they are made for every move, or for a
thousand hands at once: the tables pass them on unread, and the server puts them where its own
messages have room for them.
"""

from ginrummy.engine._core import (
    action,
    analyze_hands,
    find_layoffs,
    hand_cards,
    match_event,
    match_events,
    match_view,
)

__all__ = [
    "action",
    "analyze_hands",
    "find_layoffs",
    "hand_cards",
    "match_event",
    "match_events",
    "match_view",
]
