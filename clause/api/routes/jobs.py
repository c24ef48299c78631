"""/api/jobs: long work, with progress."""

from __future__ import annotations

from fastapi import APIRouter

from clause.api.strict_json import StrictRoute

router = APIRouter(prefix="/api/jobs", tags=["jobs"], route_class=StrictRoute)
