"""One tool: a name, when to use it, a short schema of what it takes, and the service that answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_args, get_type_hints

from mcp_types import Tool as ToolDefinition
from mcp_types import ToolAnnotations
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from clause.errors import BadInputError
from clause.graph.scopes import Caller

if TYPE_CHECKING:
    from clause.app import Container

_MAPS = frozenset({"properties", "$defs"})
_NULL = {"type": "null"}
_CHECKED_HERE = frozenset(
    {"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "additionalProperties"}
)
_SAYS_MORE = frozenset({"required", "description", "default", "format"})


def slim(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema without what says nothing to a model: titles, null beside a kind, and null as a default.

    What is optional may be left out; null is still understood.

    >>> name = {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None, "title": "Name"}
    >>> slim({"properties": {"title": name}, "title": "Person"})
    {'properties': {'title': {'type': 'string'}}}
    """
    short: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "title" or (key == "default" and value is None):
            continue
        if key in _MAPS:
            short[key] = {name: slim(inner) for name, inner in value.items()}
        elif key == "anyOf":
            kinds = [slim(kind) for kind in value if kind != _NULL]
            short |= {**kinds[0], **short} if len(kinds) == 1 else {"anyOf": kinds}
        elif isinstance(value, dict) and key in {"items", "additionalProperties"}:
            short[key] = slim(value)
        else:
            short[key] = value
    return short


def told_by(model: type[BaseModel]) -> dict[str, Any]:
    """The output schema of a tool that gives `model`: everything but `success` may be missing, for a failure has only
    that and `error`, and a long result is cut.

    >>> class Kept(BaseModel):
    ...     id: str
    >>> told_by(Kept)["properties"]
    {'success': {'type': 'boolean'}, 'id': {'type': 'string'}}
    """
    schema = _without(_SAYS_MORE, slim(model.model_json_schema()))
    parts = schema.pop("$defs", {})
    inner = {name: _in_place(part, parts) for name, part in schema["properties"].items()}
    return {"type": "object", "properties": {"success": {"type": "boolean"}, **inner}, "required": ["success"]}


def _in_place(schema: Any, parts: Mapping[str, Any]) -> Any:
    """A schema with its parts where they are named: each is named once, so that this is shorter."""
    if isinstance(schema, dict) and "$ref" in schema:
        return _in_place(parts[schema["$ref"].rpartition("/")[2]], parts)
    return {key: _in_place(value, parts) for key, value in schema.items()} if isinstance(schema, dict) else schema


def _without(members: frozenset[str], schema: Any) -> Any:
    """A schema and those in it without these members; properties may have their names."""
    if isinstance(schema, list):
        return [_without(members, one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: _without(members, one) for name, one in value.items()} if key in _MAPS else _without(members, value)
        for key, value in schema.items()
        if key not in members
    }


Mode = Literal["agent", "personal", "connected", "full"]
MODES: tuple[Mode, ...] = get_args(Mode)
"""`agent` has eight short tools of its own; from `personal` on each has those of the one before, and more."""

Found = BaseModel | Mapping[str, Any] | Sequence[BaseModel]
Request = TypeVar("Request", bound=BaseModel)
Work = Callable[["Container", Any, Caller], Awaitable[Found]]
Id = Annotated[str, StringConstraints(min_length=1, max_length=300)]
ScopeGiven = Annotated[str | None, Field(max_length=300, description="whose; the default scope if not said")]
ScopesGiven = Annotated[
    tuple[Annotated[str, StringConstraints(min_length=1, max_length=300)], ...] | None,
    Field(min_length=1, max_length=20, description="where to look; everything readable if not said"),
]
Limit = Annotated[int, Field(ge=1, le=100)]

