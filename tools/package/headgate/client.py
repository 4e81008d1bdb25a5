"""A client of a Headgate service: `Client` and, for asyncio, `AsyncClient`."""

from app.client.clients import AsyncClient, Client
from app.client.exchanges import Patience
from app.client.problems import HeadgateError, HeadgateProblem, NoAnswer

__all__ = ["AsyncClient", "Client", "HeadgateError", "HeadgateProblem", "NoAnswer", "Patience"]
