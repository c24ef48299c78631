from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clause.reasoning.question.forms import ParsedQuestion, parse
from clause.reasoning.question.sides import asked_kin
from clause.reasoning.question.skeleton import EntityCandidate, LinkedMention
from clause.text.literals import read_literal

HERE = Path(__file__).parent


def cases(name: str) -> list[dict]:
    return [json.loads(line) for line in (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def linked(question: str, names: list[str]) -> list[LinkedMention]:
    """Every place where the question says one of the names, in any case, as a linker would offer them."""
    return [
        LinkedMention(*hit.span(), (EntityCandidate(name, name),))
        for name in dict.fromkeys(names)
        for hit in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", question, re.IGNORECASE)
    ]


def said(parsed: ParsedQuestion, places) -> list[str]:
    return sorted(parsed.text[parsed.mentions[p].start : parsed.mentions[p].end] for p in places)


def differences(case: dict) -> list[str]:
    parsed = parse(case["q"], linked(case["q"], case["names"]))
    got: dict[str, object] = {"form": parsed.form, "topics": said(parsed, parsed.topics)}
    excluded = parsed.excluded or (parsed.topics if parsed.itself else ())
    got["excluded"] = said(parsed, excluded)
    got["negated"] = said(parsed, [p for clause in parsed.negated for p in clause.names])
    got["class"] = parsed.class_words.noun if parsed.class_words else None
    got["operator"] = parsed.comparison.operator if parsed.comparison else None
    got["verdict"] = parsed.comparison.verdict if parsed.comparison else False
    got["direction"] = parsed.superlative.direction if parsed.superlative else None
    got["by"] = parsed.superlative.by if parsed.superlative else None
    got["implied"] = parsed.implied.name if parsed.implied else None
    got["filters"] = [[f.operator, str(f.value), *([str(f.second)] if f.second else [])] for f in parsed.filters]
    wrong = []
    always = {"form": None, "topics": [], "excluded": [], "negated": [], "filters": [], "verdict": False}
    for key in ("form", "topics", "excluded", "negated", "class", "operator", "verdict", "direction", "by", "implied"):
        if key not in case and key not in always:
            continue
        wanted = case.get(key, always.get(key))
        wanted = sorted(wanted) if isinstance(wanted, list) else wanted
        if got[key] != wanted:
            wrong.append(f"{key}: {got[key]!r} instead of {wanted!r}")
    wanted = [expected_filter(text) for text in case.get("filters", [])]
    if got["filters"] != wanted:
        wrong.append(f"filters: {got['filters']!r} instead of {wanted!r}")
    core = " | ".join(q for clause in parsed.clauses for q in clause.questions)
    wrong += [f"core {core!r} lacks {word!r}" for word in case.get("core_has", []) if word not in core]
    return wrong


def expected_filter(text: str) -> list[str]:
    operator, rest = text.split(" ", 1)
    operator = {"at": "at_least"}.get(operator, operator)
    values = rest.split() if operator == "between" else [rest]
    numbers = [re.sub(r" pages?$", "", value) for value in values]
    return [operator, *(str(read_literal(number)) for number in numbers)]


@pytest.mark.parametrize("case", [*cases("forms_seen"), *cases("forms_kept")], ids=lambda case: case["q"])
def test_form_and_parts(case):
    assert differences(case) == []


@example("who \ue800 made \ue001 in \uefff", [(0, 3)])
@example("before \ue800", [])
@given(st.text(max_size=80), st.lists(st.tuples(st.integers(0, 80), st.integers(1, 12)), max_size=4))
def test_any_text_with_any_mentions_is_read(text, places):
    mentions = [LinkedMention(s, min(s + n, len(text)), ()) for s, n in places if s < len(text)]
    parsed = parse(text, mentions)
    assert all(0 <= topic < len(parsed.mentions) for topic in parsed.topics)
    assert {clause.topic for clause in parsed.clauses} <= set(parsed.topics)


@given(st.sampled_from([case for case in cases("forms_seen") if len(case["names"]) == 1]))
def test_a_name_says_nothing_of_the_form(case):
    """Whatever the topic is called, the form stays: here it is called by words that make forms."""
    name = case["names"][0]
    odd = "Who Is Older Than Most"
    if case["q"].count(name) != 1 or odd in case["q"]:
        return
    there = case["q"].index(name)
    other = case["q"].replace(name, odd)
    plain = parse(case["q"], [LinkedMention(there, there + len(name), (EntityCandidate("1", name),))])
    renamed = parse(other, [LinkedMention(there, there + len(odd), (EntityCandidate("1", odd),))])
    assert (renamed.form, renamed.clauses, renamed.filters) == (plain.form, plain.clauses, plain.filters)


def test_brackets_give_no_advantage():
    plain = parse("who directed Kes", linked("who directed Kes", ["Kes"]))
    bracketed = parse("who directed [Kes]", linked("who directed [Kes]", ["Kes"]))
    assert plain.clauses == bracketed.clauses


def test_the_core_masks_its_own_topic_and_the_words_around_the_other():
    question = "films by ken loach starring ray winstone"
    parsed = parse(question, linked(question, ["ken loach", "ray winstone"]))
    assert [clause.questions for clause in parsed.clauses] == [("films by it",), ("films starring it",)]


def test_no_name_no_topics():
    parsed = parse("what is the meaning of life", [])
    assert (parsed.topics, parsed.clauses, parsed.form) == ((), (), "list")


@pytest.mark.parametrize(
    ("question", "names", "choices", "topics"),
    [
        ("Leo is male or female?", ["Leo", "male", "female"], ("male", "female"), ["Leo"]),
        ("the partner of Leo is male or female ?", ["Leo", "male", "female"], ("male", "female"), ["Leo"]),
        ("Is Leo a man or a woman", ["Leo"], ("man", "woman", "male", "female"), ["Leo"]),
        ("Is Kes by Ann or Bob?", ["Kes", "Ann", "Bob"], ("Ann", "Bob"), ["Kes"]),
        ("films by Ann or Bob", ["Ann", "Bob"], (), ["Ann", "Bob"]),
    ],
)
def test_one_of_two_is_asked_for_by_names_too(question, names, choices, topics):
    parsed = parse(question, linked(question, names))
    assert (parsed.choices, said(parsed, parsed.topics)) == (choices, topics)


def test_who_is_older_of_two_is_a_comparison_and_no_choice():
    parsed = parse("Is Ann or Bob older?", linked("Is Ann or Bob older?", ["Ann", "Bob"]))
    assert (parsed.form, parsed.choices) == ("comparison", ())


@pytest.mark.parametrize(
    ("question", "names", "core"),
    [
        ("who owns the MV Galatea?", ["MV Galatea"], "who owns it"),
        ("How many jobs has our lovely Ann Lee done?", ["Ann Lee"], "which jobs has it done"),
        ("who are jonas wyss' pupils", ["jonas wyss"], "who are it 's pupils"),
        ("oldest of Kestrel Lines' ships", ["Kestrel Lines"], "it 's ships"),
        ("By whom was Ms Ann Lee taught?", ["Ann Lee"], "by whom was it taught"),
        ("Lee family: what did we get from them", ["Lee family"], "what did we get from it"),
        ("who is Ann Lee directing, i mean which shows", ["Ann Lee"], "which shows is it directing"),
        ("where was Petrel built, i mean at what yard", ["Petrel"], "at which yard was it built"),
        ("what year did the Petrel first hit the water", ["Petrel"], "what year did it hit the water"),
        ("Petrel top mast height", ["Petrel"], "top mast height of it"),
        ("Petrel programming language", ["Petrel"], "programming language of it"),
        ("ann lee maiden name", ["ann lee"], "maiden name of it"),
        ("where did uncle Ann Lee live", ["Ann Lee"], "where did it live"),
        ("did Ann Lee build Petrel or was it someone else?", ["Ann Lee", "Petrel"], "did it build something"),
    ],
)
def test_what_stands_around_a_name_leaves_a_plain_question(question, names, core):
    assert parse(question, linked(question, names)).clauses[0].questions[-1] == core


@pytest.mark.parametrize("question", ["who runs the ships of Ann", "what boats does Ann sail", "Ann sails boats"])
def test_a_sentence_is_no_list_of_keywords(question):
    core = parse(question, linked(question, ["Ann"])).clauses[0].questions[-1]
    assert core == question.replace("Ann", "it")


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Was Kes directed by the same person as Up?", ("who is it directed by",)),
        ("Are Kes and Up built by the same yard?", ("which yard is it built by",)),
        ("Do Kes and Up work for the same company?", ("which company does it work for",)),
        ("Which of Kes and Up bore the heavier levy?", ("levy of it",)),
        (
            "Which is the higher building, Kes or Up?",
            ("height of the building of it", "elevation of the building of it"),
        ),
    ],
)
def test_a_comparison_asks_by_the_words_beside_it(question, asked):
    compared = parse(question, linked(question, ["Kes", "Up"])).comparison
    assert compared is not None
    assert compared.questions[: len(asked)] == asked


