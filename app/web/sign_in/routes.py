"""/v1/session: what the caller may do; a browser signs in with a key once, and has a cookie from then on."""

from fastapi import APIRouter, Request, Response

from app.web.documented_problems import BODY, document_problems
from app.web.sign_in import service
from app.web.sign_in.schemas import SessionAnswer, SignIn
from app.web.strict_json import StrictJsonRoute

router = APIRouter(prefix="/v1/session", tags=["sessions"], route_class=StrictJsonRoute)


@router.get("", summary="Ask what I may do", responses=document_problems("forbidden"))
async def get_session(request: Request) -> SessionAnswer:
    """Answers everybody: a caller without a valid key learns that it may do nothing."""
    return service.describe_caller(request)


@router.post("", summary="Sign in", responses=document_problems("unauthorized", *BODY))
async def sign_in(request: Request, body: SignIn, response: Response) -> SessionAnswer:
    """Sets a cookie that stands for the key for 12 hours; scripts of a page cannot read it."""
    return service.sign_in(request, body.key, response)


@router.delete("", status_code=204, summary="Sign out", responses=document_problems())
async def sign_out(request: Request, response: Response) -> None:
    """Takes the cookie back; the key stays valid."""
    service.sign_out(request, response)
