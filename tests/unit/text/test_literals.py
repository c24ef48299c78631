from __future__ import annotations

import itertools
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from neo4j.time import Duration, Time

from clause.graph.driver import literal_texts
from clause.text.literals import String, find_literals, holds, order, read_literal
from clause.text.quantities import Date, Number, day_of, month_of, read_date, years_of

days = st.dates(min_value=date(1000, 1, 1), max_value=date(2199, 12, 31))
MONTHS = "January February March April May June July August September October November December".split()  # noqa: SIM905


@given(days)
def test_a_day_is_read_however_it_is_written(day):
    month = MONTHS[day.month - 1]
    wanted = day_of(day.year, day.month, day.day)
    for text in (
        day.isoformat(),
        f"{day.isoformat()}T12:30:00Z",
        f"{day.day} {month} {day.year}",
        f"{month} {day.day}, {day.year}",
        f"{day.day} {month[:3]} {day.year}",
        f"{day.day}.{day.month}.{day.year}",
    ):
        assert read_date(text) == wanted, text
    assert read_date(f"{month} {day.year}") == month_of(day.year, day.month)


@given(days, days)
def test_order_of_dates_is_that_of_the_calendar(one, two):
    placed = order(read_literal(one.isoformat()), read_literal(two.isoformat()))
    assert placed == (one > two) - (one < two)


VALUES = st.one_of(
    days.map(lambda d: read_literal(d.isoformat())),
    st.integers(1000, 2199).map(lambda y: read_literal(str(y))),
    st.decimals(-1000, 1000, allow_nan=False, places=2).map(Number),
    st.text(max_size=5).map(String),
)


@given(VALUES, VALUES)
def test_order_is_antisymmetric_and_before_is_after_turned_round(one, two):
    there, back = order(one, two), order(two, one)
    assert (there is None) == (back is None)
    assert there is None or there == -(back or 0)
    assert holds("before", one, two) == holds("after", two, one)


@given(VALUES)
def test_a_value_is_the_same_as_itself(value):
    assert order(value, value) == 0
    assert holds("at_least", value, value) is not False


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("the 80s", years_of(1980, 1989)),
        ("fifties", years_of(1950, 1959)),
        ("19th century", years_of(1801, 1900)),
        ("44 BC", years_of(-43)),
        ("c. 1890", years_of(1890, bare=True)),
        ("around May 1968", month_of(1968, 5)),
        ("14 August 1928", day_of(1928, 8, 14)),
        ("1914\u201318", years_of(1914, 1918)),
        ("2010-12", month_of(2010, 12)),
        ("13/03/2001", day_of(2001, 3, 13)),
    ],
)
def test_dates(text, wanted):
    assert read_literal(text) == wanted


@pytest.mark.parametrize(
    "text",
    ["12 Angry Men", "2001: A Space Odyssey", "May", "Route 66", "v1.2.3", "31 June 2001", "12 out of 20", "4/5", "Rs"],
)
def test_what_only_looks_like_a_date_or_a_number_is_a_string(text):
    assert isinstance(read_literal(text), String)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1,200,000", "1200000"),
        ("1.200.000,5", "1200000.5"),
        ("1 200 000", "1200000"),
        ("3.4 bn", "3400000000"),
        ("$20", "20 USD"),
        ("half a million", "500000"),
        ("three hundred and five", "305"),
        ("97 minutes", "5820 s"),
        ("18:00", "64800 time of day"),
        ("6 pm", "64800 time of day"),
        ("1e6", "1000000"),
        ("300 pages", "300 page"),
        ("USD 2,400,000", "2400000 USD"),
        ("CHF 250", "250 CHF"),
        ("A$ 40", "40 AUD"),
        ("Rs. 400", "400 INR"),
        ("450 z\u0142", "450 PLN"),
        ("\u00a34m", "4000000 GBP"),
        ("\u20ac12.50/day", "12.5 EUR"),
        ("\u00a345 per night", "45 GBP"),
        ("~40 km", "40000 m"),
        ("approx. 1,200", "1200"),
        ("2 years and 3 months", "27 month"),
        ("2 h 30 min", "9000 s"),
        ("6 ft 2 in", "1.8796 m"),
        ("<5 kg", "5000 g"),
        ("500+", "500"),
    ],
)
def test_numbers(text, wanted):
    assert str(read_literal(text)) == wanted


def test_units_are_converted_and_never_mixed():
    assert holds("more", read_literal("2 km"), read_literal("1500 m")) is True
    assert holds("more", read_literal("2 km"), read_literal("1 kg")) is None
    assert holds("less", read_literal("97 minutes"), read_literal("2 hours")) is True


