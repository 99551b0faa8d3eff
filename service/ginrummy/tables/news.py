"""What is worth telling of a match to those who follow many."""

from ginrummy.log import Appended


def is_news(appended: Appended) -> bool:
    """Whether the match was created, started or ended by this entry."""
    entry, row = appended.entry, appended.row
    starts = entry.command.value["type"] == "join" and not row.joinable
    return entry.first == 1 or starts or row.state.ended
