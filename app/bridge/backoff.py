"""How long to wait before asking again somebody who did not answer, and what was already said about it."""

from collections.abc import Callable
from random import Random

LONGEST_SECONDS = 60.0


class Backoff:
    """Waits of 1, 2, 4, ... s, each shortened at random by up to half, so that many bridges do not ask at once."""

    def __init__(self, interval_seconds: float, random: Random) -> None:
        self.first = min(1.0, interval_seconds)
        self.longest = max(self.first, min(LONGEST_SECONDS, 4.0 * interval_seconds))
        self.random, self.failures = random, 0

    def find_wait(self) -> float:
        """The next wait, in seconds."""
        # 2**64 s are longer than any longest wait; larger powers would overflow.
        wait = min(self.longest, self.first * 2.0 ** min(self.failures, 64))
        self.failures += 1
        return wait * self.random.uniform(0.5, 1.0)

    def reset(self) -> None:
        """The next failure is the first one again."""
        self.failures = 0


class Conditions:
    """What holds for now: each is told when it begins, and again when it ends."""

    def __init__(self, begins: Callable[[str, str], None], ends: Callable[[str], None]) -> None:
        self.begins, self.ends = begins, ends
        self.held: dict[str, str] = {}

    def hold(self, subject: str, why: str) -> None:
        """A condition holds: told if it did not hold before."""
        if subject not in self.held:
            self.begins(subject, why)
        self.held[subject] = why

    def clear(self, subject: str) -> None:
        """It holds no more: told if it did."""
        if self.held.pop(subject, None) is not None:
            self.ends(subject)
