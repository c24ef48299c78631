"""The configuration of one scope's memories: what it says of its own, and what the service says where it is silent."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from clause.errors import BadInputError
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.memory.models import FusionMethod, MCSConfig, MemoryReadInput
from clause.telemetry import logger
from clause.text.fields import Frozen


class MemoryConfiguration(BaseModel):
    """The way the memories of a scope are kept and recalled; what is left out is as the settings say."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        json_schema_extra={"example": {"scope": "user:ann", "similarity_threshold": 0.65, "decay_factor": 0.999}},
    )

    scope: str | None = Field(None, max_length=300, description="whose memories; the default scope if not said")
    similarity_threshold: float | None = Field(
        None, ge=0, le=1, description="cosine to a prototype that must be exceeded to join"
    )
    consolidation_threshold: int | None = Field(
        None, ge=2, le=1_000_000, description="a cluster of more members than this is queued for consolidation"
    )
    decay_factor: float | None = Field(None, ge=0, le=1, description="what a score keeps after one unit of time")
    decay_unit_seconds: int | None = Field(None, ge=1, le=10**10, description="unit of time of the decay, in seconds")
    enable_hybrid_search: bool | None = Field(None, description="whether words are searched too; off: meaning alone")
    sparse_weight: float | None = Field(None, ge=0, le=1, description="weight of words where a read names none")
    fusion_method: FusionMethod | None = Field(None, description="rrf or rsf, where a read names none")

    def own(self) -> dict[str, Any]:
        """Give what is said, without the scope."""
        return self.model_dump(exclude={"scope"}, exclude_none=True)


class ScopeConfiguration(Frozen):
    """The configuration of a scope: what it says of its own, and what is used there."""

    scope: str = Field(description="whose memories")
    own: dict[str, bool | int | float | str] = Field(description="what the scope says; the rest is the service's")
    used: MCSConfig = Field(description="what writes, recall and consolidation of this scope go by")


@dataclass(frozen=True)
class Configured:
    """The configurations of some scopes, as they were read.

    Attributes:
        service: of scopes that say nothing.
        own: of the others, by scope.
    """

    service: MCSConfig
    own: Mapping[str, MCSConfig]

    def of(self, scope: str) -> MCSConfig:
        """The configuration of one scope."""
        return self.own.get(scope, self.service)

    def together(self, scopes: Sequence[str]) -> MCSConfig:
        """The configuration for reading several scopes at once: theirs where they agree, else the service's."""
        found = {self.of(scope) for scope in scopes}
        return found.pop() if len(found) == 1 else self.service


class Configurations:
    """Reads and changes what scopes say of their own; another process sees a change at its next request.

    Args:
        ground: the open parts below.
        service: what is used where a scope says nothing.
    """

    def __init__(self, ground: Ground, service: MCSConfig) -> None:
        self._ground = ground
        self._service = service

    async def among(self, scopes: Sequence[str]) -> Configured:
        """The configurations of some scopes."""
        said = await self._said(scopes)
        return Configured(self._service, {scope: self._service.model_copy(update=own) for scope, own in said.items()})

    async def of(self, scope: str) -> MCSConfig:
        """The configuration of one scope."""
        return (await self.among([scope])).of(scope)

    async def thresholds(self, scopes: Sequence[str]) -> dict[str, int]:
        """The sizes above which clusters are queued, of scopes that say something of their own."""
        return {scope: one.consolidation_threshold for scope, one in (await self.among(scopes)).own.items()}

    async def show(self, scope: str | None, *, caller: Caller) -> ScopeConfiguration:
        """Show what one scope says, and what is used there; the default scope, or the caller's, where none is named.

        Raises:
            ForbiddenError: this caller may not read it.
        """
        home = await self._ground.home(caller, scope)
        own = (await self._said([home])).get(home, {})
        return ScopeConfiguration(scope=home, own=own, used=self._service.model_copy(update=own))

    async def change(self, wanted: MemoryConfiguration, *, caller: Caller) -> ScopeConfiguration:
        """Let a scope say this, in place of all that it said before; memories that are stored stay where they are.

        Raises:
            ForbiddenError: this caller may not write there.
        """
        scope, own = self._ground.writable(caller, wanted.scope), wanted.own()
        text = json.dumps(own, sort_keys=True) if own else None
        given = {"scope": scope, "configuration": text, "recorded_at": self._ground.now()}
        await self._ground.graph.write([("memory/configure", given)])
        return ScopeConfiguration(scope=scope, own=own, used=self._service.model_copy(update=own))

    async def _said(self, scopes: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Read what scopes say of their own; an archive may have brought what is no configuration and says nothing."""
        said = {}
        for row in await self._ground.graph.run("memory/configurations", scopes=[*scopes]):
            try:
                said[row["scope"]] = MemoryConfiguration.model_validate_json(row["configuration"]).own()
            except ValidationError as error:
                logger(__name__).warning("not a configuration of memories", scope=row["scope"], reason=str(error))
        return said


def as_configured(request: MemoryReadInput, config: MCSConfig) -> MemoryReadInput:
    """The request with all that it leaves open said as the configuration has it.

    Raises:
        BadInputError: it wants words searched where they are not.

    >>> as_configured(MemoryReadInput(query_text="tea"), MCSConfig(sparse_weight=0.5)).sparse_weight
    0.5
    >>> as_configured(MemoryReadInput(query_text="tea"), MCSConfig(enable_hybrid_search=False)).search_mode
    'dense'
    """
    said: dict[str, Any] = {"fusion_method": request.fusion_method or config.fusion_method}
    if "sparse_weight" not in request.model_fields_set:
        said["sparse_weight"] = config.sparse_weight
    if not config.enable_hybrid_search and request.search_mode != "dense":
        if "search_mode" in request.model_fields_set:
            mode = request.search_mode
            raise BadInputError(f"{mode} search is turned off here", remedy="search dense", field="search_mode")
        said["search_mode"] = "dense"
    return request.model_copy(update=said)
