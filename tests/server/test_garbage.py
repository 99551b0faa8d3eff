"""How often the program looks for garbage."""

import gc
from collections.abc import Iterator

import pytest

from ginrummy.server.app import look_for_garbage_rarely


@pytest.fixture
def _as_before() -> Iterator[None]:
    thresholds = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)


@pytest.mark.usefixtures("_as_before")
def test_what_a_server_has_loaded_is_not_gone_through_again() -> None:
    look_for_garbage_rarely()
    assert gc.isenabled()
    assert gc.get_freeze_count() > 10_000
    assert gc.get_threshold()[0] >= 10_000
