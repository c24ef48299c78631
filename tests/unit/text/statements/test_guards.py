"""Which statements may be merged, and which contradict each other; the classifier is a stub or left out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from clause.text.statements.guards import contradiction, may_merge
from clause.text.statements.pair_classifier import RULES, PairClassifier
from clause.text.statements.words import bases

VECTOR = np.full(4, 0.5, dtype=np.float32)
VECTORS = (VECTOR, VECTOR)


def sure_of(label: int) -> PairClassifier:
    """A classifier that always says one label: 0 duplicate, 1 contradiction, 2 neutral."""
    size = len(RULES) + 2 * len(VECTOR)
    bias = np.full(3, -20, dtype=np.float32)
    bias[label] = 20
    zeros = np.zeros((size, 1), dtype=np.float32), np.zeros(1, dtype=np.float32)
    return PairClassifier(np.zeros(size, np.float32), np.ones(size, np.float32), zeros, (np.zeros((1, 3)), bias))


ALWAYS = sure_of(0)


def merges(a, b, *, classifier=ALWAYS, similarity=0.95):
    """Whether the two are merged, even if the classifier calls everything a duplicate."""
    return may_merge(a, b, similarity, vectors=VECTORS, classifier=classifier).allowed


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Ann rides a bike to work", "Ann is riding a bicycle to work"),
        ("The dog is chasing a ball on the grass", "A ball is being chased by the dog on the grass"),
        ("A woman is playing an electric guitar", "A woman is playing a guitar which is electric"),
        ("A small guinea pig is eating", "A guinea pig, which is small, is eating"),
        ("She bought 1,000 shares on 3 May 2026", "She bought 1000 shares on May 3, 2026"),
        ("The trip took two hours", "The trip took 2 hours"),
        ("The cache lasts 5 minutes", "The cache lasts 300 seconds"),
        ("The black and white cat sleeps", "The white and black cat sleeps"),
        ("He pours oil for cooking into a pot", "He pours cooking oil into a pot"),
        ("Here Bob Hart doesn't drink coffee", "Here Bob Hart does not drink coffee"),
        ("Russia will answer, Bob Hart said", "Bob Hart said Russia will answer"),
        ("The Chinese minister said no", "The China minister said no"),
        ("2 dogs bit 3 cats", "3 cats were bitten by 2 dogs"),
        ("A woman is putting on a hat", "A hat is being put on by a woman"),
    ],
)
def test_paraphrases_that_the_rules_know_are_merged_without_the_classifier(a, b):
    assert may_merge(a, b, 0.95).reasons == ()


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        ("The car is red", "The car is blue", "exclusive: blue / red"),
        ("We deploy on Monday", "We deploy on Friday", "exclusive: friday / monday"),
        ("The flag is enabled", "The flag is disabled", "exclusive: disabled / enabled"),
        ("A truck is going down a hill", "A truck is going up a hill", "exclusive: down / up"),
        ("He sits in front of a tree", "He sits behind a tree", "exclusive: behind / in_front"),
        ("The trip took 5 km", "The trip took 5 miles", "numbers differ"),
        ("There are 2 dogs and 3 cats", "There are 3 dogs and 2 cats", "numbers differ"),
        ("It starts at 5 pm", "It starts at 5 am", "numbers differ"),
        ("It ran at version 3.11.2", "It ran at version 3.12.2", "numbers differ"),
        ("It costs $5", "It costs €5", "numbers differ"),
        ("He left on 2026-05-03", "He left on 2026-06-03", "dates differ"),
        ("Yesterday Ann met Bob Hart", "Yesterday Ann met Tom Hart", "names differ"),
        ("Paula is tall", "Robert is tall", "names differ"),
        ("Police Arrest Smithson In Town", "Police Arrest Jonesby In Town", "names differ"),
        ("The server uses GPT-4", "The server uses GPT-5", "numbers differ"),
        ("The server uses B12", "The server uses B17", "names differ"),
        ("Retry if status = 200", "Retry if status != 200", "symbols differ"),
        ("Page us if latency > 5 s", "Page us if latency < 5 s", "symbols differ"),
        ("Her blood type is A+", "Her blood type is A-", "symbols differ"),
        ("The balance is $5", "The balance is -$5", "symbols differ"),
        ("The release went 👍", "The release went 👎", "symbols differ"),
        ("The service runs on Python 3.1", "The service runs on Python 3.10", "symbols differ"),
        ("The crate weighs 0,125 kg", "The crate weighs 125 kg", "numbers differ"),
        ("It has four-wheeled carts", "It has three-wheeled carts", "numbers differ"),
        ("She likes tea", "He likes tea", "persons differ"),
        ("The test passes", "The test does not pass", "negation differs"),
        ("The problem isn't who has money", "The problem is who doesn't have money", "negation differs"),
        ("It may fail", "It must fail", "modality differs"),
        ("Ann was here", "Ann is here", "tense differs"),
        ("Is it open?", "It is open", "mood differs"),
        ("The dog is licking the baby", "The baby is licking the dog", "the words have other roles"),
        ("A dog is chasing a man", "A dog is being chased by a man", "the words have other roles"),
        ("The fish is eaten", "The fish is eating", "the words have other roles"),
        ("If it rains, we go", "If we go, it rains", "the words have other roles"),
    ],
)
def test_near_misses_are_never_merged_whatever_the_classifier_says(a, b, reason):
    verdict = may_merge(a, b, 0.99, vectors=VECTORS, classifier=ALWAYS)
    assert not verdict.allowed
    assert reason in verdict.reasons
    assert verdict.duplicate is None


def test_words_left_over_are_judged_by_the_classifier_alone():
    a, b = "Here a dog frolics in the snow", "Here a dog bounds in the snow"
    assert may_merge(a, b, 0.95).reasons == ("exchanged: bounds / frolics",)
    assert merges(a, b, classifier=sure_of(0))
    refused = may_merge(a, b, 0.95, vectors=VECTORS, classifier=sure_of(2))
    assert refused.reasons == ("exchanged: bounds / frolics",)
    assert refused.duplicate == pytest.approx(0, abs=1e-6)
    assert may_merge("A dog runs", "A dog runs merrily", 0.95).reasons == ("added: merrily",)
    assert may_merge("Here a man runs", "Here a person runs", 0.95).reasons == ("wider: man / person",)


def test_words_that_one_statement_adds_are_vetoed_only_by_a_sure_classifier():
    size = len(RULES) + 2 * len(VECTOR)
    zeros = np.zeros((size, 1), dtype=np.float32), np.zeros(1, dtype=np.float32)
    for share, added, exchanged in ((0.995, True, True), (0.9, True, False), (0.3, False, False)):
        bias = np.log(np.array([share, (1 - share) / 2, (1 - share) / 2], dtype=np.float32))
        unsure = PairClassifier(np.zeros(size), np.ones(size), zeros, (np.zeros((1, 3)), bias))
        assert merges("Here a dog runs", "Here a dog runs merrily", classifier=unsure) is added
        assert merges("Here a dog frolics", "Here a dog bounds", classifier=unsure) is exchanged


def test_a_similarity_that_does_not_pass_the_candidates_bound_merges_nothing():
    assert may_merge("Ann runs", "Ann runs", 0.9).reasons == ("similarity is not above 0.90",)
    assert may_merge("Ann runs", "Ann runs", 0.9, candidate=0.8).allowed
    assert not may_merge("Ann runs", "Ann runs", float("nan")).allowed


SENTENCES = (
    "The {0} engineer keeps a copy in the old archive",
    "Every night the {0} crew checks the north gate",
    "We think that {0} is fine for the green team",
)
word = st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=4, max_size=9)
name = word.map(str.capitalize)


@given(st.sampled_from(["We bought {0} boxes", "The run took {0} seconds", "Ann paid ${0} for it"]), st.data())
def test_statements_with_one_number_changed_are_never_merged(sentence, data):
    numbers = st.one_of(st.integers(-10_000, 10_000_000), st.decimals(-999, 999, places=2))
    one, other = data.draw(numbers), data.draw(numbers)
    assume(one != other)
    assert not merges(sentence.format(one), sentence.format(other), similarity=1.0)


@given(st.dates(), st.dates(), st.sampled_from(["%Y-%m-%d", "%d %B %Y", "%B %d, %Y"]))
def test_statements_with_one_date_changed_are_never_merged(one, other, form):
    assume(one != other)
    first, second = (f"The contract ends on {day.strftime(form)} at noon" for day in (one, other))
    assert not merges(first, second, similarity=1.0)


@given(st.dates())
def test_one_date_in_two_forms_is_one_date(day):
    first, second = (f"The contract ends on {day.strftime(form)} at noon" for form in ("%Y-%m-%d", "%d %B %Y"))
    assume(day.year >= 1000)
    assert merges(first, second)


@given(st.sampled_from(["Yesterday {0} met the mayor", "{0} owns the red car", "The city of {0} is old"]), name, name)
def test_statements_with_one_name_changed_are_never_merged(sentence, one, other):
    a, b = sentence.format(one), sentence.format(other)
    assume(not bases(one.lower()) & bases(other.lower()))  # plural or past of one word
    assert not merges(a, b, similarity=1.0)


@given(st.sampled_from(SENTENCES), word)
def test_statements_with_a_negation_more_are_never_merged(sentence, filling):
    plain = sentence.format(filling)
    verb = next(verb for verb in (" keeps ", " checks ", " is ") if verb in plain)
    denied = " is not " if verb == " is " else f" never{verb}"
    assert not merges(plain, plain.replace(verb, denied, 1), similarity=1.0)


@given(st.sampled_from(["5 {0} of rope lay there", "It weighs 12 {0}", "The file has 3 {0}"]), st.data())
def test_statements_with_one_unit_changed_are_never_merged(sentence, data):
    units = st.sampled_from(["km", "miles", "kg", "pounds", "GB", "MB", "hours", "days", "dollars", "euros", "percent"])
    one, other = data.draw(units), data.draw(units)
    assume(one != other)
    assert not merges(sentence.format(one), sentence.format(other), similarity=1.0)


@given(st.text(max_size=60), st.text(max_size=60), st.floats(-1, 1))
def test_verdicts_do_not_depend_on_the_order_of_the_statements(a, b, similarity):
    assert may_merge(a, b, similarity) == may_merge(b, a, similarity)
    assert contradiction(a, b, similarity) == contradiction(b, a, similarity)


@given(st.text(max_size=80))
def test_a_statement_agrees_with_itself(text):
    assert may_merge(text, text, 1.0).allowed
    assert not contradiction(text, text, 1.0).found


@pytest.mark.parametrize(
    ("a", "b", "signal", "kind"),
    [
        ("Ann is at home", "Ann is not at home", "negation", "contradiction"),
        ("There is no dog in the yard", "There is a dog in the yard", "negation", "contradiction"),
        ("The car is red", "The car is blue", "exclusive: blue / red", "contradiction"),
        ("She lives in Paris", "She lives in London", "exclusive: london / paris", "contradiction"),
        ("The pool holds 5 people", "The pool holds 7 people", "numbers differ", "contradiction"),
        ("The sale ends on 3 May", "The sale ends on 3 June", "dates differ", "temporal_conflict"),
        ("The sale ends on 3 May", "The sale ends on 4 June", "dates differ", "temporal_conflict"),
        ("The bridge was built in 1990", "The bridge was built in 1991", "dates differ", "temporal_conflict"),
        ("The fair was on 2024-05-03", "The fair was on 2024-05-04", "dates differ", "temporal_conflict"),
        ("The flight leaves at 10:30", "The flight leaves at 11:30", "dates differ", "temporal_conflict"),
        ("The meeting is on Monday", "The meeting is on Friday", "exclusive: friday / monday", "temporal_conflict"),
        ("The pool holds 1990 people", "The pool holds 1991 people", "numbers differ", "contradiction"),
        ("The fair in May 2024 had 30 guests", "The fair in May 2025 had 40 guests", "numbers differ", "contradiction"),
    ],
)
def test_contradictions_are_found_with_their_signal(a, b, signal, kind):
    verdict = contradiction(a, b, 0.9)
    assert (verdict.signals, verdict.kind, verdict.found) == ((signal,), kind, True)
    assert 0.5 <= verdict.score <= 1


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Here Ann Lee drinks tea", "Here Bob Hart does not drink tea"),  # other entities
        ("He is at home", "She is not at home"),
        ("The red car is fast", "The blue car is fast"),  # other subjects
        ("Ann is not sad", "Ann is happy"),  # a negation and an antonym
        ("Ann is at home", "Ann is not in the office with her old friends"),  # too little in common
        ("The car is red", "The car is blue and very cheap"),
        ("The dog is licking the baby", "The baby is licking the dog"),
        ("Ann owns 3 cats", "Ann owns cats"),
        ("Ann has a car", "Ann has a car"),
        ("A dog runs", "A poodle runs"),
    ],
)
def test_statements_about_different_things_are_no_tension(a, b):
    assert contradiction(a, b, 0.9).kind is None


def test_statements_that_are_far_apart_are_no_tension():
    assert contradiction("A man is at home", "A man is not at home", 0.5).score == 0.0
    assert contradiction("Ann is at home", "Ann is not at home", 0.5).found  # the same subject in the same words
    assert contradiction("Ann is at home", "Ann is not at home", 0.3).score == 0.0


def test_exclusive_values_of_an_unknown_subject_need_a_caller_who_knows_it():
    a, b = "A man is wearing a red hat", "A man is wearing a blue hat"
    assert contradiction(a, b, 0.9).kind is None
    assert contradiction(a, b, 0.9).score > 0
    assert contradiction(a, b, 0.9, same_subject=True).found
    assert contradiction("5 men wear 2 hats", "5 men wear 3 hats", 0.9).kind is None


def test_the_classifier_is_a_signal_only_where_the_caller_vouches_for_the_subject():
    a, b = "The kitten purrs", "The kitten hisses"
    sure = {"vectors": VECTORS, "classifier": sure_of(1)}
    assert contradiction(a, b, 0.9, **sure).signals == ()
    assert contradiction(a, b, 0.9, same_subject=True, **sure).signals == ("classifier",)
    assert contradiction(a, b, 0.9, same_subject=True, **sure).found
    assert not contradiction(a, b, 0.9, same_subject=True, vectors=VECTORS, classifier=sure_of(2)).found
    assert not contradiction(a, b, 0.35, same_subject=True, **sure).found
    assert not contradiction("Here Ann Lee naps", "Here Bob Hart plays", 0.9, same_subject=True, **sure).found


def test_the_classifier_moves_the_score_of_a_signal_and_makes_none():
    a, b = "Ann is at home", "Ann is not at home"
    assert contradiction(a, b, 0.9, vectors=VECTORS, classifier=sure_of(1)).score == pytest.approx(0.95)
    assert contradiction(a, b, 0.9, vectors=VECTORS, classifier=sure_of(2)).kind is None
    assert contradiction(a, a, 1.0, vectors=VECTORS, classifier=sure_of(1)).score == 0.0


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Lena speaks Greek", "Lena speaks Hindi"),
        ("The firm sells tea", "The firm sells coffee"),
        ("The tool supports Linux", "The tool supports Windows"),
        ("The pool is open on Monday", "The pool is open on Sunday"),
        ("The lamp in the east wing is on", "The lamp in the west wing is off"),
        ("The meadow flooded in 2021", "The meadow flooded in 2023"),  # may happen again
        ("Tomas walks to school", "Tomas never walks to town"),  # each says what the other does not
        ("Ada is older than Ben", "Ben is younger than Ada"),  # the same, turned round
        ("Ada only eats soup", "Ada only drinks milk"),
        ("Ada met Ben in Turin", "Ada met Ben in Genoa"),
        ("Ada is a member of the council", "Ben is a member of the council"),
        ("The red barn has a green door", "The blue barn has a white door"),
    ],
)
def test_values_contradict_only_where_there_is_room_for_one(first, second):
    assert not contradiction(first, second, 0.9, same_subject=True).found


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The wedding is on Friday", "The wedding is on Sunday"),
        ("Lena was born in Berlin", "Lena was born in Vienna"),
        ("The capital of the isles is Morvan", "The capital of the isles is Tessel"),
        ("The course is compulsory", "The course is voluntary"),
        ("The union sanctioned the strike", "The union did not sanction the strike"),
        ("Lena is a vegan", "Lena has cheese for breakfast"),
        ("Omar is a teetotaller", "Omar drinks beer every evening"),
        ("Ada is the captain of the crew", "Ben is the captain of the crew"),
        ("Mrs Ode chairs the council", "Mr Lind chairs the council"),
        ("Omar is married to Lena", "Omar is married to Ines"),
        ("The quilt project is led by Lena", "The quilt project is led by Omar"),
        ("Omar reports to Lena", "Omar reports to Ines"),
        ("The hall is made of oak", "The hall is made of marble"),
        ("The kiosk opens at 6 am", "The kiosk opens at 8 am"),
        ("The fair takes place on 14 June", "The fair takes place on 21 June"),
        ("The banner is green and white", "The banner is black and yellow"),
        ("Lena swims every winter", "Lena has never swum"),
        ("Lena is older than Omar", "Lena is younger than Omar"),
        ("Lena works at the mill only", "Lena works at the harbour only"),
        ("All bills are paid within 14 days", "Bills are paid within 30 days"),
        ("The lift works", "The lift is broken"),
    ],
)
def test_opposites_and_single_values_contradict(first, second):
    assert contradiction(first, second, 0.8, same_subject=True).found


def test_nobody_contradicts_a_habit_by_denying_it():
    assert not contradiction("Lena is a vegan", "Lena never eats cheese", 0.8, same_subject=True).found