def test_pounds_are_money_beside_money_and_kilos_never_are():
    rent = read_literal("\u00a345 a day")
    assert holds("less", rent, read_literal("50 pounds")) is True
    assert holds("more", rent, read_literal("49.50 pounds")) is False
    assert holds("less", rent, read_literal("50 kg")) is None
    assert holds("less", read_literal("20 kg"), read_literal("50 pounds")) is True


def test_bare_digits_are_a_year_beside_dates_and_a_number_beside_numbers():
    year = read_literal("1980")
    assert isinstance(year, Date)
    assert holds("in", read_literal("1980-05-01"), year) is True
    assert holds("more", year, read_literal("1,500")) is True


def test_dates_that_overlap_do_not_tell():
    assert holds("before", read_literal("1980"), read_literal("May 1980")) is None
    assert holds("in", read_literal("1980"), read_literal("May 1980")) is None
    assert holds("since", read_literal("1980"), read_literal("May 1980")) is None
    assert holds("between", read_literal("1975"), read_literal("1970"), read_literal("1980")) is True


def test_strings_of_two_languages_are_not_the_same():
    assert holds("same", read_literal('"chat"@fr'), read_literal('"chat"@en')) is False
    assert holds("same", read_literal('"Été"@fr'), read_literal("ete")) is True


@given(st.text(max_size=60))
def test_literals_found_lie_in_the_text_and_do_not_overlap(text):
    found = find_literals(text)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(one.end <= two.start for one, two in itertools.pairwise(found))


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("0,125 kg", "125 g"),
        ("0,500 l", "0.5 l"),
        ("1 234 567,89 €", "1234567.89 EUR"),
        ("1.234,56 €", "1234.56 EUR"),
        ("1,234 kg", "1234000 g"),
        ("-25000", "-25000"),
    ],
)
def test_amounts_are_read_as_other_countries_write_them(text: str, read: str) -> None:
    found = read_literal(text)
    assert isinstance(found, Number)
    assert str(found) == read


def test_a_loss_is_less_than_nothing_and_no_year() -> None:
    assert [holds("less", read_literal(text), read_literal("0")) for text in ("-800", "-1500", "-25000")] == [True] * 3
    assert isinstance(read_literal("-0044-03-15"), Date)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("cameras over $1500", ["1500 USD"]),
        ("paid EUR 1999 in 1999", ["1999 EUR", "1999"]),
        ("between €1200 and €1800", ["1200 EUR", "1800 EUR"]),
        ("in 1999 or 12 May 2001", ["1999", "2001-05-12"]),
    ],
)
def test_digits_behind_a_sign_of_money_are_no_year(text: str, found: list[str]) -> None:
    assert [str(one.value) for one in find_literals(text)] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("rides under 2 hours 20 minutes", ["8400 s"]),
        ("planks over 6 feet 3 inches and 2 kg", ["1.905 m", "2000 g"]),
        ("walks over an hour and a half", ["5400 s"]),
        ("leases of 1 year and 6 months or more", ["18 month"]),
        ("between 1 hour and 40 minutes", ["3600 s", "2400 s"]),
        ("between 1 hour 10 minutes and 2 hours 5 minutes", ["4200 s", "7500 s"]),
        ("5 km, 7 km", ["5000 m", "7000 m"]),
    ],
)
def test_parts_of_one_amount_are_added(text: str, found: list[str]) -> None:
    assert [str(one.value) for one in find_literals(text)] == found


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (Duration(hours=2, minutes=30), "9000 s"),
        (Duration(days=5), "432000 s"),
        (Duration(weeks=2, seconds=1.5), "1209601.5 s"),
        (Duration(months=14), "14 month"),
        (Duration(months=1, days=3), "2888946 s"),
        (Duration(minutes=-5), "-300 s"),
        (Duration(), "0 s"),
        (Time(10, 30), "37800 time of day"),
        (Time(22, 5, 1, 250_000_000), "79501.25 time of day"),
    ],
)
def test_what_a_graph_of_somebodys_own_tells_of_time_is_read_again(value: object, wanted: str) -> None:
    (text,) = literal_texts(value)
    assert str(read_literal(text)) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('"PT2H"^^<http://www.w3.org/2001/XMLSchema#duration>', "7200 s"),
        ('"-P1Y"^^<http://www.w3.org/2001/XMLSchema#yearMonthDuration>', "-12 month"),
        ('"10:30:00Z"^^<http://www.w3.org/2001/XMLSchema#time>', "37800 time of day"),
        ('"2020-01-01+02:00"^^<http://www.w3.org/2001/XMLSchema#date>', "2020-01-01"),
        ("2020-01-01-05:00", "2020-01-01"),
        ("1h 30m", "5400 s"),
        ("3h 5m 20s", "11120 s"),
        ("2m 5s", "125 s"),
        ("500 B.C.", "-0499"),
        ("c. 44 B.C.E.", "-0043"),
        ("980 A.D.", "0980"),
        ("1.500 \u20ac", "1500 EUR"),
        ("\u20ac 1.000", "1000 EUR"),
        ("CHF 12.500", "12500 CHF"),
        ("\u20ac1.759 per litre", "1.759 EUR"),
        ("0.500 \u20ac", "0.5 EUR"),
        ("$1.250m", "1250000 USD"),
        ("$1.250 million", "1250000 USD"),
        ("1.500 kg", "1500 g"),
        ("12.50 \u20ac", "12.5 EUR"),
        ("30m", "30 m"),
    ],
)
def test_values_as_programs_and_other_countries_write_them(text: str, wanted: str) -> None:
    assert str(read_literal(text)) == wanted


