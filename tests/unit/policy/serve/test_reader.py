from clause.policy.serve.reader import paraphrases, training_texts, words
from clause.reasoning.neighbourhood.port import Hop
from clause.reasoning.question.skeleton import mask
from clause.text.names import relation_words


def test_an_unknown_span_leaves_the_question_alone() -> None:
    assert mask("who directed Heat", None) == "who directed Heat"


def test_words_are_bounded_and_never_empty() -> None:
    assert words("?!") == ("it",)
    assert len(words("word " * 100)) == 24


def test_camel_case_names_are_read_as_words() -> None:
    assert relation_words("bornIn", True) == "born in"


def test_training_draws_from_paraphrases_and_adds_distractors() -> None:
    texts = training_texts(["directed_by"])
    assert texts[Hop("directed_by", True)][0] == "directed by"
    assert len(texts[Hop("directed_by", True)]) > 3
    assert any(hop.relation.startswith("other_") for hop in texts)


def test_both_directions_of_a_type_never_share_a_name() -> None:
    table = paraphrases()
    for hop, names in table.items():
        assert not set(names) & set(table[hop.inverse]), hop
