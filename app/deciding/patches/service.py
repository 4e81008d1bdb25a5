"""Makes the patch of a decision in the format of the platform."""

from typing import cast
from uuid import UUID

from sqlalchemy.orm import Session

from app.deciding.patches.answers import PatchAnswer, PatchFormat, is_read, to_patch_answer
from app.deciding.patches.gathering import GatheredPatch, gather_patch
from app.engines.answers import load_part
from app.engines.kubernetes import KedaTerms, make_flink_operator_patch, make_keda_patch, make_scale_patch
from app.engines.patches import EnginePatch
from app.settings import Settings


def find_patch(
    session: Session, decision_id: UUID, form: PatchFormat, service_url: str | None, settings: Settings
) -> PatchAnswer:
    """The patch of a stored decision."""
    gathered = gather_patch(session, decision_id)
    return to_patch_answer(gathered, form, make_patch(gathered, form, service_url, settings))


def make_patch(
    gathered: GatheredPatch, form: PatchFormat, service_url: str | None, settings: Settings
) -> EnginePatch:
    """The patch for the recommended processors of every operator, since engines refuse a patch for only some."""
    recommended = gathered.decision.processors.recommended
    counts = {one.name: recommended[one.name] for one in gathered.decision.current.operators}
    marks = gathered.marks if is_read(gathered, form) else {}
    if form == "json":
        return EnginePatch(format="json", body=dict(counts))
    if form == "kubernetes":
        return make_scale_patch(counts)
    if form == "keda":
        needs_key = bool(settings.api_keys.get_secret_value())
        topology = gathered.decision.basis.topology
        return make_keda_patch(counts, KedaTerms(topology, service_url, gathered.bounds, needs_key))
    if form == "flink-operator":
        return make_flink_operator_patch(counts, marks)
    return cast("EnginePatch", load_part(form, "patch").make_patch(counts, marks))
