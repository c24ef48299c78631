"""Requests and answers without two meanings: strict JSON (no NaN, no Infinity, no number too large for a float, no lone
surrogate, no name twice), and no parameter that is unknown or comes twice."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from typing import Any, get_args, get_origin

from fastapi import Request, Response, params
from fastapi.dependencies.utils import get_flat_params
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from clause.errors import BadInputError, OutOfBoundsError
from clause.text.fields import unique

WHO_ASKS = ("authorization", "x-api-key", "x-read-scope")
"""Headers that say who asks, and for what: a second one could be believed elsewhere."""


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
        value = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite, object_pairs_hook=unique)
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


def _many(annotation: Any) -> bool:
    return any(get_origin(part) is list for part in (annotation, *get_args(annotation)))


def _check_query(given: Sequence[str], declared: Mapping[str, bool]) -> None:
    for name in given:
        if name not in declared:
            known = ", ".join(sorted(declared)) or "none"
            raise OutOfBoundsError(f"no parameter is called {name[:80]!r}", field=name[:80], bound=f"one of {known}")
        if not declared[name] and given.count(name) > 1:
            raise OutOfBoundsError(f"the parameter {name} comes more than once", field=name, bound="once")


def _check_headers(given: Sequence[str], declared: Collection[str]) -> None:
    for name in declared:
        if given.count(name) > 1:
            raise OutOfBoundsError(f"the header {name} comes more than once", field=name, bound="once")


class StrictRoute(APIRoute):
    """A route whose body is read by `parse`, and whose parameters are those that it declares, each once."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The route's handler, given a request that parses strictly; a malformed body never reaches it."""
        handle = super().get_route_handler()
        fields = [(field.alias, field.field_info) for field in get_flat_params(self.dependant)]
        queries = {name: _many(told.annotation) for name, told in fields if isinstance(told, params.Query)}
        headers = {*WHO_ASKS, *(name for name, told in fields if isinstance(told, params.Header))}

        async def strict(request: Request) -> Response:
            request = _StrictRequest(request.scope, request.receive)
            _check_query([name for name, _ in request.query_params.multi_items()], queries)
            _check_headers(request.headers.keys(), headers)
            if "json" in request.headers.get("content-type", "") and await request.body():
                await request.json()
            return await handle(request)

        return strict
