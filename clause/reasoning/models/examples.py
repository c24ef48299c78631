"""Examples of the agents' responses, with every field that the service sends; the schemas show them."""

from __future__ import annotations

from typing import Any

PROVENANCE: dict[str, Any] = {
    "source_uri": "neo4j://concept/greenhouse_gases",
    "extraction_timestamp": "2025-10-02T10:30:15Z",
    "extractor_identity": "ContextCurator-v2.0",
    "supporting_evidence": "Greenhouse gases trap heat...",
    "verification_status": "verified",
    "corroboration_count": 5,
    "trust_signals": {"reputation_score": 0.95, "recency_score": 0.88, "semantic_consistency": 0.91},
}

_GASES: dict[str, Any] = {"id": "ent_83a1f0c2b7d94e5f60718293", "name": "greenhouse gases"}
_CLIMATE: dict[str, Any] = {"id": "ent_1c0de5a9b8f7461234567890", "name": "climate change"}
_EDGE: dict[str, Any] = {"from": _CLIMATE["id"], "relation": "caused_by", "to": _GASES["id"]}
_STEP: dict[str, Any] = {
    "step": 1,
    "from_node": _CLIMATE["id"],
    "to_node": _GASES["id"],
    "relation": "caused_by",
    "action": "CONTINUE",
    "causal_score": 0.85,
    "thoughtseed_id": "seed_2ab51d49aff9365544a483d2",
}
_PATH: dict[str, Any] = {
    "id": "path_fb48433b0ea7",
    "nodes": [_CLIMATE, _GASES],
    "edges": [_EDGE],
    "steps": [_STEP],
    "answer": _GASES["id"],
}
_ANSWER: dict[str, Any] = {
    "node": _GASES["id"],
    "name": "greenhouse gases",
    "kind": "entity",
    "answer_score": 0.93,
    "supported": True,
    "path_ids": ["path_fb48433b0ea7"],
    **dict.fromkeys(("statement", "confidence")),
}

NAVIGATION: dict[str, Any] = {
    "path": _PATH,
    "metadata": {
        "budget_used": 1,
        "budget_total": 10,
        "final_action": "STOP",
        "stopped_reason": "COMPLETE",
        "thoughtseeds_generated": 12,
        "curiosity_triggers_spawned": 2,
        "fallback_used": False,
        "actions": ["CONTINUE", "STOP"],
        "answers": [_ANSWER],
    },
    "performance": {"latency_ms": 145.0, "thoughtseed_gen_ms": 23.0, "causal_pred_ms": 87.0},
}

CURATION: dict[str, Any] = {
    "selected_evidence": [
        {
            "text": "Greenhouse gases trap heat...",
            "tokens": 156,
            "score": 0.92,
            "shaped_utility": 0.904,
            "provenance": PROVENANCE,
            **dict.fromkeys(("node", "edge", "source_id")),
        }
    ],
    "metadata": {
        "tokens_used": 156,
        "tokens_total": 2048,
        "token_margin": 0,
        "price_unit": "100 tokens",
        "pool_size": 2,
        "learned_stop_triggered": True,
        "stopped_reason": "GAIN_NEGATIVE",
        "query_is": "given",
    },
    "performance": {"latency_ms": 78.0, "provenance_overhead_ms": 12.0},
}

_BY_ITSELF: dict[str, Any] = {"stopped_by": "stop", "best_left_out": None}

COORDINATION: dict[str, Any] = {
    "result": {
        "answers": [_ANSWER],
        "path": _PATH,
        "paths": [_PATH],
        "evidence": [
            {
                "text": "climate change caused by greenhouse gases.",
                "tokens": 7,
                "score": 0.93,
                "shaped_utility": 0.9293,
                "provenance": {
                    **PROVENANCE,
                    "extractor_identity": "ContextCurator-v3.0",
                    "supporting_evidence": "climate change caused by greenhouse gases.",
                },
                "node": None,
                "edge": _EDGE,
                "source_id": "src_7b1d0c2e9f8a4b3c6d5e0f12",
            }
        ],
        "subgraph": {"nodes": [_CLIMATE, _GASES], "edges": [_EDGE], "edges_read": 14},
        "seeds": [{**_CLIMATE, "score": 0.97, "reason": "exact", "start": 12, "end": 26}],
        "abstained": False,
        "reason": None,
        "form": None,
        "readings": [],
        "did_you_mean": [],
        "intelligence": {"thoughtseeds_generated": 12, "curiosity_triggers_spawned": 2, "fallback_used": False},
        "calibration": None,
    },
    "agent_handoffs": [
        {
            "step": 1,
            "agent": "SubgraphArchitect",
            "action": "built_subgraph",
            "budget_used": {"edges": 1},
            "latency_ms": 287.0,
        },
        {
            "step": 2,
            "agent": "PathNavigator",
            "action": "walked_path",
            "budget_used": {"steps": 1},
            "latency_ms": 145.0,
        },
        {
            "step": 3,
            "agent": "ContextCurator",
            "action": "selected_evidence",
            "budget_used": {"tokens": 7},
            "latency_ms": 78.0,
        },
    ],
    "conflicts_detected": 0,
    "conflicts_resolved": 0,
    "performance": {
        "total_latency_ms": 542.0,
        "architect_ms": 287.0,
        "navigator_ms": 145.0,
        "curator_ms": 78.0,
        "embed_ms": 9.0,
        "database_ms": 31.0,
        "provenance_overhead_ms": 4.0,
        "thoughtseed_gen_ms": 1.0,
        "causal_pred_ms": 12.0,
    },
    "receipt": {
        "edges": {
            "budget": 50,
            "spent": 1,
            "price": 0.01,
            "unit": "edge",
            "paid": 0.01,
            "stopped_by": "gain",
            "best_left_out": {"what": "the next edge of the plan", "would_cost": 1, "score": 0.04},
        },
        "steps": {"budget": 10, "spent": 1, "price": 0.01, "unit": "step", "paid": 0.01, **_BY_ITSELF},
        "tokens": {"budget": 2048, "spent": 7, "price": 0.01, "unit": "100 tokens", "paid": 0.0007, **_BY_ITSELF},
        "token_margin": 0,
        "left_out": {},
    },
    "counterfactual": None,
    "answer_sha256": "5f0d3a7e9b1c2d4f6a8b0c1d2e3f405162738495a6b7c8d9e0f1a2b3c4d5e6f7",
    "written": None,
    "run_id": "01JD7W9ZB6V3Q7T5N9S4E2M8XK",
}
