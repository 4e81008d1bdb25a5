"""Counts, means and sums of squares of a window, joined from those of its slices."""

from collections.abc import Callable

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  # as in all of PySpark's own pages


def join_parts(parts: Column) -> Column:
    """Joins the moments of a window's slices: Σ(x−m)² = Σᵢ Σ(x−mᵢ)² + Σᵢ nᵢ(mᵢ−m)² (Chan, Golub, LeVeque 1979)."""
    inner = F.transform(
        parts,
        lambda p: make_moments(p.tuples - 1, find_mean(p.last_ns - p.first_ns, p.tuples - 1), p.gap_squares),
    )
    borders = F.transform(
        F.filter(parts, lambda p: p.border_ns.isNotNull()),
        lambda p: make_moments(F.lit(1).cast("long"), p.border_ns.cast("double"), F.lit(0.0)),
    )
    services = F.transform(parts, lambda p: make_moments(p.tuples, p.service_mean, p.service_squares))
    gap_sum = sum_longs(
        F.transform(parts, lambda p: p.last_ns - p.first_ns + F.coalesce(p.border_ns, F.lit(0)))
    )
    tuples = sum_longs(parts["tuples"])
    return bind(
        F.struct(
            tuples.alias("tuples"),
            F.concat(inner, borders).alias("gaps"),
            gap_sum.alias("gap_sum"),
            services.alias("services"),
        ),
        lambda t: bind(
            sum_longs(t.gaps["count"]),
            lambda gap_count: F.struct(
                t.tuples.alias("tuples"),
                t.gap_sum.alias("gap_sum"),
                gap_count.alias("gap_count"),
                join_squares(t.gaps, find_mean(t.gap_sum, gap_count)).alias("gap_squares"),
                join_squares(t.services, weigh_means(t.services, t.tuples)).alias("service_squares"),
            ),
        ),
    )


def find_mean(total: Column, count: Column) -> Column:
    return total.cast("double") / F.greatest(count, F.lit(1))


def weigh_means(moments: Column, count: Column) -> Column:
    total = F.aggregate(moments, F.lit(0.0), lambda sum_, p: sum_ + p["count"] * p.mean)
    return total / F.greatest(count, F.lit(1))


def make_moments(count: Column, mean: Column, squares: Column) -> Column:
    return F.struct(count.alias("count"), mean.alias("mean"), squares.alias("squares"))


def sum_longs(values: Column) -> Column:
    return F.aggregate(values, F.lit(0).cast("long"), lambda total, value: total + value)


def join_squares(moments: Column, mean: Column) -> Column:
    return bind(
        mean,
        lambda m: F.aggregate(
            moments,
            F.lit(0.0),
            lambda sum_, p: sum_ + p.squares + p["count"] * (p.mean - m) * (p.mean - m),
        ),
    )


def bind(value: Column, use: Callable[[Column], Column]) -> Column:
    """`use(value)`, where the value is computed once.

    Spark replaces a name by its expression everywhere, also inside a function of array elements: a mean would be
    computed again for each element. The parameter of a function is not replaced.
    """
    return F.transform(F.array(value), use)[0]
