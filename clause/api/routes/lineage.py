"""/api/retractions, /api/belief-merges, /api/erasures, /api/trust/audit: taking back, joining, forgetting, proving."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path, Response

from clause.api.dependencies import CallerDependency, Page, PageDependency, Services, page_of
from clause.api.preconditions import Idempotent, IfMatch, require_version
from clause.api.strict_json import StrictRoute, written
from clause.knowledge.lineage.models import (
    AuthorityAudit,
    Erasure,
    ErasureRequest,
    Merge,
    MergeRequest,
    Retraction,
    RetractionPlan,
    RetractionRequest,
)

router = APIRouter(tags=["lineage"], route_class=StrictRoute)
ReceiptId = Annotated[str, Path(max_length=200, description="the receipt's ULID")]
NodeId = Annotated[str, Path(max_length=200)]


@router.post("/api/retractions/preview", response_model=RetractionPlan)
async def preview_retraction(body: RetractionRequest, services: Services, caller: CallerDependency) -> Response:
    """Everything that rests on a belief or a source, and what a retraction would do to it; nothing is written."""
    return written(await services.rooms.knowledge.retraction.preview(body, caller=caller))


@router.post("/api/retractions", status_code=HTTPStatus.CREATED, response_model=Retraction)
async def retract(body: RetractionRequest, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """Take a belief or a source back in one transaction, with what rests on it; the receipt undoes it."""
    return await once.answer(
        lambda: services.rooms.knowledge.retraction.apply(body, caller=caller),
        status=HTTPStatus.CREATED,
        headers=lambda answer: {"Location": f"/api/retractions/{answer['id']}"},
    )


@router.get("/api/retractions", response_model=Page[Retraction])
async def list_retractions(services: Services, caller: CallerDependency, page: PageDependency) -> Response:
    """Retractions, newest first."""
    found = await services.rooms.knowledge.retraction.list(caller=caller, after=page.after, limit=page.limit + 1)
    return written(page_of(list(found), page.limit))


@router.get("/api/retractions/{receipt_id}", response_model=Retraction)
async def get_retraction(receipt_id: ReceiptId, services: Services, caller: CallerDependency) -> Response:
    """The receipt of a retraction."""
    return written(await services.rooms.knowledge.retraction.get(receipt_id, caller=caller))


@router.post("/api/retractions/{receipt_id}/undo", response_model=Retraction)
async def undo_retraction(
    receipt_id: ReceiptId, services: Services, caller: CallerDependency, once: Idempotent
) -> Response:
    """Give back what a retraction took; what was not touched since is exactly as before."""
    return await once.answer(
        lambda: services.rooms.knowledge.retraction.undo(receipt_id, caller=caller), status=HTTPStatus.OK
    )


@router.post("/api/belief-merges", status_code=HTTPStatus.CREATED, response_model=Merge)
async def merge_beliefs(body: MergeRequest, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """Two beliefs say the same: the loser is kept and put away, its statements count for the winner."""
    return await once.answer(
        lambda: services.rooms.knowledge.merging.merge(body, caller=caller),
        status=HTTPStatus.CREATED,
        headers=lambda answer: {"Location": f"/api/belief-merges/{answer['id']}"},
    )


@router.get("/api/belief-merges", response_model=Page[Merge])
async def list_merges(services: Services, caller: CallerDependency, page: PageDependency) -> Response:
    """Merges of beliefs, newest first."""
    found = await services.rooms.knowledge.merging.list(caller=caller, after=page.after, limit=page.limit + 1)
    return written(page_of(list(found), page.limit))


@router.get("/api/belief-merges/{receipt_id}", response_model=Merge)
async def get_merge(receipt_id: ReceiptId, services: Services, caller: CallerDependency) -> Response:
    """The receipt of a merge."""
    return written(await services.rooms.knowledge.merging.get(receipt_id, caller=caller))


@router.post("/api/belief-merges/{receipt_id}/undo", response_model=Merge)
async def unmerge_beliefs(
    receipt_id: ReceiptId, services: Services, caller: CallerDependency, once: Idempotent
) -> Response:
    """Bring the loser back (by the receipt's id or its own); what was added since stays where it is."""
    return await once.answer(
        lambda: services.rooms.knowledge.merging.unmerge(receipt_id, caller=caller), status=HTTPStatus.OK
    )


@router.get("/api/trust/audit", response_model=AuthorityAudit)
async def audit(services: Services, caller: CallerDependency) -> Response:
    """Checks that nothing derived is trusted more than the lowest of its lineage, without independent corroboration."""
    return written(await services.rooms.knowledge.authority.audit(caller=caller))


@router.post("/api/erasures/preview", response_model=Erasure)
async def preview_erasure(body: ErasureRequest, services: Services, caller: CallerDependency) -> Response:
    """The counts of what forgetting would remove; nothing is written."""
    return written(await services.rooms.knowledge.erasure.preview(body, caller=caller))


@router.post("/api/erasures", response_model=Erasure)
async def erase(body: ErasureRequest, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """Forget for good: the thing, its vector, what was derived only from it, and its text in recorded runs."""
    return await once.answer(
        lambda: services.rooms.knowledge.erasure.apply(body, caller=caller), status=HTTPStatus.OK, whole=False
    )


@router.delete("/api/beliefs/{belief_id}", response_model=Erasure)
async def delete_belief(
    belief_id: NodeId, services: Services, caller: CallerDependency, once: Idempotent, accepted: IfMatch
) -> Response:
    """Forget a belief for good, and every trace of it; retract it instead to be able to undo."""

    async def forget() -> Erasure:
        if accepted is not None:
            found = await services.rooms.knowledge.beliefs.get(belief_id, caller=caller)
            require_version(accepted, found.version)
        request = ErasureRequest(belief_id=belief_id)
        return await services.rooms.knowledge.erasure.apply(request, caller=caller)

    return await once.answer(forget, status=HTTPStatus.OK, whole=False)


@router.delete("/api/sources/{source_id}", response_model=Erasure)
async def delete_source(
    source_id: NodeId, services: Services, caller: CallerDependency, once: Idempotent, accepted: IfMatch
) -> Response:
    """Forget a source for good, and what only it says; retract it instead to be able to undo."""

    async def forget() -> Erasure:
        found = await services.rooms.knowledge.sources.get(source_id, caller=caller)
        require_version(accepted, found.version)
        request = ErasureRequest(source_id=source_id)
        return await services.rooms.knowledge.erasure.apply(request, caller=caller)

    return await once.answer(forget, status=HTTPStatus.OK, whole=False)
