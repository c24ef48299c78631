"""No query without a scope: each statement names one in a pattern or a predicate, or is listed here with its reason."""

from __future__ import annotations

import re

from clause.graph.catalogue import Catalogue, bare

_SCHEMA = "reads the server's own catalogue, no node of anybody"
_UPKEEP = "one upkeep node of the whole graph, of scope public"
_HASHED = "only makes nodes; their ids are hashes of the scope and the key"
_FRESH = "only makes a node of a new id; its scope stands among its properties"
_ELSEWHERE = "reads the database that a user names, with its password; it has no scopes"

EXCEPTIONS = {
    "evaluation/bare_entities": "measures the store alone, with ids that begin with the bench's scope",
    "evaluation/bare_memories": "measures the store alone, with ids that begin with the bench's scope",
    "evaluation/round_trip": "reads nothing: it times a bare round trip",
    "graph/applied": _UPKEEP,
    "graph/building": _SCHEMA,
    "graph/claim_embedding_model": _UPKEEP,
    "graph/components": _SCHEMA,
    "graph/constraints": _SCHEMA,
    "graph/embedding_model": _UPKEEP,
    "graph/forget_keys": "expired keys of every scope go; nothing of them is returned but their number",
    "graph/free_lock": _UPKEEP,
    "graph/indexes": _SCHEMA,
    "graph/named_scopes": "scopes that the caller may read, by their ids",
    "graph/record_versions": _UPKEEP,
    "graph/register_scope": "the scope is the node's id",
    "graph/replace_embedding_model": _UPKEEP,
    "graph/scope_of_keys": "tells whether idempotency keys are kept, nothing of them",
    "graph/scopes": "lists the scopes, which a caller's rights are applied to",
    "graph/take_lock": _UPKEEP,
    "graph/take_numbers": "the scope is part of the counter's id",
    "graph/labels": _SCHEMA,
    "graph/merge_entities": _HASHED,
    "ingest/merge_source": _HASHED,
    "ingest/merge_types": _HASHED,
    "ingest/source_counts": _ELSEWHERE,
    "ingest/source_nodes": _ELSEWHERE,
    "ingest/source_relationships": _ELSEWHERE,
    "jobs/acquire": "a worker takes whatever job it is given; its lease is the job's scope's",
    "jobs/submit": "makes a node of a new id in the scope given",
    "knowledge/count_traces": "kept answers of whatever caller; only their number is returned",
    "knowledge/create_source": _HASHED,
    "knowledge/erase_traces": "kept answers of whatever caller that hold an erased text; only their number is returned",
    "knowledge/runs_of_scope": "runs of whatever scope that read the one that is erased; only ids, for erasing them",
    "operations/borrowed_nodes": "what an archived scope's relationships end at; for the operator who exports",
    "operations/taken_ids": "ids of an archive in other scopes, for the operator who imports; only one is told",
    "operations/limits": "settings of the server",
    "policy/choices": "the scopes are the nodes' ids",
    "policy/promoted": "a checkpoint is the installation's; its name stands for the same weights in every scope",
    "policy/rollback": "the scope is the node's id",
    "policy/use": "the scope is the node's id",
    "reasoning/embeddings": "the ids come from an expansion within the caller's scopes; only numbers are returned",
    "reasoning/write_evidence": _HASHED,
    "values/save_run": _FRESH,
    "values/start_experience": _FRESH,
}

_CLAUSE = (
    r"\b(?:ON\s+(?:CREATE|MATCH)|MATCH|OPTIONAL|WITH|RETURN|MERGE|CREATE|WHERE|UNWIND|CALL|FOREACH|REMOVE|DELETE)\b"
)
_SET = re.compile(rf"\bSET\b.*?(?={_CLAUSE}|$)", re.DOTALL | re.IGNORECASE)
_IN_PATTERN = re.compile(r"\{[^{}]*\bscope\s*:\s*(?:\$|\w)")
_IN_PREDICATE = re.compile(r"\b\w+\.scope\s*(?:=|IN\b)|(?:=|\bIN\b)\s*\w+\.scope\b|\bscope\s+IN\s+\$", re.IGNORECASE)


def names_a_scope(text: str) -> bool:
    """True when a scope stands in a pattern's map or in a comparison outside SET."""
    clauses = _SET.sub(" ", bare(text))
    return bool(_IN_PATTERN.search(clauses) or _IN_PREDICATE.search(clauses))


def test_every_statement_names_its_scopes_or_has_a_reason_not_to():
    statements = [statement for statement in Catalogue.load().values() if statement.mode != "schema"]
    without = {statement.name for statement in statements if not names_a_scope(statement.text)}
    assert without - EXCEPTIONS.keys() == set(), "give these a scope predicate, or a reason in EXCEPTIONS"
    assert EXCEPTIONS.keys() - without == set(), "these have a scope predicate by now, or are gone"


def test_setting_a_scope_is_not_asking_for_one():
    assert not names_a_scope("MATCH (n {id: $id}) SET n.scope = $scope RETURN n.scope")
    assert names_a_scope("MATCH (n {id: $id, scope: $scope}) SET n.x = 1")
    assert names_a_scope("MATCH (n) WHERE n.scope IN $scopes RETURN n")
    assert names_a_scope("MATCH (n) SET n.x = 1 WITH n MATCH (m) WHERE m.scope = n.scope RETURN m")
