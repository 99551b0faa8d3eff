"""What the tests of tables share."""

from collections.abc import AsyncIterator

import pytest

from .house import Hands, House


@pytest.fixture
def hands() -> Hands:
    return Hands()


@pytest.fixture
async def house() -> AsyncIterator[House]:
    house = House()
    house.tables.start()
    yield house
    await house.tables.close()