@pytest.mark.parametrize(
    ("question", "direction", "asked"),
    [
        ("the most short treatment", "min", "length of it"),
        ("most recently made object", "max", "when was it made"),
        ("lift w/ highest throughput", "max", "throughput of it"),
        ("the littlest animal you have", "min", "how little is it"),
    ],
)
def test_a_superlative_measures_what_its_words_say(question, direction, asked):
    best = parse(question, []).superlative
    assert best is not None
    assert (best.direction, best.questions[0]) == (direction, asked)


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("which plot has the longest hedge", ("hedge of it",)),
        ("who has the oldest tree", ("tree of it",)),
        ("which plot has the largest area", ()),
        ("which lab charges the lowest rate", ()),
        ("which is the longest plot", ()),
    ],
)
def test_what_a_superlative_measures_may_be_part_of_what_is_asked_for(question, part):
    assert parse(question, []).superlative.part == part


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("how many dogs can stay in Kennel 2", "list"),
        ("how many players are allowed in Kennel 2", "list"),
        ("how many dogs can Kennel 2 take", "list"),
        ("how many dogs stay in Kennel 2", "count"),
        ("how many books can be bought by Kennel 2", "count"),
    ],
)
def test_how_many_there_is_room_for_is_stored_and_not_counted(question, kind):
    assert parse(question, linked(question, ["Kennel 2"])).kind == kind


