"""/v1/topologies/{name}/what-if: the effects of another load, budget or target; nothing is stored."""

from fastapi import APIRouter, Response

from app.database.transactions import SessionDep
from app.deciding.what_ifs import service
from app.deciding.what_ifs.schemas import WhatIfAnswer, WhatIfRequest
from app.deciding.what_ifs.service import draw_what_if
from app.web.admission import computes
from app.web.documented_problems import BODY, STORED_CALL
from app.web.fields import TopologyName
from app.web.negotiation import FORMS, Accept, answer_in_form, choose_form
from app.web.routing import SettingsDep, StrictJsonRoute, declare
from app.web.security import may_read

router = APIRouter(prefix="/v1/topologies/{name}/what-if", tags=["plans"], route_class=StrictJsonRoute)


@router.post(
    "",
    response_model=WhatIfAnswer,
    **declare(may_read, "Ask what if", *STORED_CALL, "invalid-load", *BODY, pictures=True),
)
@computes
def ask_what_if(
    name: TopologyName,
    session: SessionDep,
    settings: SettingsDep,
    body: WhatIfRequest | None = None,
    accept: Accept = None,
) -> Response:
    """The running and the planned allocation, whether the running one would pass, and the frontier; a reading key
    is enough.

    JSON, PNG or SVG, by `Accept`.
    """
    form = choose_form(accept, FORMS)
    return answer_in_form(
        service.ask_what_if(session, name, body or WhatIfRequest(), settings), form, draw_what_if
    )
