"""What loading and embedding did."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from clause.errors import BadInputError

BAD_KEPT = 100
"""Bad records that are listed one by one; the others are only counted."""


class BadRecord(BaseModel):
    """A line that was no record, and why."""

    model_config = ConfigDict(frozen=True)

    number: int = Field(ge=1, description="line in the file, from 1")
    reason: str


class BadRecordError(BadInputError):
    """A line of the file is no record, and the caller wants none skipped."""

    code = "bad_record"


class EmbedReport(BaseModel):
    """What an embedding job did in this run."""

    model_config = ConfigDict(frozen=True)

    job_id: str
    model: str
    embedded: int = Field(ge=0, description="nodes that got a vector in this run")
    seconds: float = Field(ge=0)


class LoadReport(BaseModel):
    """What a load did; counts are of the whole file, also when an earlier run had done a part of it."""

    model_config = ConfigDict(frozen=True)

    job_id: str
    scope: str
    source_id: str
    format: str
    records: int = Field(ge=0, description="records read, bad ones included")
    created: int = Field(ge=0, description="triples or passages that were not there before")
    known: int = Field(ge=0, description="triples or passages that were there already, repeated lines included")
    bad_count: int = Field(ge=0)
    bad: tuple[BadRecord, ...] = Field(description="the first bad records, at most 100")
    seconds: float = Field(ge=0, description="wall-clock time of this run, without embedding")
    records_per_s: float = Field(ge=0, description="of this run, without embedding")
    resumed_at: int = Field(0, ge=0, description="records that an earlier run had done")
    embedding: EmbedReport | None = Field(None, description="None: vectors were not asked for, or come later")
