"""ListMatches: a page of matches, which no match can spoil for the others. And news of matches."""

import asyncio
from functools import partial

from ginrummy.log import Appended, BadPageToken, IndexRow, MatchState, RowFilter, page_token
from ginrummy.server.convert.enums import STATE
from ginrummy.server.convert.matches import labels_from_wire, match_to_wire
from ginrummy.server.convert.rules import ruleset_from_wire
from ginrummy.server.refusals import BadField
from ginrummy.tables.errors import MatchUnreadable
from ginrummy.tables.lifetimes import Lifetimes
from ginrummy.tables.registry import Tables
from ginrummy.v1 import match_service_pb2 as pb

PART_LEN = 32
"""Matches converted at a stretch, before others are let run."""
LARGEST_PAGE = 1024 * 1024
"""Bytes; a match has up to 25 kB. Clients take messages of up to 4 MB."""


def filter_from_wire(request: pb.ListMatchesRequest) -> RowFilter:
    """Which matches are asked for. Unlisted ones are for callers who ask for their labels."""
    labels = labels_from_wire(request.labels, "labels")
    ruleset = None
    if request.ruleset:
        ruleset = ruleset_from_wire(request.ruleset, "ruleset")["name"]
    state = MatchState(STATE.word(request.state, "state")) if request.state else None
    return RowFilter(
        state=state,
        ruleset=ruleset,
        labels=labels,
        joinable_only=request.joinable_only,
        include_unlisted=bool(labels),
    )


def news_to_wire(appended: Appended, lifetimes: Lifetimes) -> pb.WatchMatchesResponse:
    """A match after what has just happened to it."""
    return pb.WatchMatchesResponse(match=match_to_wire(appended.row, lifetimes))


async def list_matches(
    tables: Tables, chosen: RowFilter, page_size: int, token: str
) -> pb.ListMatchesResponse:
    """At most `page_size` matches, and not more than a message should hold. Raises BadField."""
    try:
        page = await tables.index.rows(chosen, page_size, token)
    except BadPageToken as error:
        raise BadField("page_token", error.reason) from None
    response = pb.ListMatchesResponse(next_page_token=page.next_page_token)
    show = partial(match_to_wire, lifetimes=tables.lifetimes)
    room = LARGEST_PAGE
    before: IndexRow | None = None
    for i, row in enumerate(page.rows, 1):
        if i % PART_LEN == 0:
            await asyncio.sleep(0)
        try:
            match = await tables.index.shown(row, show)
        except MatchUnreadable:
            continue
        room -= match.ByteSize()
        if room < 0 and before is not None:
            response.next_page_token = page_token(before, chosen)
            break
        response.matches.append(match)
        before = row
    return response
