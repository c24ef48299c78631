"""The statement by which documents strengthen the basins of what they name, shared by loading and
`clause.intelligence`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from clause.text.names import hashed

LEAST = 1.0
"""The least strength of a basin, and that of a new one."""
INCREMENT = 0.2
"""Strength that one further document adds to a basin."""
MOST = 2.0
"""The cap of a basin's strength."""
CLOSE = 1e-9
"""A sum this near to the cap is the cap."""
NEW_BASIN: Final[Mapping[str, float]] = {"stability": 0.8, "depth": 1.5}
"""The shape of a basin; nothing changes it yet."""
STATES: Final[Mapping[str, str]] = {
    "dormant": "DORMANT",
    "activating": "ACTIVATING",
    "active": "ACTIVE",
    "saturated": "SATURATED",
    "decaying": "DECAYING",
}
"""The states of a basin, by the names under which statements ask for them."""
HISTORY = 50
"""Instants kept in `activation_history`."""
TOGETHER = 30
"""Concepts of one document that are counted as occurring together: 435 pairs at most."""


BASIN_RULES: Final[Mapping[str, Any]] = {
    "least": LEAST,
    "most": MOST,
    "new_basin": dict(NEW_BASIN),
    "states": dict(STATES),
}
"""The parameters of every statement that makes or strengthens a basin."""


def basin_id(entity: str) -> str:
    """The id of an entity's basin.

    >>> basin_id("ent_1")
    'bas_bd06437a0944e547bc8a3e9d'
    """
    return hashed("bas_", entity)


def strengthening(
    documents: Mapping[str, Sequence[str]], scope: str, recorded_at: datetime, increment: float = INCREMENT
) -> tuple[str, dict[str, Any]]:
    """The statement that strengthens the basins of what documents name, with its parameters.

    Args:
        documents: document id -> ids of the entities it names, the most telling first.
        scope: of the entities and their basins.
        recorded_at: when the documents became known.
        increment: what a further document adds.
    """
    rows = []
    for document, entities in documents.items():
        distinct = list(dict.fromkeys(entities))
        basins = {entity: basin_id(entity) for entity in distinct}
        rows.append(
            {
                "document_id": document,
                "concepts": [
                    [entity, basins[entity], hashed("act_", basins[entity], document)] for entity in sorted(distinct)
                ],
                "together": sorted(basins[entity] for entity in distinct[:TOGETHER]),
            }
        )
    parameters = {
        "entities": sorted({entity for entities in documents.values() for entity in entities}),
        "rows": rows,
        "scope": scope,
        "increment": increment,
        "close": CLOSE,
        **BASIN_RULES,
        "kept": HISTORY,
        "recorded_at": recorded_at,
    }
    return "intelligence/strengthen", parameters
