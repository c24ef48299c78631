"""Corpora of passages, questions as data sets print them, and the recall of what is handed on."""

import json

import pytest

from clause.errors import BadInputError
from clause.lab.passages import Corpus, PassageQuestion, RankingWay, passages_study, read_passage_questions

DOCUMENTS = [
    {"id": 7, "title": "Heat", "text": "A film by Mann."},
    {"id": "m", "title": "Michael &quot;Mike&quot; Mann", "text": "He was born in Chicago."},
    {"id": 9, "title": "Chicago", "text": "A city on a lake."},
    {"id": 10, "title": "Chicago", "text": "Its people like pizza."},
]


def write(path, items):
    path.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
    return path


@pytest.fixture
def corpus(tmp_path):
    return Corpus.read(write(tmp_path / "corpus.jsonl", DOCUMENTS))


@pytest.mark.parametrize(
    ("line", "gold", "by"),
    [
        ({"titles": ['"heat"', "Paris"]}, ("heat",), "title"),
        ({"ids": [10, "m", 10, 44]}, ("10", "m"), "id"),
        (
            {"supporting_facts": [["Chicago", 0], ["HEAT", 2]], "evidence_triples": [["x", "y", "z"]]},
            ("chicago", "heat"),
            "title",
        ),
        ({"evidence_triples": [["Heat", "director", "Mann"], ["Mann", "born", "x"]]}, ("heat",), "title"),
        (
            {
                "question_decomposition": [{"paragraph_support_idx": 1}, {"paragraph_support_idx": None}],
                "paragraphs": [{"idx": 0, "title": "Heat"}, {"idx": 1, "title": 'Michael "Mike" Mann'}],
            },
            ('michael "mike" mann',),
            "title",
        ),
        ({"paragraphs": [{"title": "Heat", "is_supporting": True}, {"title": "Chicago"}]}, ("heat",), "title"),
    ],
)
def test_gold_is_read_as_each_data_set_prints_it_and_only_what_the_corpus_has(tmp_path, corpus, line, gold, by):
    asked = read_passage_questions(write(tmp_path / "q.jsonl", [{"id": "1", "question": "who?", **line}]), corpus)
    assert asked == [PassageQuestion("who?", gold, by)]


def test_questions_without_gold_in_the_corpus_are_left_out_and_the_limit_counts_the_others(tmp_path, corpus):
    lines = [{"question": "a", "titles": ["Rome"]}, *({"question": name, "titles": ["Heat"]} for name in "bcd")]
    path = write(tmp_path / "q.jsonl", lines)
    assert [one.text for one in read_passage_questions(path, corpus, limit=2)] == ["b", "c"]


@pytest.mark.parametrize(
    "line", ['{"question": "a"}', '{"titles": ["Heat"]}', "[1]", "{", '{"question": "a", "titles": 3}']
)
def test_a_line_that_is_no_question_is_named_by_its_number(tmp_path, corpus, line):
    path = tmp_path / "q.jsonl"
    path.write_text('{"question": "a", "titles": ["Heat"]}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(BadInputError, match=r"q\.jsonl, line 2: not a question"):
        read_passage_questions(path, corpus)


def test_a_corpus_without_passages_is_refused(tmp_path):
    with pytest.raises(BadInputError, match="holds no passage"):
        Corpus.read(write(tmp_path / "none.jsonl", [{"id": 1}]))


async def test_recall_counts_texts_not_titles_and_evidence_is_what_fits_the_tokens(corpus):
    texts = [document["text"] for document in DOCUMENTS]

    async def ranked(_text):
        return [texts[3], texts[2], "of no corpus", texts[0], texts[1]]

    async def within(_text):
        return [texts[0]]

    asked = [PassageQuestion("q", ("heat", "chicago")), PassageQuestion("q", ("9",), "id")]
    found = await passages_study(
        {"all": RankingWay(ranked), "agents": RankingWay(ranked, within)}, asked, corpus, tokens=12, command="c"
    )
    assert found["n"] == 2
    assert found["modes"]["all"]["recall"] == {"2": 0.75, "5": 1.0, "10": 1.0}
    assert found["modes"]["all"]["evidence_recall"] == 0.75  # both of Chicago fill the budget
    assert found["modes"]["agents"]["evidence_recall"] == 0.25
    assert found["modes"]["agents"]["recall"] == found["modes"]["all"]["recall"]
    assert found["modes"]["all"]["tokens_mean"] <= 12
