"""Insights that go together are not held back, whatever feelings they carry; those that exclude one another are found.

With real embeddings; the rule was mended on these statements, so they are no proof for others.
"""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest

from clause.arrays import Floats
from clause.insights.conflict_resolution import EarlierInsight, conflict_signals
from clause.insights.models import Valences
from clause.text.embedder import SentenceTransformerEmbedder

FEELINGS = ("joy", "concern", "curiosity", "warmth", "tension", "awe", "grief", "longing", "peace", "gratitude")

COMPATIBLE = """
Mira sings in a choir; Mira is afraid of flying; Mira reads crime novels at night; Mira lost her father last spring; Mira bakes for her neighbours; Mira is learning Finnish
Jonas coaches a football team; Jonas worries about his mortgage; Jonas repairs old radios; Jonas sleeps badly before exams; Jonas calls his sister every Sunday; Jonas quit smoking
The night shift is short of people; The night shift shares its meals; The night shift had two accidents; The night shift likes the new foreman; The night shift writes its notes by hand; The night shift starts with a walk
Amara paints large canvases; Amara misses her home town; Amara speaks softly in meetings; Amara is proud of her son; Amara argued with her landlord; Amara walks to work
The chess club meets in the library; The chess club lost its best player; The chess club trains children; The chess club has debts; The chess club won the city cup; The chess club plays on wooden boards
Luis forgets appointments; Luis is generous with his time; Luis dislikes long letters; Luis keeps bees; Luis cried at the farewell; Luis plans a trip to Peru
The garden channel is friendly; The garden channel is quiet in winter; The garden channel fears a wet summer; The garden channel trades seeds; The garden channel mourns a member; The garden channel posts pictures
Noor studies medicine; Noor sends money home; Noor is tired of the exams; Noor loves thunderstorms; Noor lives with two flatmates; Noor plays the lute
The old server crashes at night; The old server holds the archive; The old server is loud; The old server was a gift; The old server runs the printer; The old server is due for retirement
Petra leads by example; Petra doubts the new plan; Petra laughs easily; Petra is recovering from surgery; Petra thanked everyone; Petra prefers tea
"""  # noqa: E501 - one topic a line
EXCLUDING = (
    ("Rafi is a vegetarian", "Rafi has a steak every Friday"),
    ("Rafi is a teetotaller", "Rafi drinks two beers after work"),
    ("Ines trusts her brother", "Ines does not trust her brother"),
    ("The lab is open to visitors", "The lab is closed to visitors"),
    ("Ines supports the merger", "Ines opposes the merger"),
    ("The review is mandatory", "The review is voluntary"),
)


@pytest.fixture(scope="module")
def embedder() -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder()


def conflict(a: str, u: Floats, felt: Valences, b: str, v: Floats, feeling: Valences) -> tuple[str, ...]:
    return conflict_signals(a, felt, u, EarlierInsight("other", b, feeling, v, float(u @ v)))


async def test_insights_that_go_together_are_not_held_back(embedder: SentenceTransformerEmbedder) -> None:
    draw = Random(5)
    hidden = 0
    for line in COMPATIBLE.strip().splitlines():
        texts = [text.strip() for text in line.split(";")]
        vectors = await embedder.embed(texts)
        feelings = [Valences(**dict.fromkeys(draw.sample(FEELINGS, 2), 0.9)) for _ in texts]
        clashing = {
            place
            for i, j in combinations(range(len(texts)), 2)
            for place in (i, j)
            if conflict(texts[i], vectors[i], feelings[i], texts[j], vectors[j], feelings[j])
        }
        hidden += len(clashing)
    assert hidden <= 1


@pytest.mark.parametrize(("first", "second"), EXCLUDING)
async def test_what_excludes_another_is_found(embedder: SentenceTransformerEmbedder, first: str, second: str) -> None:
    u, v = await embedder.embed([first, second])
    calm = Valences(awe=0.5)
    assert conflict(first, u, calm, second, v, calm)
    assert conflict(second, v, calm, first, u, calm)
