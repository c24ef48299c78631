"""/api/clause/runs: recorded runs, step by step, and their replay."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from clause.api.dependencies import CallerDependency, Services
from clause.api.strict_json import StrictRoute

router = APIRouter(prefix="/api/clause/runs", tags=["runs"], route_class=StrictRoute)
