"""Profiles that choose insights: by name, from the settings, or inline. The settings win over the code, inline over
both."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from clause.errors import BadInputError, SettingsError

_ROUNDING = 1e-9


class RetrievalProfile(BaseModel):
    """Configuration for insight retrieval: the share of the newest and of the strongest."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    recency_weight: float = Field(0.5, ge=0, le=1, description="share of the newest")
    strength_weight: float = Field(0.5, ge=0, le=1, description="share of the strongest")
    max_age_days: int | None = Field(None, ge=1, le=36_500, description="older ones are left out")
    include_conflicting: bool = Field(False, description="also those with a conflict that is not resolved")

    @model_validator(mode="after")
    def _weighs_something(self) -> RetrievalProfile:
        if self.recency_weight + self.strength_weight <= 0:
            raise ValueError("one of recency_weight and strength_weight must be above 0")
        return self

    def split(self, limit: int) -> tuple[int, int]:
        """The numbers of the newest and of the strongest; at least one of each where `limit` is 2 or more.

        A single place goes to the heavier side, to the strongest where both weigh the same.

        >>> PROFILES["recent"].split(10), PROFILES["deep"].split(10), PROFILES["recent"].split(2)
        ((8, 2), (3, 7), (1, 1))
        """
        share = self.recency_weight / (self.recency_weight + self.strength_weight)
        recent = math.floor(limit * share + _ROUNDING)
        if limit >= 2:
            recent = min(max(recent, 1), limit - 1)
        elif limit == 1:
            recent = int(share > 0.5)
        return recent, limit - recent


PROFILES: Mapping[str, RetrievalProfile] = {
    "recent": RetrievalProfile(recency_weight=0.8, strength_weight=0.2),
    "balanced": RetrievalProfile(recency_weight=0.5, strength_weight=0.5),
    "deep": RetrievalProfile(recency_weight=0.3, strength_weight=0.7, max_age_days=None),
    "comprehensive": RetrievalProfile(recency_weight=0.5, strength_weight=0.5, include_conflicting=True),
}
"""Those of the code."""


class ProfileBook:
    """Profiles by name.

    Args:
        configured: the setting `insight_profiles`: a JSON object of profiles by name. One that the code has, too, is
            changed in what it names and stays as it is elsewhere.

    Raises:
        SettingsError: the setting is no such object.

    >>> ProfileBook('{"recent": {"max_age_days": 3}}').resolve("recent")
    RetrievalProfile(recency_weight=0.8, strength_weight=0.2, max_age_days=3, include_conflicting=False)
    """

    def __init__(self, configured: str = "{}") -> None:
        self._profiles = {**PROFILES, **_configured(configured)}

    @property
    def names(self) -> tuple[str, ...]:
        """Every name, sorted."""
        return tuple(sorted(self._profiles))

    def resolve(self, profile: str | RetrievalProfile) -> RetrievalProfile:
        """The profile of that name, or the one given inline.

        Raises:
            BadInputError: there is none of that name.
        """
        if isinstance(profile, RetrievalProfile):
            return profile
        if profile not in self._profiles:
            raise BadInputError(
                f"no retrieval profile is called {profile[:80]!r}",
                field="profile",
                bound=f"one of {', '.join(self.names)}",
            )
        return self._profiles[profile]


def _configured(text: str) -> dict[str, RetrievalProfile]:
    try:
        told: Any = json.loads(text)
        if not isinstance(told, dict):
            raise TypeError("not an object")
        return {
            name: RetrievalProfile.model_validate(
                {**(PROFILES[name].model_dump() if name in PROFILES else {}), **given}
            )
            for name, given in told.items()
        }
    except (ValueError, TypeError, ValidationError) as error:
        raise SettingsError(
            f"CLAUSE_INSIGHT_PROFILES: {error}",
            remedy='use JSON such as {"recent": {"recency_weight": 0.9, "strength_weight": 0.1}}',
            field="insight_profiles",
        ) from error
