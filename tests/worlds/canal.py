"""A canal made up by templates, with more questions than anybody writes: for teaching a reader 20, 100, 1,000 of them.

`python -m tests.worlds.canal FOLDER` writes triples.txt, teach-20.jsonl, teach-100.jsonl and teach-1000.jsonl (each
holds the one before), and what no lesson holds: asked-1.jsonl to asked-3.jsonl by hops, in the lessons' wordings, and
asked-words.jsonl in others. Written before anything was measured on it; nothing was tuned on it.
"""

from __future__ import annotations

import json
import random
import sys
from collections import defaultdict
from pathlib import Path

Triple = tuple[str, str, str]
Steps = tuple[str, ...]

FIRST = ("Abel", "Berta", "Cuno", "Dorrit", "Egon", "Fenna", "Gerlo", "Hilke", "Ivo", "Jorin", "Katla", "Lutz", "Mirte")
LAST = (
    "Aldwater",
    "Brack",
    "Coster",
    "Dammers",
    "Eelman",
    "Fenwick",
    "Grutter",
    "Heyboer",
    "Kade",
    "Lodder",
    "Marsman",
)
SHIPS = ("Heron", "Marigold", "Patience", "Kingfisher", "Old Tom", "Windlass", "Swallow", "Two Brothers", "Lapwing")
SHADES = ("Grey", "Second", "Little", "Blue", "Good", "New", "Late")
PLACES = ("Oster", "Wester", "Hoog", "Laag", "Bever", "Molen", "Reed", "Stone", "Alder", "Mid")
ENDINGS = ("burgh", "wick", "ham", "ford")
GOODS = ("peat", "slate", "barley", "lime", "timber", "salt", "flax", "coal", "cheese", "tallow")
GUILDS = ("Peatmen", "Slaters", "Corn Factors", "Salters", "Woodmongers", "Chandlers", "Drapers")

WORDINGS: dict[Steps, tuple[str, ...]] = {
    (">ownedBy",): ("who owns the {}?", "whose barge is the {}", "to whom does the {} belong?"),
    (">built_at",): ("where was the {} built?", "which yard built the {}?", "at what yard did they build the {}"),
    (">carries",): ("what does the {} carry?", "what is the {} loaded with", "which goods does the {} carry?"),
    (">keptBy",): ("who keeps {}?", "who is the keeper of {}", "name whoever keeps {}"),
    ("<memberOf",): ("who are the members of the {}?", "which merchants belong to the {}", "list the {}'s members"),
    (">livesIn",): ("where does {} live?", "in which town does {} live", "what town is {} living in?"),
    (">ownedBy", ">livesIn"): (
        "where does the owner of the {} live?",
        "in which town lives the merchant who owns the {}",
        "what town is home to the {}'s owner?",
    ),
    (">built_at", ">foreman"): (
        "who is foreman of the yard where the {} was built?",
        "who was the foreman where they built the {}",
        "name the foreman of the yard that built the {}",
    ),
    ("<ownedBy", ">carries"): (
        "what do {}'s barges carry?",
        "which goods are carried by the barges that {} owns",
        "what is loaded on the barges belonging to {}?",
    ),
    (">memberOf", ">warden"): (
        "who is warden of the guild of {}?",
        "who is the warden over the guild that {} belongs to",
        "name the warden of {}'s guild",
    ),
    (">keptBy", ">apprenticed_to"): (
        "to whom was the keeper of {} apprenticed?",
        "who taught the keeper of {}",
        "under whom did the one who keeps {} serve as apprentice?",
    ),
    (">ownedBy", ">memberOf", ">warden"): (
        "who is warden of the guild that the owner of the {} belongs to?",
        "which warden stands over the guild of the {}'s owner",
        "name the warden of the guild whose member owns the {}",
        "the merchant owning the {} is in a guild: who is its warden?",
    ),
    (">built_at", ">situated_in", ">reeve"): (
        "who is reeve of the town where the {} was built?",
        "name the reeve of the town with the yard that built the {}",
        "the {} came from a yard in some town: who is reeve there",
        "which reeve governs the place whose yard built the {}?",
    ),
    (">passes", ">keptBy", ">apprenticed_to"): (
        "to whom were the keepers of the locks that the {} passes apprenticed?",
        "who taught the keepers whose locks the {} goes through",
        "the {} passes locks: under whom did their keepers serve?",
        "name the masters of the keepers of locks passed by the {}",
    ),
    (">carries", ">taxedBy", ">meets in"): (
        "in which hall does the guild meet that taxes what the {} carries?",
        "where do those meet who tax the cargo of the {}",
        "the {}'s cargo is taxed by a guild: where does that guild meet?",
        "name the hall of the guild that takes a tax on the {}'s load",
    ),
    ("<ownedBy", ">passes", ">keptBy"): (
        "who keeps the locks that {}'s barges pass?",
        "which keepers see the barges of {} go through their locks",
        "barges owned by {} pass locks: who keeps them?",
        "name the keepers of locks passed by what {} owns",
    ),
    ("<memberOf", "<ownedBy", ">built_at"): (
        "at which yards were the barges of the {}'s members built?",
        "where were barges built that members of the {} own",
        "members of the {} own barges: which yards built these?",
        "name the yards behind the barges owned by merchants of the {}",
    ),
    ("<carries", ">ownedBy", ">livesIn"): (
        "in which towns live the owners of barges that carry {}?",
        "where do the owners of barges loaded with {} live",
        "{} is carried on barges: in what towns do their owners live?",
        "name the home towns of merchants whose barges carry {}",
    ),
}


