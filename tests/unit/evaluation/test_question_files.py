"""Question files: MetaQA's and JSON lines."""

import gzip

import pytest

from clause.errors import BadInputError, NotFoundError
from clause.evaluation.question_files import GoldQuestion, parse_line, read_questions, type_pattern
from clause.reasoning.neighbourhood.port import Hop
from clause.reasoning.question.skeleton import mask

LINES = "who directed [Heat]\tMichael Mann\nwhat genre is [[REC] 2] in\tHorror|Thriller|Horror\n"


def test_a_plain_and_a_gzipped_file_read_alike_and_brackets_are_gone(tmp_path):
    plain, zipped = tmp_path / "qa.txt", tmp_path / "qa2.txt.gz"
    plain.write_text(LINES, encoding="utf-8")
    zipped.write_bytes(gzip.compress(LINES.encode()))
    questions = read_questions(plain)
    assert questions == read_questions(zipped)
    assert [question.text for question in questions] == ["who directed Heat", "what genre is [REC] 2 in"]
    assert [question.entity for question in questions] == ["Heat", "[REC] 2"]
    assert questions[1].answers == ("Horror", "Thriller")
    assert questions[0].kind is None


@pytest.mark.parametrize("ending", [".txt", ".txt.gz"])
def test_types_beside_the_file_are_taken_up(tmp_path, ending):
    (tmp_path / "qa_dev.txt").write_text("\n" + LINES, encoding="utf-8")
    types = b"skipped\nmovie_to_director\nmovie_to_genre\n"
    (tmp_path / f"qa_dev_qtype{ending}").write_bytes(gzip.compress(types) if ending.endswith("gz") else types)
    assert [q.kind for q in read_questions(tmp_path / "qa_dev.txt")] == ["movie_to_director", "movie_to_genre"]
    assert len(read_questions(tmp_path / "qa_dev.txt", limit=2)) == 1


def test_fewer_types_than_questions_are_refused(tmp_path):
    (tmp_path / "qa_dev.txt").write_text(LINES, encoding="utf-8")
    (tmp_path / "qa_dev_qtype.txt").write_text("movie_to_director\n", encoding="utf-8")
    with pytest.raises(BadInputError, match="more questions than its types"):
        read_questions(tmp_path / "qa_dev.txt")


def test_a_line_without_answers_is_named_by_its_number(tmp_path):
    (tmp_path / "qa.txt").write_text(LINES + "who?\n", encoding="utf-8")
    with pytest.raises(BadInputError, match=r"qa\.txt, line 3"):
        read_questions(tmp_path / "qa.txt")


def test_a_missing_file_is_not_found(tmp_path):
    with pytest.raises(NotFoundError, match=r"no file .*qa\.txt"):
        read_questions(tmp_path / "qa.txt")


def test_json_lines_are_read_with_their_optional_fields(tmp_path):
    path = tmp_path / "own.jsonl"
    path.write_text('{"question": "who?", "answers": ["a"]}\n\n{"question": "x", "answers": [], "entity": "e"}\n')
    assert read_questions(path) == [GoldQuestion("who?", ("a",)), GoldQuestion("x", (), "e")]
    assert read_questions(path, limit=1) == [GoldQuestion("who?", ("a",))]


@pytest.mark.parametrize("line", ["{", "[]", '{"question": "x"}', '{"question": "x", "answers": 3}'])
def test_a_broken_json_line_is_named_by_its_number(tmp_path, line):
    path = tmp_path / "own.jsonl"
    path.write_text('{"question": "who?", "answers": ["a"]}\n' + line + "\n")
    with pytest.raises(BadInputError, match=r"own\.jsonl, line 2"):
        read_questions(path)


def test_masking_takes_the_topic_entity_out():
    assert parse_line("who directed [Heat] then\tMann").masked == "who directed it then"
    assert parse_line("who directed Heat\tMann").masked == "who directed Heat"
    assert GoldQuestion("who directed heat", (), "Heat").masked == "who directed heat"
    assert mask("as it is", None) == "as it is"


@pytest.mark.parametrize(
    ("kind", "pattern"),
    [
        ("tag_to_movie", (Hop("has_tags", False),)),
        ("movie_to_imdbvotes", (Hop("has_imdb_votes", True),)),
        (
            "movie_to_writer_to_movie_to_year",
            (Hop("written_by", True), Hop("written_by", False), Hop("release_year", True)),
        ),
    ],
)
def test_a_type_names_its_hops(kind, pattern):
    assert type_pattern(kind) == pattern


@pytest.mark.parametrize("kind", ["", "movie", "movie_to_soundtrack", "actor_to_director", "movie_to_movie"])
def test_an_unknown_type_is_refused(kind):
    with pytest.raises(BadInputError, match="not a MetaQA question type"):
        type_pattern(kind)


@pytest.mark.parametrize("answers", ['"Ann"', "3", "[true]", "[null]", '[["Ann"]]', "{}"])
def test_answers_that_are_no_list_of_names_are_refused(tmp_path, answers):
    path = tmp_path / "own.jsonl"
    path.write_text(f'{{"question": "a?", "answers": []}}\n{{"question": "who?", "answers": {answers}}}\n')
    with pytest.raises(BadInputError, match=r"own\.jsonl, line 2"):
        read_questions(path)


def test_names_are_read_as_graphs_hold_them_and_numbers_are_names(tmp_path):
    path = tmp_path / "own.jsonl"
    line = '{"question": "in which\u2028year?", "answers": [1985, " Jose\u0301 "]}\n'
    path.write_bytes(b"\xef\xbb\xbf" + line.encode())
    assert read_questions(path) == [GoldQuestion("in which\u2028year?", ("1985", "Jos\u00e9"))]
