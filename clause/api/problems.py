"""Every error as an RFC 9457 problem document (`application/problem+json`), made in one place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from http.client import responses
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from clause import telemetry
from clause.api.strict_json import StrictJSONResponse
from clause.errors import ClauseError, UnavailableError

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_S = 2
_BOUNDS = {
    "min_length": "at least {} characters or items",
    "max_length": "at most {} characters or items",
    "ge": "at least {}",
    "gt": "more than {}",
    "le": "at most {}",
    "lt": "less than {}",
    "pattern": "matching {}",
    "expected": "one of {}",
}


class Problem(BaseModel):
    """An RFC 9457 problem, with our own members: `code`, `field`, `bound`, `request_id`, `remedy`."""

    model_config = ConfigDict(
        frozen=True,
        extra="allow",
        json_schema_extra={
            "example": {
                "type": "urn:clause:problem:out_of_bounds",
                "title": "Unprocessable Content",
                "status": 422,
                "detail": "Input should be less than or equal to 20",
                "instance": "/api/clause/navigate",
                "code": "out_of_bounds",
                "field": "step_budget",
                "bound": "at most 20",
                "request_id": "01JD7W9ZB6V3Q7T5N9S4E2M8XK",
            }
        },
    )

    type: str = Field(description="a URN that names the kind of problem")
    title: str = Field(description="the status in words")
    status: int = Field(ge=400, le=599, description="the HTTP status")
    detail: str = Field(description="what happened, in a sentence")
    instance: str = Field(description="the path that was asked")
    code: str = Field(description="the stable name of the kind of problem")
    field: str | None = Field(None, description="the input that was wrong, as a dotted path")
    bound: str | None = Field(None, description="what that input must be")
    remedy: str | None = Field(None, description="what to do about it")
    request_id: str | None = Field(None, description="the request's id, as in X-Request-ID")


RESPONSES: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": Problem, "description": "The caller can mend it."},
    "5XX": {"model": Problem, "description": "The service or the database is away."},
}
"""The problem answers that every route declares in OpenAPI."""


def problem(
    instance: str,
    status: int,
    code: str,
    detail: str,
    *,
    headers: Mapping[str, str] | None = None,
    **members: Any,
) -> Response:
    """A problem response; `members` are `field`, `bound`, `remedy` and extensions, None left out."""
    document = Problem(
        type=f"urn:clause:problem:{code}",
        title=responses.get(status, "Error"),
        status=int(status),
        detail=detail,
        instance=instance,
        code=code,
        request_id=telemetry.request_id.get(),
        **members,
    )
    content = jsonable_encoder(document, exclude_none=True)
    return StrictJSONResponse(content, status_code=int(status), headers=dict(headers or {}), media_type=MEDIA_TYPE)


def of_clause_error(instance: str, error: ClauseError) -> Response:
    """The problem that one of our own errors is."""
    retry_after_s = error.retry_after_s if isinstance(error, UnavailableError) else RETRY_AFTER_S
    headers = {"Retry-After": str(retry_after_s)} if error.status == HTTPStatus.SERVICE_UNAVAILABLE else {}
    if error.status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    reserved = set(Problem.model_fields)
    details = {name: value for name, value in error.details.items() if name not in reserved}
    return problem(
        instance,
        error.status,
        error.code,
        error.message,
        headers=headers,
        field=error.field,
        bound=error.bound,
        remedy=error.remedy,
        **details,
    )


def of_validation(instance: str, errors: Sequence[Mapping[str, Any]]) -> Response:
    """The problem of input that does not fit its model: the first error named, all of them under `errors`."""
    first, *_ = found = [_explain(error) for error in errors]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return problem(
        instance,
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "out_of_bounds" if first["bound"] else "bad_input",
        f"{first['field']}: {first['detail']}{more}",
        field=first["field"],
        bound=first["bound"],
        errors=[{name: value for name, value in item.items() if value is not None} for item in found[:20]],
    )


def _explain(error: Mapping[str, Any]) -> dict[str, str | None]:
    source, *place = [str(part) for part in error.get("loc", ())] or ["body"]
    context = error.get("ctx") or {}
    bounds = [text.format(context[name]) for name, text in _BOUNDS.items() if name in context]
    return {"field": ".".join(place) or source, "detail": str(error["msg"]), "bound": ", ".join(bounds) or None}


def install(app: FastAPI) -> None:
    """Let `app` answer every error with a problem document, and its OpenAPI say so."""
    plain_openapi = app.openapi

    def openapi() -> dict[str, Any]:
        fresh = app.openapi_schema is None
        document = plain_openapi()
        return _with_media_type(document) if fresh else document

    async def clause_error(request: Request, error: Exception) -> Response:
        if not isinstance(error, ClauseError):
            raise error
        if error.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            telemetry.logger(__name__).warning("refused", code=error.code, detail=str(error))
        return of_clause_error(request.url.path, error)

    async def validation_error(request: Request, error: Exception) -> Response:
        if not isinstance(error, RequestValidationError):
            raise error
        return of_validation(request.url.path, error.errors())

    async def http_error(request: Request, error: Exception) -> Response:
        if not isinstance(error, HTTPException):
            raise error
        code = responses.get(error.status_code, "Error").lower().replace(" ", "_")
        return problem(request.url.path, error.status_code, code, str(error.detail), headers=error.headers)

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI's own way to change the document
    app.add_exception_handler(ClauseError, clause_error)
    app.add_exception_handler(RequestValidationError, validation_error)
    app.add_exception_handler(HTTPException, http_error)


def _with_media_type(document: dict[str, Any]) -> dict[str, Any]:
    for item in document["paths"].values():
        for operation in item.values():
            for status in RESPONSES.keys() & operation["responses"].keys():
                content = operation["responses"][status]["content"]
                content[MEDIA_TYPE] = content.pop("application/json", content.get(MEDIA_TYPE))
    return document
