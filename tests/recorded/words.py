"""Seeded sentences: people who do things in places, so that beliefs, memories and insights speak of the same."""

from __future__ import annotations

from random import Random

PEOPLE = ("Marta Keller", "Peter Brandt", "Aisha Khan", "Tomas Novak", "Lena Fischer", "Ravi Menon", "Chloe Dubois")
PLACES = ("Bern", "Lisbon", "Oslo", "Nairobi", "Kyoto", "Quito")
HABITS = (
    ("rides her bike to the office in {place} every morning", "does not ride her bike to the office in {place}"),
    ("prefers tabs over spaces in the {place} project", "never prefers tabs over spaces in the {place} project"),
    ("drinks green tea in the garden in {place}", "does not drink green tea in the garden in {place}"),
    ("trusts the nightly build of the {place} service", "distrusts the nightly build of the {place} service"),
    ("writes the test before the code for the {place} team", "does not write the test before the code in {place}"),
)
DOMAINS = ("debugging", "refactoring", "deployment")
STRATEGIES = ("check-assumptions", "divide-and-conquer", "read-the-error")
TOPICS = ("user:ann", "user:bob", "dyad:ann:bob", "self:patience", "server:9:subject:ci", "server:9:channel:42")
NASTY = (
    "x",
    "'; MATCH (n) DETACH DELETE n //",
    'name:* AND (foo OR -bar) ~2 "unclosed',
    "🎬🍿",
    "مرحبا",
    "line\nbreak",
)


def habit(rng: Random) -> tuple[str, str]:
    """A statement and one that contradicts it."""
    said, contrary = rng.choice(HABITS)
    person, place = rng.choice(PEOPLE), rng.choice(PLACES)
    return f"{person} {said.format(place=place)}", f"{person} {contrary.format(place=place)}"


def paraphrase(said: str) -> str:
    """The same in other words."""
    for word, other in (("bike", "bicycle"), ("prefers", "likes"), ("drinks", "enjoys"), ("nightly", "night")):
        said = said.replace(word, other)
    return said


def topic(rng: Random) -> str:
    """The key of a topic of insights."""
    return rng.choice(TOPICS)
