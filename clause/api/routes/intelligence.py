"""/api/clause: basins, causal questions, curiosity and write conflicts."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path, Response

from clause.api.dependencies import CallerDependency, Services
from clause.api.idempotency import Idempotent
from clause.api.strict_json import StrictRoute, written
from clause.api.versions import etag
from clause.intelligence.models import Basin, Strengthened, StrengthenRequest

router = APIRouter(prefix="/api/clause", tags=["intelligence"], route_class=StrictRoute)
BasinId = Annotated[str, Path(max_length=200, description="the basin's id, or its entity's")]


@router.post("/basins/strengthen", response_model=Strengthened)
async def strengthen(
    body: StrengthenRequest, services: Services, caller: CallerDependency, once: Idempotent
) -> Response:
    """Strengthen the basins of the concepts that a document names; the same document counts once."""
    basins = services.rooms.intelligence.basins
    return await once.answer(lambda: basins.strengthen(body, caller=caller), status=HTTPStatus.OK)


@router.get("/basins/{basin_id}", response_model=Basin)
async def get_basin(basin_id: BasinId, services: Services, caller: CallerDependency) -> Response:
    """A basin with its strength, state, last activations and what it occurs together with."""
    basin = await services.rooms.intelligence.basins.get(basin_id, caller=caller)
    return written(basin, headers={"ETag": etag(basin.version)})
