"""Windows and cooldowns are at most a year: longer stored ones are shortened, and snapshots of longer windows deleted.

A snapshot of more than a year, or of a time before 1970, could not be decided on, and no engine measures one.
"""

# ruff: noqa: S608 - statements are put together from constants

from alembic import op

revision = "2026_11_19_bounded_times"
down_revision = "2026_11_19_standing_decisions"

YEAR_SECONDS, LONGEST_AGE_SECONDS = 31_536_000, 1_000_000_000
MOST = {
    "cooldown_seconds": YEAR_SECONDS,
    "scale_down_window_seconds": YEAR_SECONDS,
    "horizon_seconds": YEAR_SECONDS,
    "catch_up_seconds": YEAR_SECONDS,
    "max_snapshot_age_seconds": LONGEST_AGE_SECONDS,
}
POLICIES = (("policies", "policy", ""), ("decisions", "policy", ""), ("decisions", "answer", "policy,"))
"""Table and column of each stored policy, and the path to it."""


def upgrade() -> None:
    op.execute(f"DELETE FROM snapshots WHERE window_seconds > {YEAR_SECONDS} OR observed_at < '1970-01-01Z'")
    for table, column, path in POLICIES:
        for field, most in MOST.items():
            place = f"'{{{path}{field}}}'"
            op.execute(
                f"UPDATE {table} SET {column} = jsonb_set({column}, {place}, '{most}') "
                f"WHERE ({column} #>> {place})::float8 > {most}"
            )


def downgrade() -> None:
    """Does nothing, because no earlier version refuses times of at most a year."""
