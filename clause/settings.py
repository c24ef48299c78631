"""Settings: one frozen object, read from CLAUSE_* environment variables: an empty one is unset, an unknown refused."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import platformdirs
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from clause.errors import BadInputError, SettingsError
from clause.graph.scopes import parse_scope


class Settings(BaseSettings):
    """Everything that can be set, with its default. Variables are the field names in upper case after `CLAUSE_`.

    >>> Settings(port=9000).port
    9000
    """

    model_config = SettingsConfigDict(env_prefix="CLAUSE_", env_ignore_empty=True, frozen=True, extra="forbid")

    data: Path = Field(Path("../shared/data"), description="folder of the shared evaluation data")
    home: Path = Field(
        Path(platformdirs.user_data_dir("clause")), description="where the managed Neo4j and its password live"
    )
    mode: Literal["agent", "personal", "connected", "full"] = Field(
        "agent", description="which MCP tools are offered: 8 short ones (agent), 16, 25 or all (full)"
    )
    tools: str = Field(
        "",
        max_length=3000,
        description="the only MCP tools to offer, by name, parted by commas; empty: all of the mode",
    )
    mcp_tokens: int = Field(8000, ge=1000, le=100_000, description="cl100k tokens of one result of an MCP tool")

    neo4j_uri: str | None = Field(None, description="an external server; unset: the managed local one")
    neo4j_user: str = Field("neo4j", description="user of the external server")
    neo4j_password: SecretStr | None = Field(None, description="password of the external server")
    neo4j_database: str = Field("neo4j", description="database name; never guessed")
    neo4j_timeout_s: float = Field(30.0, gt=0, le=3600, description="limit of one statement, in seconds")
    neo4j_pool_size: int = Field(50, ge=1, le=1000, description="connections kept to the server")
    neo4j_heap_mb: int = Field(1024, ge=256, description="heap of the managed server, in MiB")

    embedder: str = Field("all-MiniLM-L6-v2", description="a sentence-transformers model name or folder")
    backend: Literal["onnx", "torch"] = Field(
        "onnx",
        description="what runs the packaged model and the policies; torch needs the extra `clause-memory[torch]`",
    )
    embedder_threads: int = Field(2, ge=1, le=64, description="threads for embedding and other CPU work")
    abstain_below: float | None = Field(
        None, ge=0, le=1, description="score below which answers are withheld; unset: what the policy was calibrated to"
    )
    reader_url: str | None = Field(
        None,
        pattern=r"^https?://[^\s/]+\S*$",
        description="address of chat completions as OpenAI's, such as http://127.0.0.1:11434/v1; unset: no reader",
    )
    reader_model: str = Field("", max_length=200, description="the model that is asked at reader_url")
    reader_key: SecretStr | None = Field(None, description="key sent to reader_url; unset: none")
    reader_timeout_s: float = Field(20.0, gt=0, le=600, description="limit of one answer of the reader, in seconds")
    token_margin: int = Field(0, ge=0, le=1000, description="tokens kept free of every token budget")

    host: str = Field("127.0.0.1", description="address that the API listens on")
    port: int = Field(8420, ge=0, le=65535, description="port that the API listens on")
    workers: int = Field(1, ge=1, le=64, description="processes of `clause serve` behind one socket")
    rate_limit: float | None = Field(
        None, ge=0, description="requests a second that one client may send; 0: no limit; unset: 50 beyond the loopback"
    )
    trusted_proxies: str = Field(
        "", description="addresses, by commas, whose X-Forwarded-For says who the client is; empty: none is believed"
    )
    api_key: SecretStr | None = Field(None, description="key that our own clients bring: hooks, and MCP over stdio")
    default_scope: str = Field("public", description="scope of writes that name none")
    cluster_reduction: Literal["umap", "pca", "none"] = Field(
        "umap", description="how dimensions are reduced before experiences are clustered"
    )
    insight_profiles: str = Field(
        "{}", description="retrieval profiles of insights as a JSON object by name; they win over those in the code"
    )
    memory_threshold: float = Field(0.85, ge=0, le=1, description="cosine above which a memory joins a cluster")
    memory_consolidation_threshold: int = Field(
        5, ge=2, le=1_000_000, description="a cluster of more memories than this is queued for consolidation"
    )
    memory_decay_factor: float = Field(0.99, ge=0, le=1, description="what a memory's score keeps after a unit of time")
    memory_decay_unit_seconds: int = Field(3600, ge=1, le=10**10, description="unit of time of the decay, in seconds")
    memory_enable_hybrid_search: bool = Field(True, description="search memories by words, too; off: by meaning alone")
    memory_max_clusters: int = Field(
        1_000_000,
        ge=100,
        le=10_000_000,
        description="clusters of memories in one scope; where the closest are merged, at most 100,000",
    )
    memory_when_full: Literal["refuse", "merge"] = Field("refuse", description="what happens at memory_max_clusters")
    memory_fusion: Literal["rrf", "rsf"] = Field("rsf", description="fusion of words and meaning in hybrid recall")
    memory_sparse_weight: float = Field(0.3, ge=0, le=1, description="weight of words in hybrid recall")
    memory_consolidate: bool = Field(True, description="let `clause serve` consolidate memories in the background")
    read_scope: str = Field(
        "", max_length=3000, description="scopes that MCP tools and hooks read where none is named, parted by commas"
    )
    periodic_jobs: bool = Field(True, description="let `clause serve` queue the rooms' periodic jobs")
    record_runs: bool = Field(True, description="write a Run node for every answer")
    curiosity_worker: bool = Field(False, description="investigate curiosity triggers inside `clause serve`")
    conflict_limit: float = Field(
        0, ge=0, le=1, description="share of agents' writes in a minute that may meet others' (0.05); 0: no limit"
    )
    traces_url: str | None = Field(
        None,
        pattern=r"^https?://[^\s/]+\S*$",
        description="collector of traces (OTLP over HTTP), such as http://127.0.0.1:4318/v1/traces; unset: no traces",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="least severe log line shown")

    @field_validator("data", "home")
    @classmethod
    def _expanded(cls, folder: Path) -> Path:
        """The folder without its `~`, which no shell expands in a unit of systemd, in .env or in quotes."""
        try:
            return folder.expanduser()
        except RuntimeError as error:  # of a user whom nobody knows
            raise ValueError(f"{folder} names no home folder") from error

    @field_validator("default_scope")
    @classmethod
    def _a_scope(cls, text: str) -> str:
        try:
            return parse_scope(text).text
        except BadInputError as error:
            raise ValueError(str(error)) from error

    @property
    def tool_names(self) -> tuple[str, ...]:
        """The names in `tools`."""
        return tuple(name for name in (part.strip() for part in self.tools.split(",")) if name)

    @classmethod
    def load(cls, environ: Mapping[str, str] | None = None, **overrides: Any) -> Settings:
        """Settings from the environment, then `overrides`. CLAUSE_TEST_* belong to the tests and are passed over.

        Raises:
            SettingsError: a variable is unknown or its value is refused; the message names it.

        >>> Settings.load({"CLAUSE_PORT": "1234"}).port
        1234
        >>> Settings.load({"CLAUSE_PROT": "1234"})
        Traceback (most recent call last):
        ...
        clause.errors.SettingsError: CLAUSE_PROT is not a setting; did you mean CLAUSE_PORT?
        """
        environ = os.environ if environ is None else environ
        given = {
            name: value
            for name, value in environ.items()
            if name.startswith("CLAUSE_") and not name.startswith("CLAUSE_TEST_")
        }
        values: dict[str, Any] = {}
        for name, value in given.items():
            field = name.removeprefix("CLAUSE_").lower()
            if field not in cls.model_fields:
                raise SettingsError(f"{name} is not a setting", remedy=_suggestion(name, cls))
            if value:
                values[field] = value
        try:
            return cls(**{**values, **overrides})
        except ValidationError as error:
            first = error.errors()[0]
            field, why = str(first["loc"][0]), first["msg"].removeprefix("Value error, ")
            raise SettingsError(f"CLAUSE_{field.upper()}: {why}", field=field) from error


def _suggestion(name: str, settings: type[Settings]) -> str:
    names = [f"CLAUSE_{field.upper()}" for field in settings.model_fields]
    close = difflib.get_close_matches(name, names, n=1)
    return f"did you mean {close[0]}?" if close else f"known: {', '.join(sorted(names))}"