def test_hours_and_minutes_of_a_question_are_one_amount() -> None:
    found = find_literals("longer than 1h 30m, at 10:30, before 500 B.C., 3 m high, under 1.500 \u20ac")
    assert [str(one.value) for one in found] == ["5400 s", "37800 time of day", "-0499", "3 m", "1500 EUR"]
    assert holds("more", read_literal("PT2H"), found[0].value) is True
    assert holds("less", read_literal("170"), read_literal("PT2H30M")) is None


@pytest.mark.parametrize("text", ["P31", "PT", "P", "Pt5M", "1h of 30m", "10:30-11:00"])
def test_what_only_looks_like_a_stretch_of_time_is_a_string(text: str) -> None:
    assert read_literal(text) == String(text)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("Q1 2021", (2021, 1, 1), (2021, 3, 31)),
        ("2020 Q4", (2020, 10, 1), (2020, 12, 31)),
        ("the second quarter of 2020", (2020, 4, 1), (2020, 6, 30)),
        ("H2 2019", (2019, 7, 1), (2019, 12, 31)),
        ("the first half of the year 2018", (2018, 1, 1), (2018, 6, 30)),
        ("early 2019", (2019, 1, 1), (2019, 4, 30)),
        ("mid-2019", (2019, 5, 1), (2019, 8, 31)),
        ("late in 2019", (2019, 9, 1), (2019, 12, 31)),
        ("the early 1990s", (1990, 1, 1), (1993, 12, 31)),
        ("the mid-90s", (1994, 1, 1), (1996, 12, 31)),
        ("the late 1990s", (1997, 1, 1), (1999, 12, 31)),
        ("the second half of the 1960s", (1965, 1, 1), (1969, 12, 31)),
        ("the late 19th century", (1868, 1, 1), (1900, 12, 31)),
        ("the 2000s", (2000, 1, 1), (2009, 12, 31)),
        ("the 1900s", (1900, 1, 1), (1999, 12, 31)),
        ("late May 2020", (2020, 5, 22), (2020, 5, 31)),
        ("3-5 May 2021", (2021, 5, 3), (2021, 5, 5)),
        ("November\u2013February 2021", (2020, 11, 1), (2021, 2, 28)),
        ("March 1 to 15, 2020", (2020, 3, 1), (2020, 3, 15)),
    ],
)
def test_a_part_of_a_stretch_of_time_is_no_more_than_that_part(text, first, last):
    found = read_date(text)
    assert (found.first, found.last) == (first, last)


@pytest.mark.parametrize("text", ["the third half of 2018", "the fourth half of the 1990s", "3-45 May 2021"])
def test_there_is_no_third_half(text):
    assert read_date(text) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("between March and May 2020", ["2020-03", "2020-05"]),
        ("from November to February 2021", ["2020-11", "2021-02"]),
        ("between 28 February and 3 March 2020", ["2020-02-28", "2020-03-03"]),
        ("between 3 and 5 May 2021", ["2021-05-03 to 2021-05-05"]),
        ("from the 1st to the 15th of March 2020", ["2020-03-01 to 2020-03-15"]),
        ("on 3 or 5 May 2021", ["2021-05-03", "2021-05-05"]),
        ("in March or May 2020", ["2020-03", "2020-05"]),
        ("from 1 to 15 March", ["1 March", "15 March"]),
        ("after 1 May and in 2020", ["1 May", "2020"]),
        ("Room 3 and 5 May 2021", ["3", "2021-05-05"]),
        ("over $1500-2000", ["1500 USD", "2000 USD"]),
        ("1500-2000 euros", ["1500 EUR", "2000 EUR"]),
        ("paths of 5-10 km", ["5000 m", "10000 m"]),
        ("rooms with 10-15 seats", ["10", "15"]),
        ("a budget of 1.2 M, or 5m euros", ["1200000", "5000000 EUR"]),
        ("10 M deep", ["10 m"]),
        ("from 1914-1918", ["1914-1918"]),
    ],
)
def test_what_one_end_of_a_range_says_the_other_may_leave_out(text, said):
    assert [str(one.value) for one in find_literals(text)] == said
