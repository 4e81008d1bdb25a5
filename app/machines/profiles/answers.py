"""Stored and built profiles as JSON."""

from app.database.tables import ProfileRow
from app.machines.profiles.schemas import BuiltFields, ProfileAnswer
from planner.placements.profile_builder import BuiltProfile


def to_answer(row: ProfileRow) -> ProfileAnswer:
    """One version of a profile."""
    fields = {"name": row.name, "version": row.version, "created_at": row.created_at}
    return ProfileAnswer.model_validate(row.definition | fields)


def describe_built(built: BuiltProfile) -> BuiltFields:
    """A profile built from trials, with its evidence."""
    return BuiltFields.model_validate(
        {
            "points": built.profile.points,
            "evidence": built.evidence,
            "gaps": built.gaps,
            "plateau_threads": built.plateau_threads,
        },
        from_attributes=True,
    )
