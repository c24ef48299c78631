"""Readable ids: of clusters (`full_0`, `full_0@<run>`) and of values (`value_full_0_<timestamp>`)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from clause.errors import BadInputError
from clause.values.axes import Axis
from clause.values.errors import UnknownClusterError

_CLUSTER = re.compile(rf"({'|'.join(axis.value for axis in Axis)})_(\d{{1,9}})(?:@([0-9A-Za-z]{{1,64}}))?")
_VALUE = re.compile(rf"value_(?:{'|'.join(axis.value for axis in Axis)})_\d{{1,9}}_(\d{{8}}T\d{{12}})Z")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class ClusterRef(NamedTuple):
    """A public cluster id, taken apart; without a run it means the latest one."""

    axis: Axis
    label: int
    run_id: str | None

    def of_run(self, run_id: str) -> str:
        """The whole id, with its run.

        >>> parse_cluster_id("full_0").of_run("01JD7W9ZB6V3Q7T5N9S4E2M8XK")
        'full_0@01JD7W9ZB6V3Q7T5N9S4E2M8XK'
        """
        return f"{self.axis.value}_{self.label}@{run_id}"


def parse_cluster_id(text: str) -> ClusterRef:
    """A public cluster id, taken apart.

    Raises:
        UnknownClusterError: no cluster can have this id (it is a ValueError too).

    >>> parse_cluster_id("root_cause_12@01JD")
    ClusterRef(axis=<Axis.ROOT_CAUSE: 'root_cause'>, label=12, run_id='01JD')
    """
    match = _CLUSTER.fullmatch(text)
    if match is None:
        raise UnknownClusterError(
            f"{text[:80]!r} is no cluster's id", remedy="use one such as full_0 or full_0@<run>", field="cluster_id"
        )
    return ClusterRef(Axis(match[1]), int(match[2]), match[3])


def value_id(axis: str, label: int, number: int) -> str:
    """The readable id of a value made `number` microseconds after 1970.

    >>> value_id("full", 0, 1_796_000_000_123_456)
    'value_full_0_20261130T005320123456Z'
    """
    return f"value_{axis}_{label}_{_EPOCH + timedelta(microseconds=number):%Y%m%dT%H%M%S%fZ}"


def micros(instant: datetime) -> int:
    """Microseconds after 1970 of an instant.

    >>> micros(datetime(1970, 1, 1, 0, 0, 1, 5, tzinfo=UTC))
    1000005
    """
    return (instant - _EPOCH) // timedelta(microseconds=1)


def number_of(value: str) -> int:
    """The microseconds after 1970 in a value's readable id.

    Raises:
        BadInputError: no value has this id.

    >>> number_of("value_full_0_20261130T005320123456Z")
    1796000000123456
    """
    match = _VALUE.fullmatch(value)
    try:
        made = datetime.strptime(match[1], "%Y%m%dT%H%M%S%f").replace(tzinfo=UTC) if match else None
    except ValueError:
        made = None
    if made is None:
        raise BadInputError(f"{value[:80]!r} is no value's id", field="value_id")
    return micros(made)
