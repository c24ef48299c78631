"""The only room that speaks to Neo4j: address, catalogue of statements, runner, migrations, faults, scopes."""

from __future__ import annotations
