"""Recall's files, plain BM25, and LoCoMo's conversations as files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from clause.errors import BadInputError, NotFoundError
from clause.lab.bench.memory import LagMeter, made_memories
from clause.lab.corpora import (
    CorpusItem,
    RecallQuestion,
    make_evidence_files,
    make_recall_files,
    read_corpus,
    read_recall_questions,
)
from clause.lab.recall import Bm25, filled, filled_figures, laxer_figures, mean, plain_search

SAMPLE = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ann",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "Hello"},
            {"speaker": "Bob", "dia_id": "D1:2", "text": "Look", "blip_caption": "a red bird"},
        ],
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_10": [{"speaker": "Ann", "dia_id": "D10:1", "text": "Late"}],
        "session_10_date_time": "9 June, 2023",
        "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "Again"}],
        "session_2_date_time": "9 May, 2023",
    },
    "qa": [
        {"question": "What did Bob show?", "evidence": ["D1:02; D2:1"], "category": 4},
        {"question": "Nothing known?", "evidence": ["D7:9"], "category": 1},
        {"question": "A trap?", "evidence": ["D1:1"], "category": 5},
    ],
}


def test_locomo_becomes_turns_and_questions(tmp_path: Path) -> None:
    source, corpus, questions = tmp_path / "l.json.gz", tmp_path / "c.jsonl", tmp_path / "q.jsonl"
    with gzip.open(source, "wt") as file:
        json.dump([SAMPLE, {**SAMPLE, "sample_id": "conv-2"}], file)
    made = make_recall_files(source, corpus, questions, ("conv-1",))
    assert made == {"turns": 4, "questions": 1, "conversations": 1}
    turns = read_corpus(corpus)
    assert [turn.id for turn in turns] == ["conv-1/D1:1", "conv-1/D1:2", "conv-1/D2:1", "conv-1/D10:1"]
    assert turns[1] == CorpusItem(
        "conv-1/D1:2", "Bob: Look [shares a red bird]", "user:conv-1", "1:56 pm on 8 May, 2023", "conv-1/session_1"
    )
    assert read_recall_questions(questions) == [
        RecallQuestion("conv-1/q0", "What did Bob show?", "user:conv-1", ("conv-1/D1:2", "conv-1/D2:1"))
    ]
    assert make_recall_files(source, corpus, questions)["conversations"] == 2


def test_longmemeval_becomes_turns_of_one_scope_by_date_and_questions_that_something_answers(tmp_path: Path) -> None:
    said = {"role": "user", "content": "I bake on Sundays."}
    sessions = [
        {"date": "2023/03/27 (Mon) 05:51", "turns": [said]},
        {"date": "2023/03/05 (Sun) 13:07", "turns": [{"role": "assistant", "content": "Rye it is."}]},
    ]
    items = [
        {"question_id": "q1", "question": "Which bread?", "abstention": False, "evidence_sessions": sessions},
        {"question_id": "q2", "question": "When?", "abstention": False, "evidence_sessions": sessions[:1]},
        {"question_id": "q3_abs", "question": "Who?", "abstention": True, "evidence_sessions": sessions[:1]},
    ]
    source, corpus, questions = tmp_path / "l.jsonl", tmp_path / "c.jsonl", tmp_path / "q.jsonl"
    source.write_text("".join(f"{json.dumps(one)}\n" for one in items))
    assert make_evidence_files(source, corpus, questions) == {"turns": 2, "questions": 2, "conversations": 2}
    assert read_corpus(corpus) == [
        CorpusItem("q1/1/0", "assistant: Rye it is.", "user:longmemeval", "2023-03-05T13:07:00", "q1/1"),
        CorpusItem("q1/0/0", "user: I bake on Sundays.", "user:longmemeval", "2023-03-27T05:51:00", "q1/0"),
    ]
    asked = read_recall_questions(questions)
    assert [(one.id, one.relevant) for one in asked] == [("q1", ("q1/0/0", "q1/1/0")), ("q2", ("q1/0/0",))]


def test_texts_come_once_and_blank_ones_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    lines = [("a", "first"), ("a", "second"), ("b", "  "), ("c", "x" * 20_000), ("d", "nul\x00")]
    path.write_text("\n".join(json.dumps({"id": i, "text": t, "scope": "s"}) for i, t in lines) + "\n\n")
    found = read_corpus(path)
    assert [(item.id, item.text[:6], item.timestamp) for item in found] == [
        ("a", "first", None), ("c", "xxxxxx", None), ("d", "nul", None),
    ]  # fmt: skip
    assert len(found[1].text) == 10_000


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text('{"id": "a", "text": "t", "scope": "s"}\n{"id": "b"}\n')
    with pytest.raises(BadInputError, match="line 2"):
        read_corpus(path)
    path.write_text('{"query": "q", "scope": "s", "relevant": 3}\n')
    with pytest.raises(BadInputError, match="line 1: not a line of the questions"):
        read_recall_questions(path)
    with pytest.raises(NotFoundError):
        read_corpus(tmp_path / "missing.jsonl")


def test_bm25_prefers_rare_words_and_short_texts() -> None:
    index = Bm25(["tea tea tea and more and more words", "tea", "the rare harbour tea", "nothing here"])
    assert index.ranking("harbour tea") == [2, 1, 0]
    assert index.ranking("unknown") == []
    assert Bm25([]).ranking("tea") == []
    assert Bm25([""]).ranking("tea") == []


async def test_plain_search_stays_within_its_scope() -> None:
    corpus = [CorpusItem("a", "green tea", "x"), CorpusItem("b", "green tea", "y"), CorpusItem("c", "rain", "x")]
    search = plain_search(corpus)
    assert await search("tea", "x") == ["a"]
    assert await search("tea", "z") == []


def test_a_token_budget_is_filled_in_order_and_never_exceeded() -> None:
    texts = {"a": "one two three", "b": "four " * 50, "c": "five six"}
    assert filled(["b", "a", "c"], texts, 5) == (["a", "c"], 5)
    question = RecallQuestion("q", "?", "x", ("a", "b"))
    figures = filled_figures([question], [["b", "a", "c"]], texts, 5)
    assert figures == {"token_budget": 5, "recall": 0.5, "tokens_mean": 5.0}
    assert filled_figures([], [], {}, 5)["tokens_mean"] == 0.0
    assert mean([]) == 0.0


def test_made_memories_are_groups_of_near_unit_vectors() -> None:
    texts, vectors = made_memories(60, 64)
    group = [text.split()[-1] for text in texts]
    assert (len(texts), vectors.shape) == (60, (60, 64))
    assert vectors[0] @ vectors[0] == pytest.approx(1.0, abs=1e-5)
    assert {group.count(one) for one in group[:-10]} <= set(range(1, 11))
    same = [vectors[i] @ vectors[i + 1] for i in range(59) if group[i] == group[i + 1]]
    assert sum(same) / len(same) > 0.8


def test_without_a_tick_there_is_no_lag() -> None:
    assert LagMeter().figures() == {"p50_ms": 0.0, "p99_ms": 0.0, "max_ms": 0.0}


def test_laxer_counts_ask_for_any_turn_and_for_its_session() -> None:
    asked = [RecallQuestion("q1", "?", "s", ("a", "b")), RecallQuestion("q2", "?", "s", ("c",))]
    sessions = {"a": "one", "b": "two", "c": "two", "d": "two"}

    assert laxer_figures(asked, [["a", "d"], ["d", "a"]], [1, 2], sessions) == {
        "any": {"1": 0.5, "2": 0.5},
        "session": {"1": 1.0, "2": 1.0},
    }
    assert "session" not in laxer_figures(asked, [["a"], []], [1], {})