KEY = "idempotency_key"
_KEY = {"type": "string", "maxLength": 255, "description": "the same key and arguments: done once"}
_CURSOR = {"type": "string", "maxLength": 1000, "description": "next_cursor of the result before"}
_BRIEF = {"type": "string"}  # what mode `agent` says of a key or a cursor: their names say the rest
_OUTPUT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "success": {"type": "boolean"},
        "next_cursor": {"type": ["string", "null"]},
        "error": {"type": "object"},
    },
    "required": ["success"],
}


def _outline(returned: Any, lists: type[BaseModel] | None) -> dict[str, Any]:
    """The schema of a result of these models, one level deep; nothing but `success` must be there, as pages are cut."""
    models = [kind for kind in (get_args(returned) or (returned,)) if isinstance(kind, type)]
    own = [model for model in models if issubclass(model, BaseModel) and model is not BaseModel]
    told = {name: kind for model in own for name, kind in _kinds(model).items()}
    items = {"items": {"type": "array", "items": {"type": "object", "properties": _kinds(lists)}}} if lists else {}
    return {**_OUTPUT, "properties": {**told, **items, **_OUTPUT["properties"]}}


def _kinds(model: type[BaseModel]) -> dict[str, Any]:
    """The names of a model's fields and their kinds; a list of numbers may be told in words instead, an embedding not.

    >>> class Kept(BaseModel):
    ...     id: str | None
    ...     at: list[str]
    >>> _kinds(Kept)
    {'id': {'type': ['string', 'null']}, 'at': {'type': 'array'}}
    """
    schema = model.model_json_schema(mode="serialization")
    return {name: _kind(told, schema.get("$defs", {})) for name, told in schema.get("properties", {}).items()}