def test_a_headcount_counts_members():
    parsed = parse("headcount team wren", linked("headcount team wren", ["team wren"]))
    assert parsed.form == "count"
    assert "members of it" in " ".join(parsed.clauses[0].questions)


def test_what_belongs_to_a_denied_name_is_denied_with_it():
    question = "what planes are not in Annika's care"
    (denied,) = parse(question, linked(question, ["Annika"])).negated
    assert denied.clause == "in care of"


@pytest.mark.parametrize(
    ("question", "kin"),
    [("who fathered Ann", "father"), ("Who gave birth to Ann?", "mother"), ("whom did Ann father?", "child")],
)
def test_verbs_of_birth_ask_for_relatives(question, kin):
    clause = parse(question, linked(question, ["Ann"])).clauses[0]
    assert kin in {asked for said in clause.questions for asked in asked_kin(said)}


def test_which_of_the_two_counts_nothing():
    question = "Which of the two opened earlier, Petrel or Kes?"
    parsed = parse(question, linked(question, ["Petrel", "Kes"]))
    assert (parsed.form, parsed.filters) == ("comparison", ())


def test_the_least_to_somebody_counts_no_to():
    best = parse("which house paid the least to the crown", []).superlative
    assert best is not None
    assert best.counted == ""


@pytest.mark.parametrize(
    ("question", "noun"),
    [
        ("what is the lightest bike", "bike"),
        ("what's the longest cave we have?", "cave"),
        ("Who is the oldest member", "member"),
        ("what was planted last", None),
        ("what is the longest of them all", None),
        ("what is the tallest", None),
    ],
)
def test_what_a_superlative_stands_before_is_what_is_asked_for(question, noun):
    words = parse(question, []).class_words
    assert (words.noun if words else None) == noun


