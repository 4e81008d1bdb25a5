"""Plans of keyed operators that deal out whole key groups, beside what the busiest instance truly gets.

480 plans of random topologies (6 to 128 groups; shares unmeasured, even, or measured and skewed, of groups or of as
many instances), and as many more whose measured instances held several groups each, of which nothing is known but the
sum; plans for quantiles; 200 small topologies beside trying every allocation; E[T] beside simulations.
"""

from collections import Counter
from itertools import count
from statistics import mean

from planner.simulation.simulate import simulate
from planner.situations.situation import estimate
from planner.values import Load
from tests.planner.allocation.test_whole_groups import compare
from tests.planner.group_cases import KINDS, GroupCase, draw_case

OF_EACH, QUANTILES, SMALL, SIMULATED, ROOTS = 60, 8, 200, 10, 400_000


def main() -> None:
    """Prints the table, and one line for each of the other comparisons."""
    print(f"{'shares':18}{'plans':>7}{'overloaded':>12}{'busiest':>9}{'shown optimal':>15}")
    for kind in KINDS:
        tell(kind, plan_some(kind, "latency", OF_EACH) + plan_some(kind, "processors", OF_EACH))
    for kind in KINDS[:-1]:
        tell(f"{kind}, p95", plan_some(kind, "quantile", QUANTILES))
    wrong = sum(compare(seed) > 0 for seed in range(1_000, 1_000 + SMALL))
    print(f"{SMALL} small topologies beside every allocation: {wrong} differ")
    compare_simulations()


def plan_some(kind: str, objective: str, number: int) -> list[tuple[GroupCase, int, bool]]:
    """So many cases with the processors planned for the keyed operator, and whether the plan is shown optimal."""
    found: list[tuple[GroupCase, int, bool]] = []
    for seed in count():
        if len(found) == number:
            return found
        case = draw_case(seed, kind, objective)
        if (plan := case.plan()) is not None:
            found.append((case, plan.processors["keyed"], plan.optimal))
    return found


def tell(title: str, cases: list[tuple[GroupCase, int, bool]]) -> None:
    """Prints a row."""
    busy = [case.find_busiest(planned) for case, planned, _ in cases]
    over, shown = sum(one >= 1.0 for one in busy), Counter(optimal for _, _, optimal in cases)[True]
    print(f"{title:18}{len(cases):7}{over:12}{max(busy):9.1%}{shown:15}", flush=True)


def compare_simulations() -> None:
    """Prints the error of E[T] and of the keyed operator's part beside simulations that deal groups by themselves."""
    errors, parts = [], []
    for kind in KINDS[:-1]:
        for case, planned, _ in plan_some(kind, "processors", SIMULATED):
            rates = {name: one.service_rate or 1.0 for name, one in case.load.operators.items()}
            counts = {
                name: max(2, round(case.load.external_rate / rate / 0.6)) for name, rate in rates.items()
            }
            counts["keyed"] = planned
            keyed = case.load.operators["keyed"]._replace(arrival_scv=None)  # as Poisson sources make them
            load = Load(case.load.external_rate, {**case.load.operators, "keyed": keyed})
            modelled = estimate(case.topology, load, counts)
            seen = simulate(case.topology, load, counts, roots=ROOTS)
            if not modelled.expected_sojourn_seconds:
                continue
            errors.append(modelled.expected_sojourn_seconds / seen.total.mean_seconds - 1.0)
            parts.append(
                (modelled.operators[1].sojourn_seconds or 0.0) / seen.operators[1].sojourn_seconds - 1.0
            )
    sizes = [abs(one) for one in errors]
    print(
        f"E[T] beside {len(errors)} simulations: {mean(sizes):.1%} in the mean, {max(sizes):.1%} at most",
        end="; ",
    )
    print(f"the keyed operator {mean(map(abs, parts)):.1%} and {max(map(abs, parts)):.1%}")


if __name__ == "__main__":
    main()