def _kind(told: Mapping[str, Any], parts: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in told:
        return _kind(parts[told["$ref"].rpartition("/")[2]], parts)
    if told.get("type") == "array" and told.get("items", {}).get("type") == "number":
        return {}
    kinds = [_kind(one, parts).get("type") for one in told.get("anyOf", ())] or [told.get("type")]
    flat = sorted({one for kind in kinds for one in (kind if isinstance(kind, list) else [kind])}, key=str)
    if None in flat:
        return {}
    return {"type": flat[0] if len(flat) == 1 else sorted(flat, key=lambda kind: kind == "null")}


class Arguments(BaseModel):
    """Arguments that no room has a model for: frozen, and unknown ones are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


@dataclass(frozen=True)
class Tool:
    """A tool as it is offered and called.

    Attributes:
        name: the tool's name.
        description: what it does and when to use it.
        arguments: the model of what it takes; a room's own where there is one.
        work: asks the service.
        mode: the smallest mode that offers it.
        reads: it changes nothing.
        idempotent: a second call with the same arguments changes nothing more.
        destroys: it takes something away.
        hidden: fields of `arguments` that are not for agents, with the values they get.
        answers: it answers a question, and writes what it met only in passing.
        keyed: a call with an idempotency key is done once.
        whole: such a call is one transaction.
        gives: the model of its result, where it is told in few words.
        output: the schema of its result in the other modes.
        most_tokens: of one result, where they are fewer than the settings allow.
    """

    name: str
    description: str
    arguments: type[BaseModel]
    work: Work
    mode: Mode
    reads: bool
    idempotent: bool
    destroys: bool
    hidden: Mapping[str, Any]
    answers: bool
    keyed: bool
    whole: bool
    gives: type[BaseModel] | None
    output: Mapping[str, Any]
    most_tokens: int | None

    @property
    def pages_itself(self) -> bool:
        """True where the service has cursors of its own."""
        return "cursor" in self.arguments.model_fields

    def definition(self) -> ToolDefinition:
        """The description in tools/list."""
        schema = slim(self.arguments.model_json_schema())
        schema.setdefault("properties", {})
        for name in self.hidden:
            schema["properties"].pop(name, None)
        schema["properties"]["cursor"] = _CURSOR if self.gives is None else _BRIEF
        if self.keyed:
            schema["properties"][KEY] = _KEY if self.gives is None else _BRIEF
        for key in ("description", "example"):
            schema.pop(key, None)
        if self.gives is not None:
            return self._brief(schema, self.gives)
        return ToolDefinition(
            name=self.name,
            title=self.name.replace("_", " "),
            description=self.description,
            input_schema=schema,
            output_schema=dict(self.output),
            annotations=ToolAnnotations(
                read_only_hint=self.reads,
                destructive_hint=self.destroys,
                idempotent_hint=self.idempotent or self.reads,
                open_world_hint=False,
            ),
        )

    def _brief(self, schema: dict[str, Any], gives: type[BaseModel]) -> ToolDefinition:
        """The description in few words: bounds are checked and told when they are broken; hints that go without saying
        are not said."""
        hints = ToolAnnotations(
            read_only_hint=self.reads or None,
            destructive_hint=None if self.reads or self.destroys else False,
            open_world_hint=False,
        )
        return ToolDefinition(
            name=self.name,
            description=self.description,
            input_schema=_without(_CHECKED_HERE, schema),
            output_schema=told_by(gives),
            annotations=hints,
        )

    def read(self, given: Mapping[str, Any]) -> BaseModel:
        """The checked arguments.

        Raises:
            ValidationError: an argument is missing, unknown or out of its bounds.
            BadInputError: an argument is not for agents.
        """
        surplus = sorted(self.hidden.keys() & given.keys())
        if surplus:
            raise BadInputError(f"{surplus[0]} is no argument of {self.name}", field=surplus[0])
        known = {name: value for name, value in given.items() if name != "cursor" or self.pages_itself}
        return self.arguments.model_validate({**known, **self.hidden})


def tool(
    mode: Mode,
    *,
    reads: bool = False,
    idempotent: bool = False,
    destroys: bool = False,
    hidden: Mapping[str, Any] | None = None,
    answers: bool = False,
    whole: bool = True,
    gives: type[BaseModel] | None = None,
    lists: type[BaseModel] | None = None,
    most_tokens: int | None = None,
) -> Callable[[Work], Tool]:
    """Make a tool of an async function `(container, given, caller)`: its name and docstring are the tool's, and the
    annotation of `given` is the model of its arguments.

    What it returns, or `lists`, is told to clients in outline: the names of the model and the kind of each. What writes
    can be called with an idempotency key, but what `answers` a question, and what has such a key itself.
    """

    def made(work: Work) -> Tool:
        hints = get_type_hints(work, localns={"Container": Any})
        arguments = hints["given"]
        return Tool(
            name=work.__name__,
            description=" ".join((work.__doc__ or "").split()),
            arguments=arguments,
            work=work,
            mode=mode,
            reads=reads,
            idempotent=idempotent,
            destroys=destroys,
            hidden=hidden or {},
            answers=answers,
            keyed=not (reads or answers or KEY in arguments.model_fields),
            whole=whole,
            gives=gives,
            output=_outline(hints["return"], lists),
            most_tokens=most_tokens,
        )

    return made


def only(model: type[Request], given: BaseModel) -> Request:
    """The part of the arguments that is a room's own request.

    Raises:
        ValidationError: that part alone says nothing.
    """
    return model.model_validate(given.model_dump(include=set(model.model_fields), exclude_unset=True))


class Paged(Arguments):
    """Arguments of a list with a cursor of its own."""

    limit: Limit = Field(20, description="how many at most")
    cursor: str | None = Field(None, max_length=1000, description="next_cursor of the result before")


def page(found: Sequence[BaseModel], limit: int, key: str = "id") -> dict[str, Any]:
    """A page of at most `limit` items, given one more than that where there are more; `key` names where it goes on.

    An empty one says so: there may be others that the arguments leave out.
    """
    shown = list(found[:limit])
    told = {"items": shown, "next_cursor": str(getattr(shown[-1], key)) if len(found) > limit else None}
    return told if shown else {**told, "reason": "nothing here fits these filters"}
