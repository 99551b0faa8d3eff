"""The examples in the documentation of the engine's Python face."""

import doctest

from ginrummy import engine


def test_the_examples_hold() -> None:
    ran = doctest.testmod(engine)
    assert (ran.failed, ran.attempted > 10) == (0, True)
