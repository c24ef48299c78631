"""Options that several commands of `clause evaluate` share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class SeedsFrom(StrEnum):
    """Where the seed entities come from."""

    TEXT = "text"
    GOLD = "gold"


class Backend(StrEnum):
    """What the agents read: Neo4j, or a snapshot of it in memory."""

    SERVICE = "service"
    SNAPSHOT = "snapshot"


class Limits(StrEnum):
    """Whether all questions have the same budgets."""

    GIVEN = "given"
    SAMPLED = "sampled"


EdgeBudget = Annotated[int, typer.Option(min=1, max=1000, help="Edges; may go below the API's bound.")]
StepBudget = Annotated[int, typer.Option(min=1, max=20, help="Steps of the walk.")]
TokenBudget = Annotated[int, typer.Option(min=1, max=8192, help="Tokens; may go below the API's bound.")]
SeedsOption = Annotated[SeedsFrom, typer.Option(help="Find the entity in the text, or take the bracketed one.")]
BackendOption = Annotated[Backend, typer.Option(help="Read Neo4j, or a snapshot of it in memory.")]
Mask = Annotated[bool, typer.Option("--mask/--no-mask", help="Whether the hard masks are on.")]
LimitsOption = Annotated[Limits, typer.Option(help="The budgets given, or log-uniform ones for each question.")]
