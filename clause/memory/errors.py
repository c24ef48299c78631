"""What may go wrong with memories; the names are the seed's."""

from __future__ import annotations

from clause.errors import BadInputError, ClauseError, ConflictError, NotFoundError


class MCSError(ClauseError):
    """The root of what the memory cluster store raises of its own."""

    code = "memory"


class ClusterNotFoundError(MCSError, NotFoundError):
    """No cluster has that number, or none that this caller may see."""

    status = NotFoundError.status
    code = "cluster_not_found"


class ClusterLimitError(MCSError, ConflictError):
    """A scope holds as many clusters as `max_clusters` allows."""

    status = ConflictError.status
    code = "cluster_limit"


class ConsolidationError(MCSError, ConflictError):
    """A cluster that is consolidated takes no member, and an empty one cannot be consolidated."""

    status = ConflictError.status
    code = "consolidation"


class PersonalDataError(MCSError, BadInputError):
    """Metadata looks like personal data and consent was not given; `field` names the key, never the value."""

    status = 422
    code = "personal_data"
