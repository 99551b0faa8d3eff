"""What happens in simulations, for whoever counts it."""


class SimulationObserver:
    """Is told and does nothing."""

    def matches_simulated(self, count: int) -> None:
        """So many more matches were played."""


NOBODY = SimulationObserver()
