"""JSON as RFC 8259 has it, in and out: no NaN, no Infinity, no number too large for a float, no lone surrogate."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from fastapi import Request, Response
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from clause.errors import BadInputError


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:40]} is too large for a number")
    return number


def parse(body: bytes) -> Any:
    """The value of a JSON text.

    Raises:
        BadInputError: not JSON, not UTF-8, nested too deep, or a value that JSON cannot say.

    >>> parse(b'{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    >>> parse(b'[NaN]')
    Traceback (most recent call last):
    ...
    clause.errors.BadInputError: the body is not strict JSON: NaN is no JSON number
    """
    try:
        text = body.decode("utf-8")
        value = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except RecursionError as error:
        raise BadInputError("the body is nested too deep", field="body") from error
    except UnicodeEncodeError as error:
        raise BadInputError("the body is not strict JSON: a lone surrogate is no character", field="body") from error
    except UnicodeDecodeError as error:
        raise BadInputError("the body is not UTF-8", field="body") from error
    except ValueError as error:
        raise BadInputError(f"the body is not strict JSON: {error}", field="body") from error
    return value


class StrictJSONResponse(JSONResponse):
    """Compact UTF-8 JSON that refuses NaN and Infinity."""

    def render(self, content: Any) -> bytes:
        """`content` as bytes.

        Raises:
            ValueError: a number in it is not finite.
        """
        text = json.dumps(
            content, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=to_jsonable_python
        )
        return text.encode("utf-8")


def written(model: BaseModel, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """The answer that is `model`. Unlike a plain dump to JSON, a NaN inside is an error, not null.

    Raises:
        ValueError: a number in it is not finite.
    """
    return StrictJSONResponse(model.model_dump(), status_code=status, headers=dict(headers or {}))


class _StrictRequest(Request):
    async def json(self) -> Any:
        return parse(await self.body())


class StrictRoute(APIRoute):
    """A route whose body is read by `parse`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The route's handler, given a request that parses strictly; a malformed body never reaches it."""
        handle = super().get_route_handler()

        async def strict(request: Request) -> Response:
            request = _StrictRequest(request.scope, request.receive)
            if "json" in request.headers.get("content-type", "") and await request.body():
                await request.json()
            return await handle(request)

        return strict
