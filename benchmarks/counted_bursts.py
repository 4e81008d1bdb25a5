"""E[T] of nine queues in line from counters alone, beside simulation: six kinds of streams at 100 tuples/s.

Eight queues are used 60% and the last 90%. Counted are 15 minutes of seconds, as a bridge does, and 50 minutes of 15 s,
as its snapshots do: together, and each alone. Each stream is counted eight times, at other times.
"""

from statistics import mean, stdev

import numpy as np

from planner.queueing.bursts.counted_bursts import find_idc
from tests.planner.queueing.bursts.queues_in_line import (
    CALM,
    STREAMS,
    count,
    draw_arrivals,
    estimate_line,
    simulate,
)

TUPLES, TIMES = 4_000_000, 8
MOST, MOST_SPOILED = 0.15, 0.03


def main() -> None:
    """Prints the error of E[T] of each stream, without counters and with them."""
    print("stream             simulated   no counters   both: mean, spread   seconds alone   15 s alone")
    for kind in STREAMS:
        rng = np.random.default_rng(7)
        arrivals = draw_arrivals(kind, TUPLES, rng)
        true = simulate(arrivals, rng)
        errors: list[list[float]] = [[], [], []]
        for place in range(TIMES):
            begin = 500.0 + 4500.0 * place
            short, long = count(arrivals, begin, 900, 1.0), count(arrivals, begin, 200, 15.0)
            for found, runs in zip(errors, ((short, long), (short, []), ([], long)), strict=True):
                found.append(estimate_line(find_idc([runs[0]], [runs[1]])) / true - 1.0)
        none = estimate_line() / true - 1.0
        both = errors[0]
        alone = f"{mean(errors[1]):+8.1%}       {mean(errors[2]):+8.1%}"
        print(f"{kind:16}{true:9.4f} s   {none:+8.1%}     {mean(both):+8.1%} {stdev(both):7.1%}    {alone}")
        assert abs(mean(both)) <= MOST, kind
        assert kind not in CALM or kind == "deterministic" or abs(mean(both) - none) <= MOST_SPOILED, kind


if __name__ == "__main__":
    main()
