"""Relationship types in words: what a type of a scope means, as its owner says it, for graphs whose names say nothing.

What was said is kept on the registry's entry, and the scope counts how often something was said: questions read that
count with the scopes, so that the next one is read by the new words in every service of the database.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import ConfigDict, Field, field_validator

from clause.errors import NotFoundError
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.text.fields import Frozen, Instant, Model
from clause.text.names import inverse_text, register, stored_name

_LONGEST = 200


class TypeMeaning(Model):
    """The meaning of a relationship type of a scope, in words."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {"relation": "P57", "text": "director", "inverse_text": "films directed by", "scope": "kg:films"}
        }
    )

    relation: str = Field(min_length=1, max_length=_LONGEST, description="the type's name, as the graph has it")
    text: str = Field(
        min_length=1, max_length=_LONGEST, description='from its start on: "director", "directed by", "works for"'
    )
    inverse_text: str | None = Field(
        None,
        min_length=1,
        max_length=_LONGEST,
        description='from its end on: "films directed by"; by `text` if not said',
    )
    scope: str | None = Field(None, max_length=300, description="whose type it is; the default scope if not said")

    @field_validator("text", "inverse_text")
    @classmethod
    def _in_words(cls, text: str | None) -> str | None:
        """Words, with single blanks between them.

        Raises:
            ValueError: there is no letter in it, or a brace.
        """
        said = None if text is None else " ".join(text.split())
        if said is not None and (not any(map(str.isalpha, said)) or set("{}") & set(said)):
            raise ValueError("say it in words, without braces")
        return said


class TypeInWords(Frozen):
    """A relationship type of a scope, as questions are read by it."""

    relation: str = Field(description="its name in the graph")
    scope: str
    text: str = Field(description="from its start on")
    inverse_text: str = Field(description="from its end on")
    count: int = Field(ge=0, description="relationships of this type")
    told_by: str | None = Field(None, description="who said it (null: its name says it)")
    told_at: Instant | None = Field(None, description="when it was said")


class TypeTexts:
    """The meanings of relationship types: listed, said, and taken back."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    async def list(self, *, caller: Caller, scopes: Sequence[str] | None = None) -> Sequence[TypeInWords]:
        """The types of some scopes (None: all that the caller may read), by scope and name.

        Raises:
            BadInputError: a scope is malformed.
            ForbiddenError: a scope is not the caller's.
        """
        readable = await self._ground.readable(caller, scopes)
        rows = await self._ground.graph.run("knowledge/types_in_words", scopes=list(readable))
        return [TypeInWords(**row) for row in rows]

    async def tell(self, given: TypeMeaning, *, caller: Caller) -> TypeInWords:
        """Say what a type means; questions are read by it from the next one on. Said again, it is replaced.

        Raises:
            ForbiddenError: the scope is not the caller's to write.
            NotFoundError: the scope has no such type.
        """
        scope = self._ground.writable(caller, given.scope)
        backward = given.inverse_text or inverse_text(given.text)
        told = {"told_by": f"api:{caller.author}", "told_at": self._ground.now()}
        return await self._set(scope, given.relation, given.text, backward, told)

    async def forget(self, relation: str, scope: str | None, *, caller: Caller) -> TypeInWords:
        """Take back what was said of a type: its name says it again.

        Raises:
            ForbiddenError, NotFoundError: as `tell`.
        """
        where = self._ground.writable(caller, scope)
        named = register(where, stored_name(relation))
        return await self._set(where, relation, named.text, named.inverse_text, {"told_by": None, "told_at": None})

    async def _set(self, scope: str, relation: str, text: str, backward: str, told: dict[str, Any]) -> TypeInWords:
        embedder = self._ground.embedder
        vectors = await embedder.embed([text, backward])
        row = await self._ground.graph.one(
            "knowledge/tell_type",
            scope=scope,
            name=stored_name(relation),
            text=text,
            inverse_text=backward,
            vectors=list(vectors),
            model=embedder.model,
            **told,
        )
        if row is None:
            raise NotFoundError(
                f"scope {scope} has no relationship type {relation!r}",
                remedy="list its types: GET /api/relationship-types, or `clause types list`",
                field="relation",
            )
        return TypeInWords(**row)