def canal(rng: random.Random) -> list[Triple]:
    """The triples: barges, merchants, guilds, yards, towns, locks and their keepers."""
    people = [f"{first} {last}" for first in FIRST for last in LAST]
    rng.shuffle(people)
    towns = [f"{place}{ending}" for place in PLACES for ending in ENDINGS][::3]
    barges = [f"{shade} {ship}" for shade in SHADES for ship in SHIPS]
    merchants, keepers, others = people[:28], people[28:46], people[46:]
    guilds = [f"{name}' Guild" for name in GUILDS]
    yards = [f"{place} Yard" for place in PLACES]
    locks = [f"{place} Lock" for place in PLACES] + [f"{place} Sluice" for place in PLACES]
    triples: list[Triple] = []
    for guild in guilds:
        triples += [(guild, "warden", others.pop()), (guild, "meets in", f"{rng.choice(towns)} Hall")]
    for merchant in merchants:
        triples += [(merchant, "memberOf", rng.choice(guilds)), (merchant, "livesIn", rng.choice(towns))]
    for yard in yards:
        triples += [(yard, "situated_in", rng.choice(towns)), (yard, "foreman", others.pop())]
    triples += [(town, "reeve", others.pop()) for town in towns]
    triples += [(goods, "taxedBy", rng.choice(guilds)) for goods in GOODS]
    triples += [(lock, "keptBy", rng.choice(keepers)) for lock in locks]
    triples += [(keeper, "apprenticed_to", rng.choice([one for one in keepers if one != keeper])) for keeper in keepers]
    for barge in barges:
        triples += [(barge, "ownedBy", rng.choice(merchants)), (barge, "built_at", rng.choice(yards))]
        triples += [(barge, "carries", goods) for goods in rng.sample(GOODS, rng.choice((1, 1, 2, 3)))]
        triples += [(barge, "passes", lock) for lock in rng.sample(locks, rng.choice((1, 2, 4)))]
    return triples


def walked(triples: list[Triple], start: str, steps: Steps) -> list[str]:
    """The names at which the steps end, never back on the start."""
    ends: dict[tuple[str, str], set[str]] = defaultdict(set)
    for head, kind, tail in triples:
        ends[head, f">{kind}"].add(tail)
        ends[tail, f"<{kind}"].add(head)
    front = {start}
    for step in steps:
        front = {end for node in front for end in ends[node, step]} - {start}
    return sorted(front)


def questions(triples: list[Triple]) -> dict[int, list[dict[str, object]]]:
    """Every question of every wording, by hops; under 0 those in the last wording of each pattern."""
    names = sorted({end for head, _, tail in triples for end in (head, tail)})
    found: dict[int, list[dict[str, object]]] = defaultdict(list)
    for steps, wordings in WORDINGS.items():
        for name in names:
            answers = walked(triples, name, steps)
            asked = [{"question": one.format(name), "answers": answers} for one in wordings if answers]
            found[len(steps)] += asked[:-1]
            found[0] += asked[-1:]
    return found


def main(folder: Path, seed: int = 23) -> None:
    """Write the canal and its questions to a folder."""
    rng = random.Random(seed)
    triples = canal(rng)
    by_hops = questions(triples)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "triples.txt").write_text("".join("|".join(one) + "\n" for one in triples), encoding="utf-8")
    rng.shuffle(by_hops[0])
    _write(folder / "asked-words.jsonl", by_hops[0][:120])
    left: list[dict[str, object]] = []
    for hops, count in ((1, 60), (2, 60), (3, 120)):
        rng.shuffle(by_hops[hops])
        _write(folder / f"asked-{hops}.jsonl", by_hops[hops][:count])
        left += by_hops[hops][count:]
    rng.shuffle(left)
    for count in (20, 100, 1_000):
        _write(folder / f"teach-{count}.jsonl", left[:count])


def _write(file: Path, asked: list[dict[str, object]]) -> None:
    file.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in asked), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
