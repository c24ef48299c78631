"""The managed local Neo4j: fetched once, started when needed, shared between commands, stopped on demand."""

from clause.graph.server.managed import ManagedServer, ServerStatus
from clause.telemetry import Progress

__all__ = ["ManagedServer", "Progress", "ServerStatus"]
