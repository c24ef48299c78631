"""A bicycle workshop with 2,400 repairs: what is asked of everything, where there is more of it than is read at once.

`python -m tests.worlds.workshop FOLDER` writes triples.txt and questions.jsonl. The questions were written before any
of them was asked; after their first run they were looked at.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

MECHANICS = ("Aino Laine", "Bram Visser", "Celia Moretti", "Dag Solberg", "Ewa Nowak", "Farid Karimi")
BUSY = (3, 2, 5, 1, 4, 2)
BRANDS = ("Kestrel", "Moorland", "Ravn", "Tarmac", "Velora")
BIKES = tuple(f"{brand} {number}" for brand in BRANDS for number in range(100, 180))


@dataclass(frozen=True)
class Repair:
    """One repair; `price` in dollars, `minutes` of work."""

    name: str
    bike: str
    mechanic: str
    done: str
    price: int
    minutes: int


def made() -> tuple[dict[str, float], list[Repair]]:
    """The weight of each bicycle in kilograms, and the repairs."""
    draw = random.Random(11)
    weights = {bike: round(draw.uniform(7, 19), 1) for bike in BIKES}
    repairs = []
    for number in range(1, 2401):
        day = date(2023, 1, 1) + timedelta(days=draw.randrange(900))
        who = draw.choices(MECHANICS, BUSY)[0]
        facts = draw.choice(BIKES), who, day.isoformat(), draw.randrange(12, 1900), draw.randrange(10, 600)
        repairs.append(Repair(f"R-{number:04}", *facts))
    return weights, repairs


def triples(weights: dict[str, float], repairs: list[Repair]) -> list[str]:
    """Lines `head|relation|tail`."""
    lines = [
        f"{bike}|{said}" for bike in BIKES for said in (f"made by|{bike.split()[0]}", f"weighs kg|{weights[bike]}")
    ]
    for one in repairs:
        said = (
            f"repair of|{one.bike}",
            f"carried out by|{one.mechanic}",
            f"finished on|{one.done}",
            f"price usd|{one.price}",
            f"took minutes|{one.minutes}",
        )
        lines += [f"{one.name}|{fact}" for fact in said]
    return lines


def asked(weights: dict[str, float], repairs: list[Repair]) -> dict[str, list[str]]:
    """Questions with their answers."""
    prices, spent = [one.price for one in repairs], [one.minutes for one in repairs]
    days, busy = [one.done for one in repairs], Counter(one.mechanic for one in repairs)
    mended = Counter(one.bike for one in repairs)
    dearest = [one.name for one in repairs if one.price == max(prices)]
    on_second = [one.name for one in repairs if one.done == "2024-02-02"]
    ends = busy.most_common()
    return {
        "which repair cost the most": dearest,
        "what was the priciest repair": dearest,
        "which repair took longest": [one.name for one in repairs if one.minutes == max(spent)],
        "repairs that cost more than 1880 dollars": [one.name for one in repairs if one.price > 1880],
        "jobs finished on 2 February 2024": on_second,
        "which repairs were finished in June 2025": [one.name for one in repairs if one.done.startswith("2025-06")],
        "who carried out the most repairs": [ends[0][0]],
        "which mechanic did the fewest repairs": [ends[-1][0]],
        "which bike was repaired most often": [bike for bike, times in mended.items() if times == max(mended.values())],
        "when was the first repair finished": [min(days)],
        "when was the last repair done": [max(days)],
        "how many repairs did Dag Solberg carry out": [str(busy["Dag Solberg"])],
        "how many repairs were finished on 2 February 2024": [str(len(on_second))],
        "repairs under 14 usd": [one.name for one in repairs if one.price < 14],
        "what is the lightest bike": [bike for bike in BIKES if weights[bike] == min(weights.values())],
        "bikes heavier than 18.8 kg": [bike for bike in BIKES if weights[bike] > 18.8],
        "who repaired Ravn 107": sorted({one.mechanic for one in repairs if one.bike == "Ravn 107"}),
        "which repairs by Dag Solberg cost over 1800 dollars": [
            one.name for one in repairs if one.mechanic == "Dag Solberg" and one.price > 1800
        ],
        "which repairs took between 595 and 598 minutes": [one.name for one in repairs if 595 <= one.minutes <= 598],
        "who invoiced Ravn 107": [],
    }


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    known = made()
    (folder / "triples.txt").write_text("\n".join(triples(*known)) + "\n", encoding="utf-8")
    lines = [json.dumps({"question": question, "answers": answers}) for question, answers in asked(*known).items()]
    (folder / "questions.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
