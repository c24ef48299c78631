"""What a job says of itself: one frozen snapshot."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field

from clause.errors import ConflictError


class JobCancelledError(ConflictError):
    """Somebody asked this job to stop."""

    code = "job_cancelled"


class LeaseLostError(ConflictError):
    """Another worker has taken the job over, or holds its resource."""

    code = "lease_lost"


class JobState(StrEnum):
    """queued -> running -> succeeded, failed or cancelled; the last two may be queued again."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        """True when no worker will touch the job any more.

        >>> JobState.FAILED.is_final, JobState.RUNNING.is_final
        (True, False)
        """
        return self in {JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED}


class Job(BaseModel):
    """A snapshot of a job. `done` of `total` units are finished (total 0: not known yet)."""

    model_config = ConfigDict(frozen=True)

    id: str = Field(description="ULID; newer jobs sort later")
    kind: str = Field(description="which work it is, such as load_triples")
    scope: str = Field(description="whose it is, and where it writes")
    resource: str = Field(description="what only one running job may hold at a time")
    state: JobState
    parameters: dict[str, Any] = Field(description="what the work was asked with")
    done: int = Field(ge=0)
    total: int = Field(ge=0)
    message: str
    cursor: dict[str, Any] = Field(description="from where the next worker goes on")
    error: str | None = None
    cancel_requested: bool = False
    sequence: int = Field(0, ge=0, description="transactions that the work has committed")
    version: int = Field(1, ge=1, description="grows with every change")
    created_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        """A snapshot from the columns of the jobs/ statements."""
        values = {name: value for name, value in row.items() if name in cls.model_fields}
        return cls.model_validate(
            {**values, "parameters": json.loads(row["parameters"]), "cursor": json.loads(row["cursor"])}
        )


class JobPage(BaseModel):
    """Some jobs, newest first; `next_cursor` asks for the older ones (None: there are none)."""

    model_config = ConfigDict(frozen=True)

    items: tuple[Job, ...]
    next_cursor: str | None = None