@pytest.mark.parametrize(
    ("question", "names", "kind", "core"),
    [
        ("Is there a walk past both Grey Tower and Mill Dock? Which one?", ["Grey Tower", "Mill Dock"], "list", None),
        ("is there any cheese from Ayr? whats it called", ["Ayr"], "list", "which cheese from it"),
        ("is there any cheese from Ayr?", ["Ayr"], "yes_no", "is there any cheese from it"),
        ("Grey Tower, does that belong to Ann?", ["Grey Tower", "Ann"], "yes_no", "does it belong to something"),
        ("the Grey Tower, which town is that in?", ["Grey Tower"], "list", "which town is it in"),
        ("which boats do both Ann and Ben sail?", ["Ann", "Ben"], "list", "which boats do it sail"),
    ],
)
def test_what_is_asked_again_or_set_apart_leaves_a_plain_question(question, names, kind, core):
    parsed = parse(question, linked(question, names))
    assert parsed.kind == kind
    assert core is None or parsed.clauses[0].questions[-1] == core


@pytest.mark.parametrize(
    ("question", "operator"),
    [
        ("guides who joined after the start of 2020", "since"),
        ("guides who joined before the end of 2020", "until"),
        ("guides who joined after 2020", "after"),
    ],
)
def test_an_end_of_a_year_counts_with_it(question, operator):
    assert [one.operator for one in parse(question, []).filters] == [operator]


@pytest.mark.parametrize(
    ("question", "names", "clause"),
    [
        ("whos Moth Parade's manager, i need to email them", ["Moth Parade"], "who is it 's manager"),
        ("who's bought Fjord Merino", ["Fjord Merino"], "who has bought it"),
        ("Sleepy Engines are filling in for who?", ["Sleepy Engines"], "who are it filling in for"),
        ("how many people can get into Gasworks Field", ["Gasworks Field"], "capacity of it"),
        ("whose dog is Rumple", ["Rumple"], "who owns it"),
    ],
)
def test_the_clause_about_a_topic(question: str, names: list[str], clause: str) -> None:
    assert clause in parse(question, linked(question, names)).clauses[0].questions


@pytest.mark.parametrize(
    "question",
    [
        "was the Fell Tower built before or after the Gull Rock?",
        "is Ida Marsh older or younger than Tom Hale?",
        "is Kes longer or shorter than Up?",
    ],
)
def test_one_of_two_comparatives_asks_for_the_winner(question: str) -> None:
    names = ["Fell Tower", "Gull Rock", "Ida Marsh", "Tom Hale", "Kes", "Up"]
    compared = parse(question, linked(question, names)).comparison
    assert compared is not None
    assert (compared.verdict, len(compared.operands)) == (False, 2)


@pytest.mark.parametrize("question", ["which clock is the newer one?", "which clock is newer?", "who is the older?"])
def test_the_comparative_of_two_that_are_not_named_is_the_best_of_all(question: str) -> None:
    parsed = parse(question, [])
    assert (parsed.kind, parsed.superlative is not None) == ("superlative", True)


def test_an_end_that_a_type_says_is_no_best_of_all() -> None:
    question = "on what wall did Callum do his first ascents"
    assert parse(question, linked(question, ["Callum"])).superlative is not None
    assert parse(question, linked(question, ["Callum"]), frozenset(("first ascent",))).superlative is None


