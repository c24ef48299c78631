"""Where a Neo4j server answers, and as whom we speak to it."""

from __future__ import annotations

from dataclasses import dataclass, field

from pydantic import SecretStr


@dataclass(frozen=True)
class Address:
    """One database on one server. The password never shows in a repr or a log line.

    >>> Address("bolt://127.0.0.1:7687", password=SecretStr("hush"))
    Address(uri='bolt://127.0.0.1:7687', user='neo4j', password=SecretStr('**********'), database='neo4j')
    """

    uri: str
    user: str = "neo4j"
    password: SecretStr = field(default_factory=lambda: SecretStr(""))
    database: str = "neo4j"
