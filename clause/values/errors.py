"""What this room refuses. The seed's callers catch ValueError, so those that it names are ValueErrors as well."""

from __future__ import annotations

from clause.errors import BadInputError, ConflictError, NotFoundError


class InsufficientDataError(BadInputError):
    """Too few experiences to find clusters: `details` has how many there are and how many are needed."""

    status = 422
    code = "insufficient_data"


class InvalidAxisError(BadInputError, ValueError):
    """An axis that is none of the four, or not the cluster's own."""

    status = 422
    code = "invalid_axis"


class UnknownClusterError(NotFoundError, ValueError):
    """No cluster by that id, or none that this caller may see."""

    code = "unknown_cluster"


class EmptyClusterError(ConflictError, ValueError):
    """A cluster whose members are all gone: nothing can be compared with it."""

    code = "empty_cluster"


class ValueRejectedError(ConflictError, ValueError):
    """A text too far from its cluster to be stored: `details["validation"]` has every number."""

    status = 422
    code = "value_rejected"
