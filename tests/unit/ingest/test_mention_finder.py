"""Titles and names by rule, found in the texts of a corpus."""

from __future__ import annotations

import unicodedata

import pytest

from clause.ingest.mention_finder import MentionFinder, TitleFinder


def _found(titles: list[str], text: str) -> list[tuple[str, str]]:
    """Titles and the words of the text that mention them."""
    return [(name, text[start:end]) for name, start, end in TitleFinder(titles).find(text)]


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("दिल्ली", "दिल्ली भारत की राजधानी है।"),
        ("मुंबई", "वह मुंबई में रहता है"),
        ("東京", "東京は日本の首都です。"),
        ("アムステルダム", "去年アムステルダムに行った。"),
        ("กรุงเทพ", "ฉันอยู่ที่กรุงเทพครับ"),
        ("서울", "서울은 한국의 수도이다."),
        ("부산", "우리는 부산에서 만났다."),
        ("القاهرة", "تقع القاهرة في مصر."),
        ("தமிழ்", "அவள் தமிழ் பேசுகிறாள்"),
    ],
)
def test_titles_of_every_script_are_found_where_the_text_has_them(title: str, text: str) -> None:
    assert _found([title], text) == [(title, title)]


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("राम", "रोम इटली की राजधानी है।"),
        ("कमल", "कमाल की बात"),
        ("パリ", "バリ 島"),
        ("서울", "서울역 앞에서 만나자"),
        ("울산", "서울산책"),
        ("日", "日本は今日も暑い。"),
        ("東京都", "ここは東京。都は遠い。"),
    ],
)
def test_other_words_are_no_titles_though_they_share_letters(title: str, text: str) -> None:
    assert _found([title], text) == []


@pytest.mark.parametrize("name", ["Amélie", "Dvořák", "Nguyễn", "バリ"])
def test_it_does_not_matter_how_accents_are_encoded(name: str) -> None:
    parted = unicodedata.normalize("NFD", name)

    assert _found([name], f"then {parted} came") == [(name, parted)]
    assert _found([parted], f"then {name} came") == [(parted, name)]


@pytest.mark.parametrize(
    ("titles", "text", "found"),
    [
        (["C#", "C++", "C"], "written in C++ and C.", ["C++", "C"]),
        (["C", "C#"], "She teaches C# and C, not C++.", ["C#", "C"]),
        (["C"], "written in C++", []),
        (["Disney+"], "at Disney, then at Disney+.", ["Disney+"]),
        (["+44", "Blink"], "The number 44; the band +44", ["+44"]),
        (["Python"], "needs Python 3+ or **Python**", ["Python", "Python"]),
        (["Resume", "Résumé"], "a Résumé, a Resume, a RÉSUMÉ", ["Résumé", "Resume", "Résumé"]),
        (["パリ", "バリ"], "バリ 島", ["バリ"]),
        (["Us", "US"], "in the US today", ["US"]),
        (["Where Are You", "Where Are You?"], "sang Where Are You? and then Where Are You again", None),
    ],
)
def test_titles_spelt_alike_are_told_apart_by_signs_case_and_accents(
    titles: list[str], text: str, found: list[str] | None
) -> None:
    names = [name for name, _, _ in TitleFinder(titles).find(text)]

    assert names == (["Where Are You?", "Where Are You"] if found is None else found)


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("It", "It was late."),
        ("May", "We waited. May we come in?"),
        ("May", "YOU MAY GO"),
        ("Will", "Note: Will it rain"),
        ("The Story", "The story is told by a child."),
        ("New York City", "I was in New York. City hall was closed."),
        ("Sun He", "in the New York Sun. He was late"),
        ("Rome Paris", "We saw Rome!\n\nParis was next."),
    ],
)
def test_everyday_words_and_words_of_two_sentences_are_no_mention(title: str, text: str) -> None:
    assert _found([title], text) == []


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("It", "He read It again."),
        ("May", '"May" is a film.'),
        ("Will", "I asked Will."),
        ("The Story", "He wrote The Story in May."),
        ("Berlin", "Berlin is large."),
        ("St. Paul", "He lives in St. Paul now."),
        ("Dr No", "the film Dr. No ran"),
        ("What Is It? Again", "He saw What Is It? Again twice"),
        ("New York City", "born in New\nYork City"),
        ("data", "The data are lost."),
    ],
)
def test_titles_are_mentioned_where_the_text_means_them(title: str, text: str) -> None:
    assert [name for name, _ in _found([title], text)] == [title]


def test_how_a_file_is_called_is_no_name_but_the_subject_of_its_own_passages() -> None:
    finder = MentionFinder()
    finder.learn("data", "Columns of the survey.", "survey/data.txt")
    finder.learn("Invoice", "To be paid.", "Invoice.pdf")
    finder.learn("Ada Lovelace", "She wrote notes.", "Ada Lovelace.md")
    finder.learn("glossary", "A title that a line gives.", "glossary")

    text = "The data and the Invoice of Ada Lovelace stand in the glossary."

    assert finder.find("data", text) == ["data", "Ada Lovelace", "glossary"]
    assert finder.find("", text) == ["Ada Lovelace", "glossary"]
