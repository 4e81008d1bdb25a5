"""How true E[T] is: estimates, quantiles and plans beside simulations of topologies drawn at random.

    make bench BENCH=truth                          fresh topologies
    TRUTH_CASES=5 make bench BENCH=truth            a quick look
    TRUTH_SEED=7 make bench BENCH=truth             the same topologies again
    TRUTH_PARTS="plans" make bench BENCH=truth      a part: estimates, calibration, plans, quantile-plans
    TRUTH_WRITE=1 make bench BENCH=truth            writes the known errors that answers tell

Every topology is simulated under each queueing. What a log of its visits tells is measured; the planner is asked with
that alone. docs/how-true-is-et.md says what the tables mean.
"""

import os
from random import SystemRandom

from benchmarks.truth_calibration import compare_calibrated
from benchmarks.truth_estimates import compare_estimates
from benchmarks.truth_known import write_known_errors
from benchmarks.truth_plans import print_plans, print_quantile_plans, try_plans, try_quantile_plans
from benchmarks.truth_tables import Tables

CASES = int(os.environ.get("TRUTH_CASES", "12"))
PARTS = os.environ.get("TRUTH_PARTS", "estimates calibration plans quantile-plans").split()


def main() -> None:
    """Prints all tables."""
    seed = int(os.environ.get("TRUTH_SEED") or SystemRandom().randrange(10**9))
    print(f"TRUTH_SEED={seed} TRUTH_CASES={CASES}")
    if "estimates" in PARTS:
        tables = Tables()
        compare_estimates(seed, CASES, tables)
        tables.print()
        if os.environ.get("TRUTH_WRITE"):
            write_known_errors(tables)
    if "calibration" in PARTS:
        tables = Tables()
        compare_calibrated(seed, CASES, tables)
        tables.print()
    if "plans" in PARTS:
        print_plans(try_plans(seed, CASES))
    if "quantile-plans" in PARTS:
        print_quantile_plans(try_quantile_plans(seed, CASES))


if __name__ == "__main__":
    main()