@pytest.mark.parametrize(
    ("question", "kind", "operator", "value"),
    [
        ("dishes that take half an hour or less", "list", "at_most", "1800 s"),
        ("which incidents dragged on past an hour", "list", "more", "3600 s"),
        ("rooms over 20 square metres", "list", "more", "20 m2"),
        ("which cafes opened in the eighties or nineties", "list", "between", "1980-1989"),
    ],
)
def test_more_values_and_what_bounds_them(question: str, kind: str, operator: str, value: str) -> None:
    parsed = parse(question, [])
    (literal,) = parsed.filters
    assert (parsed.kind, literal.operator, str(literal.value)) == (kind, operator, value)


def test_no_of_counts() -> None:
    question = "no. of courses taught by Nakamura"
    assert parse(question, linked(question, ["Nakamura"])).kind == "count"


@pytest.mark.parametrize(
    ("question", "filters"),
    [
        ("films released before 1999 or after 2003", ["not between 1999 and 2003"]),
        ("films released after 2003 or before 1999", ["not between 1999 and 2003"]),
        ("books with more than 100 and less than 200 pages", ["more 100", "less 200"]),
        ("films released after 1990 and before 2003", ["after 1990", "before 2003"]),
        ("films released after 1990 but before 2003", ["after 1990", "before 2003"]),
        ("films released on or before 5 May 1999", ["until 1999-05-05"]),
        ("films made in or after 1999", ["since 1999"]),
        ("films released from 1999 onwards", ["since 1999"]),
        ("films released by 1999", ["until 1999"]),
        ("films released in 1990 or 2004", ["either 1990 or 2004"]),
        ("films released in 1969, 1995 or 2005", ["either 1969, 1995 or 2005"]),
        ("bells cast in 1702, in 1788, or in 1811", ["either 1702, 1788 or 1811"]),
        ("bells not tuned in 1702, 1788 or 1811", ["not either 1702, 1788 or 1811"]),
        ("walks of 4, 9 or 12 km", ["either 4000 m, 9000 m or 12000 m"]),
        ("huts with 6, 8 or 14 bunks", ["either 6, 8 or 14"]),
        ("treatments that took 60 to 130 hours", ["between 216000 s and 468000 s"]),
        ("films not released in 1999", ["not in 1999"]),
        ("films that weren't released before 1999", ["not before 1999"]),
        ("films not made between 1990 and 2000", ["not between 1990 and 2000"]),
        ("people who do not have a salary above 50000", ["not more 50000"]),
        ("people with no salary above 50000", ["not more 50000"]),
        ("people born neither in 1985 nor in 1999", ["not in 1985", "not in 1999"]),
        ("samples kept below minus 20 °C", ["less -20 C"]),
        ("rooms heated by 3 radiators", []),
        ("was it not released in 1999?", ["in 1999"]),
    ],
)
def test_two_bounds_and_what_is_denied(question: str, filters: list[str]) -> None:
    assert [str(one) for one in parse(question, []).filters] == filters


def test_two_bounds_that_stand_together_are_of_one_attribute() -> None:
    assert [one.words for one in parse("books with more than 100 and less than 200 pages", []).filters] == ["pages"] * 2
    assert [one.words for one in parse("films released after 1990 but before 2003", []).filters] == ["released"] * 2


@pytest.mark.parametrize(
    "question", ["who works on neither Apollo nor Gemini", "who worked neither in Apollo nor Gemini"]
)
def test_neither_of_two_denies_both(question: str) -> None:
    parsed = parse(question, linked(question, ["Apollo", "Gemini"]))
    assert [said(parsed, one.names) for one in parsed.negated] == [["Apollo", "Gemini"]]


