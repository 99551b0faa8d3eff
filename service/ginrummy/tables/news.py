"""What is worth telling of a match to those who follow many."""

from ginrummy.log import Entry, IndexRow


def is_news(entry: Entry, row: IndexRow) -> bool:
    """Whether the match was created, started or ended by this entry."""
    starts = entry.command["type"] == "join" and not row.joinable
    return entry.first == 1 or starts or row.state.ended
