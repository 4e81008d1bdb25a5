"""Decisions to hold may be stored as what differs from another decision, and lists read columns instead of documents.

`digest` and `policy`, which were JSON in each row, become numbers and a key. Two equal decisions on the same data
cannot both be stored any more; those that are stored stay. The rows are written anew without their documents: some
seconds for each 100,000 decisions.
"""

# ruff: noqa: S608 - statements are put together from constants

import sqlalchemy as sa
from alembic import op

from app.database.folded_documents import unfold
from migrations import columns as of

revision = "2026_11_20_folded_decisions"
down_revision = "2026_11_19_bounded_times"

NUMBERS = (
    "cooldown_left_seconds",
    "current_seconds",
    "recommended_seconds",
    "measured_seconds",
    "holds_up_to_rate",
)
"""The numbers that stood in the digest under these names."""
ADDED = [
    *of.allow(of.UUID, "content", "base_id", "policy_key"),
    *of.allow(sa.LargeBinary(), "changed"),
    *of.allow(of.INTEGER, "running", "recommended", "needed", "ahead_steps"),
    *of.allow(of.BOOLEAN, "misses_target", "is_stable"),
    *of.allow(of.NUMBER, "expected_seconds", *NUMBERS),
    *of.allow(of.NUMBER, "ahead_expected_rate", "ahead_upper_rate", "ahead_quantile"),
    *of.allow(of.TEXT, "ahead_model"),
    *of.allow(of.TIME, "finished_by"),
]
# jsonb_to_record decompresses a document once, whatever the number of its fields.
FILL = f"""
UPDATE decisions d SET (
    policy_key, running, recommended, needed, misses_target, is_stable, {", ".join(NUMBERS)}, expected_seconds,
    ahead_expected_rate, ahead_upper_rate, ahead_quantile, ahead_steps, ahead_model, finished_by
) = (
    SELECT md5(d.policy::text)::uuid, (digest->>'running')::float8::int,
        coalesce(digest->>'recommended', a.processors->>'recommended_total')::float8::int,
        (digest->>'needed')::float8::int, (digest->>'misses_target')::boolean, (digest->>'stable')::boolean,
        coalesce((digest->>'cooldown_left_seconds')::float8, a.cooldown_left_seconds),
        {", ".join(f"(digest->>'{name}')::float8" for name in NUMBERS[1:])}, a.expected_sojourn_seconds,
        (a.look_ahead->>'expected_rate')::float8, (a.look_ahead->>'upper_rate')::float8,
        (a.look_ahead->>'quantile')::float8, (a.look_ahead->>'steps')::int, a.look_ahead->>'model',
        (a.catching_up->>'finished_by')::timestamptz
    FROM jsonb_to_record(d.answer) AS a (
        processors jsonb, cooldown_left_seconds float8, expected_sojourn_seconds float8, look_ahead jsonb,
        catching_up jsonb)
)
"""
EMPTY = f"""
UPDATE decisions d SET
    digest = jsonb_build_object(
        'running', running, 'recommended', recommended, 'needed', needed, 'misses_target', misses_target,
        'stable', is_stable, {", ".join(f"'{name}', {name}" for name in NUMBERS)}),
    policy = coalesce(
        (SELECT p.policy FROM policies p WHERE p.topology_id = d.topology_id
            AND md5(p.policy::text)::uuid = d.policy_key),
        answer->'policy',
        '{{}}')
"""


def upgrade() -> None:
    for column in ADDED:
        op.add_column("decisions", column)
    op.execute(FILL)
    op.alter_column("decisions", "policy_key", nullable=False)
    op.alter_column("decisions", "answer", nullable=True)
    op.drop_column("decisions", "digest")
    op.drop_column("decisions", "policy")
    op.create_check_constraint("one_form", "decisions", "(answer IS NULL) = (changed IS NOT NULL)")
    op.drop_index("ix_decisions_topology_id_decided_for", "decisions")
    op.create_unique_constraint(
        op.f("uq_decisions_topology_id_decided_for_content"),
        "decisions",
        ["topology_id", "decided_for", "content"],
    )
    for name, condition in (
        ("bases", "content IS NOT NULL AND changed IS NULL"),
        ("ahead", "ahead_steps IS NOT NULL"),
    ):
        op.create_index(
            f"ix_decisions_{name}",
            "decisions",
            ["topology_id", "decided_for"],
            postgresql_where=sa.text(condition),
        )


def downgrade() -> None:
    unfold_all(op.get_bind())
    op.add_column("decisions", sa.Column("digest", of.DOCUMENT, nullable=True))
    op.add_column("decisions", sa.Column("policy", of.DOCUMENT, nullable=True))
    op.execute(EMPTY)
    for name in ("bases", "ahead"):
        op.drop_index(f"ix_decisions_{name}", "decisions")
    op.drop_constraint("uq_decisions_topology_id_decided_for_content", "decisions")
    op.drop_constraint("ck_decisions_one_form", "decisions")
    op.alter_column("decisions", "answer", nullable=False)
    op.alter_column("decisions", "policy", nullable=False)
    for column in ADDED:
        op.drop_column("decisions", column.name)
    op.create_index("ix_decisions_topology_id_decided_for", "decisions", ["topology_id", "decided_for"])


def unfold_all(connection: sa.Connection) -> None:
    """Stores every folded answer as a document again."""
    rows = connection.execute(
        sa.text(
            "SELECT d.id, d.changed, b.answer FROM decisions d JOIN decisions b ON b.id = d.base_id"
            " WHERE d.changed IS NOT NULL"
        )
    )
    update = sa.text(
        "UPDATE decisions SET answer = :answer, changed = NULL, base_id = NULL WHERE id = :id"
    ).bindparams(sa.bindparam("answer", type_=of.DOCUMENT))
    for row in rows.all():
        connection.execute(update, {"id": row.id, "answer": unfold(row.changed, row.answer)})