@pytest.mark.parametrize(
    ("question", "filters"),
    [
        ("rooms with capacity >= 35", ["at least 35"]),
        ("barns with a floor area > 240", ["more 240"]),
        ("barns with depth<=9", ["at most 9"]),
        ("barns with depth \u2265 9", ["at least 9"]),
        ("rooms with a maximum of 35 seats", ["at most 35"]),
        ("rooms with a minimum capacity of 35", ["at least 35"]),
        ("people under the age of 18", ["less 18"]),
        ("wells below a depth of 60", ["less 60"]),
        ("rooms with more than a total of 20 chairs", ["more 20"]),
        ("people between the ages of 18 and 25", ["between 18 and 25"]),
        ("tents that cost 50 euros at most", ["at most 50 EUR"]),
        ("tents that cost 70 euros max", ["at most 70 EUR"]),
        ("tents with 4 beds at the least", ["at least 4"]),
        ("which vans hold at the most 20", ["at most 20"]),
        ("kilns fired in 1990 at the latest", ["until 1990"]),
        ("kilns fired at the earliest in 1874", ["since 1874"]),
        ("kilns fired after about 1990", ["after 1990"]),
        ("logs with more than about 900 rings", ["more 900"]),
        ("kilns fired before or in 1990", ["until 1990"]),
        ("kilns fired up to and including 1990", ["until 1990"]),
        ("logs with greater than or equal to 35 rings", ["at least 35"]),
    ],
)
def test_a_bound_is_heard_however_it_is_said(question: str, filters: list[str]) -> None:
    assert [str(one) for one in parse(question, []).filters] == filters


@pytest.mark.parametrize("name", ["Sales > 5", "Max 50", "Under 18s", "C++", "A Minimum of 3"])
def test_the_signs_of_a_name_bound_nothing(name: str) -> None:
    question = f"who works on {name}"
    parsed = parse(question, linked(question, [name]))
    assert (parsed.filters, parsed.clauses[0].questions[-1]) == ((), "who works on it")


@pytest.mark.parametrize(
    ("question", "filters", "words"),
    [
        ("people younger than 18 or older than 65", ["not between 18 and 65"], ["age"]),
        ("pipes shorter than 5 m or longer than 20 m", ["not between 5 m and 20 m"], ["shorter"]),
        ("who is over 65 or under 18", ["not between 18 and 65"], [""]),
        ("older than 65 or cheaper than 20", ["more 65", "less 20"], ["age", "cheaper"]),
        ("phones over $1500-2000", ["between 1500 USD and 2000 USD"], [""]),
        ("which of the 20 rooms has a sink", [], []),
        ("which 3 players scored more than 20 goals", ["more 20"], ["scored goals"]),
        ("which of the 1990s films has a sequel", ["in 1990-1999"], ["films"]),
    ],
)
def test_bounds_that_stand_apart_are_one_and_a_count_is_none(question, filters, words):
    parsed = parse(question, [])
    assert ([str(one) for one in parsed.filters], [one.words for one in parsed.filters]) == (filters, words)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("top 3 towns by population", "population of it"),
        ("the 4 largest lakes by depth", "depth of it"),
        ("bottom 2 clubs by points", "points of it"),
        ("the top 3 films", "rating of it"),
        ("the five most populous towns", "population of it"),
        ("which 3 mills have the highest rent", "rent of it"),
        ("which of the 5 mills is the oldest", "when was it born"),
    ],
)
def test_what_ranks_is_read_where_it_is_said(question, asked):
    parsed = parse(question, [])
    assert (parsed.form, parsed.superlative.questions[0], parsed.filters) == ("superlative", asked, ())


def test_a_bound_that_the_graph_calls_so_is_a_value():
    question, words = "halls with a maximum capacity of 35", frozenset({"maximum", "capacity", "maximum capacity"})
    assert [[str(one) for one in parse(question, [], known).filters] for known in (words, frozenset())] == [
        ["in 35"],
        ["at most 35"],
    ]
