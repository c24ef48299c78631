"""2WikiMultihopQA's files."""

import json

from clause.lab.corpora import read_passages, read_questions


def write(path, items):
    path.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
    return path


def test_gold_titles_are_the_supporting_facts_else_the_subjects_that_are_titles(tmp_path):
    corpus = read_passages(
        write(
            tmp_path / "corpus.jsonl", [{"id": i, "title": t, "text": f"{t}."} for i, t in enumerate(["Heat", "Mann"])]
        )
    )
    assert corpus == {"Heat": "Heat.", "Mann": "Mann."}
    path = write(
        tmp_path / "dev.jsonl",
        [
            {"question": "a", "answer": "x", "type": "t", "evidence_triples": [["HEAT", "r", "y"], ["Mann", "r", "z"]]},
            {
                "question": "b",
                "answer": "x",
                "supporting_facts": [["Mann", 0]],
                "evidence_triples": [["Heat", "r", "y"]],
            },
            {"question": "c", "answer": "x", "evidence_triples": [["Michael Mann", "r", "y"]]},
        ],
    )
    found = read_questions(path, corpus)
    assert [(question.text, question.titles) for question in found] == [("a", ("Heat", "Mann")), ("b", ("Mann",))]
    assert read_questions(path, corpus, limit=1) == found[:1]
