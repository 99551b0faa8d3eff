"""When a decision's time runs out. Times are microseconds since the epoch.

One allowance covers each decision that stands alone: an upcard offer, a whole turn (draw and
discard together), a layoff. Bots need no clock.
"""

from ginrummy.tables.setup import ClockSetup

AFTER_RESTART_US = 15_000_000
"""At most this much is given for a decision whose deadline passed while nobody served the match."""


def deadline_after(
    clock: ClockSetup,
    now_us: int,
    *,
    running: int | None,
    turn_goes_on: bool,
    first_of_next_hand: bool,
) -> int | None:
    """The deadline of the decision that a command leads to, for a person to act.

    `running` is the deadline before the command, which stands when `turn_goes_on`: somebody drew
    and has yet to discard. A person's first decision in a next hand has the pause on top, to read
    the result of the one before, whatever a bot has done in it already.
    """
    if not clock["turn_time_us"]:
        return None
    if turn_goes_on and running is not None:
        return running
    pause_us = clock["hand_pause_us"] if first_of_next_hand else 0
    return now_us + clock["turn_time_us"] + pause_us


def deadline_after_restart(clock: ClockSetup, now_us: int) -> int:
    """The new deadline of a decision whose own one has passed unserved."""
    return now_us + min(clock["turn_time_us"], AFTER_RESTART_US)
