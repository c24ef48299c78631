"""What an episode found, in the shape of `CoordinationResponse.result`: subgraph, paths, answers."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from itertools import islice
from typing import Any

from clause.reasoning.actions import NAVIGATOR, Backtrack, Continue
from clause.reasoning.episode import Episode
from clause.reasoning.fronts import Path
from clause.reasoning.models import PathStep
from clause.reasoning.neighbourhood import Edge, Node

PATHS_OF_AN_ANSWER = 3
"""Walks kept for each answer; the first supported one is among them."""


def path_id(path: Path) -> str:
    """A stable id of a walk.

    >>> path_id(Path(("a", "b"), (Edge("a", "r", "b"),)))
    'path_fb48433b0ea7'
    """
    words = "\n".join([path.nodes[0], *("|".join(edge) for edge in path.edges)])
    return f"path_{hashlib.sha256(words.encode()).hexdigest()[:12]}"


def subgraph_view(episode: Episode) -> dict[str, Any]:
    """The working subgraph: its nodes with names, its edges in the order they were added, and how many were read."""
    nodes = episode.subgraph.nodes
    return {
        "nodes": [_node_view(nodes, node) for node in sorted(episode.subgraph.touching())],
        "edges": [edge_view(edge) for edge in episode.subgraph.edges],
        "edges_read": episode.subgraph.edges_read,
    }


def edge_view(edge: Edge) -> dict[str, str]:
    """An edge as the responses write it."""
    return {"from": edge.source, "relation": edge.relation, "to": edge.target}


def answer_views(episode: Episode, scores: Mapping[str, float]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """(answers, paths): the end nodes by falling score, then name, then id, each with the walks that lead to it."""
    if episode.front is None:
        return [], []
    nodes = episode.subgraph.nodes
    order = sorted(episode.front.nodes, key=lambda node: (-scores.get(node, 0.0), _name(nodes, node), node))
    answers: list[dict[str, Any]] = []
    paths: dict[str, dict[str, Any]] = {}
    for node in order:
        kept = _kept_paths(episode, node)
        for path in kept:
            paths.setdefault(path_id(path), path_view(path, episode))
        answers.append(
            {
                "node": node,
                "name": _name(nodes, node),
                "answer_score": scores.get(node, 0.0),
                "supported": episode.supporting_path(node) is not None,
                "path_ids": [path_id(path) for path in kept],
            }
        )
    return answers, list(paths.values())


def path_view(path: Path, episode: Episode) -> dict[str, Any]:
    """A walk with its steps as `PathStep` writes them."""
    steps = [
        PathStep(step=place, from_node=start, to_node=end, relation=edge.relation, action="CONTINUE")
        for place, (start, end, edge) in enumerate(zip(path.nodes, path.nodes[1:], path.edges, strict=False), start=1)
    ]
    return {
        "id": path_id(path),
        "nodes": [_node_view(episode.subgraph.nodes, node) for node in path.nodes],
        "edges": [edge_view(edge) for edge in path.edges],
        "steps": [step.model_dump() for step in steps],
        "answer": path.end if path.edges else None,
    }


def steps_taken(episode: Episode) -> list[str]:
    """The Navigator's steps as words, in order.

    >>> from clause.reasoning.budget import Budgets
    >>> steps_taken(Episode(["a"], Budgets()))
    []
    """
    words: list[str] = []
    for step in episode.log:
        if step.agent == NAVIGATOR and isinstance(step.action, Continue):
            words.append(f"CONTINUE {step.action.hop.relation}{'' if step.action.hop.forward else ' (inverse)'}")
        elif step.agent == NAVIGATOR and isinstance(step.action, Backtrack):
            words.append("BACKTRACK")
    return words


def _kept_paths(episode: Episode, node: str) -> list[Path]:
    front = episode.front
    assert front is not None  # noqa: S101 -- the only caller has checked
    kept = list(islice(front.paths(node), PATHS_OF_AN_ANSWER))
    supported = episode.supporting_path(node)
    if supported is not None and supported not in kept:
        kept[-1] = supported
    return kept


def _name(nodes: Mapping[str, Node], node: str) -> str:
    return nodes[node].name if node in nodes else node


def _node_view(nodes: Mapping[str, Node], node: str) -> dict[str, str]:
    return {"id": node, "name": _name(nodes, node)}
