"""Who may judge a pair of statements; light, so that command lines can name them without loading anything."""

from __future__ import annotations

from enum import StrEnum


class Judge(StrEnum):
    """Who decides: the guards with the classifier, the guards by rule alone, or the cosine alone."""

    GUARDS = "guards"
    RULES = "rules"
    COSINE = "cosine"
