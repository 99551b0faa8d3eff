"""Faults of ours, described for the log: where, but not with which cards."""


def describe(error: BaseException) -> str:
    """The kind of the error and the calls that led to it, innermost first.

    An error's message is left out, as it could quote cards of a running hand.
    """
    frames = []
    place = error.__traceback__
    while place is not None:
        code = place.tb_frame.f_code
        frames.append(f"{code.co_filename}:{place.tb_lineno} {code.co_name}")
        place = place.tb_next
    return f"{type(error).__name__} at {' <- '.join(reversed(frames))}"
