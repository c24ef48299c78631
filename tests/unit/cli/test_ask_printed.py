import io
from typing import Any

from rich.console import Console

from clause.cli.ask import print_answer
from clause.reasoning.models import CoordinationResponse
from clause.reasoning.models.examples import COORDINATION, PROVENANCE

RESPONSE: dict[str, Any] = {
    **COORDINATION,
    "result": {
        "subgraph": {"nodes": [{"id": "ent_1", "name": "Kes"}, {"id": "ent_2", "name": "Ken [Loach]"}], "edges": []},
        "path": {
            "nodes": [
                {"id": "ent_1", "name": "Kes"},
                {"id": "ent_2", "name": "Ken [Loach]"},
                {"id": "ent_3", "name": "Riff-Raff"},
            ],
            "edges": [
                {"from": "ent_1", "relation": "directed_by", "to": "ent_2"},
                {"from": "ent_3", "relation": "directed_by", "to": "ent_2"},
            ],
            "steps": [
                {"step": 1, "from_node": "ent_1", "to_node": "ent_2", "relation": "directed_by", "action": "CONTINUE"},
                {"step": 2, "from_node": "ent_2", "to_node": "ent_3", "relation": "directed_by", "action": "CONTINUE"},
            ],
        },
        "evidence": [
            {
                "text": "Kes was directed by Ken Loach.",
                "tokens": 8,
                "score": 0.91,
                "shaped_utility": 0.91,
                "provenance": {**PROVENANCE, "source_uri": "neo4j://entity/ent_1"},
            },
            {"text": "bare [red]", "tokens": 2, "score": 0.5, "shaped_utility": 0.5, "provenance": None},
        ],
        "answers": [{"node": "ent_3", "name": "Riff-Raff", "answer_score": 0.8, "path_ids": []}],
        "seeds": [{"id": "ent_1", "name": "Kes", "score": 1.0, "reason": "exact"}],
        "abstained": False,
    },
    "receipt": {
        **COORDINATION["receipt"],
        "edges": {
            **COORDINATION["receipt"]["edges"],
            "stopped_by": "gain",
            "best_left_out": {"what": "has_tags [x]", "would_cost": 3, "score": 0.1},
        },
        "tokens": {**COORDINATION["receipt"]["tokens"], "spent": 8, "paid": 0.0008},
    },
}
RESPONSE = CoordinationResponse.model_validate(RESPONSE).model_dump(mode="json")


def printed(response: dict[str, Any]) -> str:
    stream = io.StringIO()
    read = CoordinationResponse.model_validate(response).model_dump(mode="json")
    print_answer(Console(file=stream, width=120, highlight=False), read)
    return stream.getvalue()


def test_the_four_sections_stand_in_order_under_their_headings() -> None:
    lines = printed(RESPONSE).splitlines()
    headings = [line for line in lines if line in ("answer", "path", "evidence", "receipt")]
    assert headings == ["answer", "path", "evidence", "receipt"]


def test_an_answer_shows_names_arrows_sources_and_costs_with_markup_taken_literally() -> None:
    text = printed(RESPONSE)
    assert "Riff-Raff  (0.80)" in text
    assert "--directed_by--> Ken [Loach]" in text
    assert "<--directed_by-- Riff-Raff" in text
    assert "source neo4j://entity/ent_1 [verified], 8 tokens, score 0.91" in text
    assert "2. bare [red]" in text
    assert "provenance is switched off" in text
    assert "gain" in text
    assert "has_tags [x] (would cost 3)" in text
    assert "0.0008" in text


def test_many_answers_are_cut_with_their_number() -> None:
    answers = [{"node": f"n{number}", "name": f"film {number}", "answer_score": 0.5} for number in range(12)]
    text = printed({**COORDINATION, "result": {"answers": answers}})
    assert "film 9" in text
    assert "film 10" not in text
    assert "and 2 more" in text


def test_no_answer_says_why() -> None:
    text = printed(
        {**COORDINATION, "result": {"answers": [], "abstained": True, "reason": "nothing in the question names a node"}}
    )
    assert "no answer: nothing in the question names a node" in text
    assert "no path" in text
    assert "none" in text


def test_the_reading_comes_first_and_likely_others_say_how_to_choose_them() -> None:
    told = [
        {"id": "reading_a", "words": "what made [Kes]", "probability": 0.6},
        {"id": "reading_b", "words": "what Kes made", "probability": 0.3},
        {"id": "reading_c", "words": "what is like Kes", "probability": 0.1},
    ]
    lines = printed({**RESPONSE, "result": {**RESPONSE["result"], "readings": told}}).splitlines()
    assert lines[:3] == ["read as", "  what made [Kes]  (0.60)", "  or what Kes made  (--reading reading_b)"]
    assert "what is like Kes" not in "\n".join(lines)


def test_a_name_that_was_taken_for_another_is_said() -> None:
    taken = [{"said": "Kess", "meant": "Kes"}]
    lines = printed({**RESPONSE, "result": {**RESPONSE["result"], "readings": [], "did_you_mean": taken}}).splitlines()
    assert lines[:2] == ["read as", "  Kess as Kes"]
