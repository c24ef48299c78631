"""Questions with the pattern they ask for, read from the data that may train what ships; mentions are masked."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from clause.evaluation.training_material import read_triples
from clause.policy.train.lessons import TypedWalks

Path_ = tuple[tuple[str, bool], ...]
_ENOUGH = 40


@dataclass(frozen=True, slots=True)
class Asked:
    """A masked question, its pattern (relation label, forward), and the set it is from."""

    question: str
    path: Path_
    source: str


@dataclass(frozen=True, slots=True)
class LearntRelation:
    """A relation's label, its aliases, and classes of what it leaves and reaches, where they are known."""

    label: str
    aliases: tuple[str, ...] = ()


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a gzipped file of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def masked(question: str, mention: str) -> str | None:
    """`question` with "it" for `mention`; none where it is not in it.

    >>> masked("who wrote Emma?", "emma")
    'who wrote it?'
    """
    place = question.lower().find(mention.lower())
    if place < 0 or not mention.strip():
        return None
    return f"{question[:place]}it{question[place + len(mention) :]}"


def path_questions(folder: Path) -> list[Asked]:
    """Real questions of kgqa_paths with a mention; trivia and paths through unnamed nodes are left out."""
    found: dict[tuple[str, Path_], Asked] = {}
    for row in rows(folder / "train.jsonl.gz"):
        hops = tuple((hop["relation"], hop["forward"]) for hop in row["path"])
        said = masked(row["question"], row.get("mention") or "")
        if said is None or row.get("external_id") or not _kept(row, hops) or len(said.split()) > 22:
            continue
        asked = Asked(said, hops, row["set"])
        found.setdefault((said.lower().strip(" ?."), hops), asked)
    return list(found.values())


def _kept(row: dict[str, Any], hops: Path_) -> bool:
    if any(label in ("None", "") for label, _ in hops):
        return False
    if row["set"] == "FreebaseQA":
        return len(hops) == 1
    if any(hop.get("qualifier") for hop in row["path"]):
        return float(row.get("lex", 0)) == 1.0
    return True


def relations(folder: Path) -> dict[str, LearntRelation]:
    """Every labelled relation by its label in lower case; names of outside identifiers are left out."""
    known: dict[str, LearntRelation] = {}
    for row in rows(folder / "relation_labels.wikidata.jsonl.gz"):
        label = row["label"]
        if not _external(label):
            aliases = tuple(dict.fromkeys(alias.strip() for alias in row["aliases"] if not _external(alias)))
            known.setdefault(label.lower(), LearntRelation(label, aliases))
    for row in rows(folder / "relation_labels.freebase.jsonl.gz"):
        label = row["label"]
        if label and not row["id"].startswith(("user.", "base.")) and not _external(label):
            known.setdefault(label.lower(), LearntRelation(label))
    return known


def _external(label: str) -> bool:
    return bool(re.search(r"\b(ID|id|identifier|code|URL|username|API|database)\b", label)) or len(label.split()) > 6


def sentence_questions(folder: Path) -> list[Asked]:
    """Questions from sentence patterns of ParaRel: each side of the sentence asked for once."""
    found = []
    for row in rows(folder / "relation_wordings.pararel.jsonl.gz"):
        said = row["pattern"].replace(" .", "").strip(" .")
        for forward, mine, other in ((True, "[X]", "[Y]"), (False, "[Y]", "[X]")):
            for word in ("what", "who", "which one"):
                text = said.replace(mine, "it").replace(other, word)
                found.append(Asked(text, ((row["label"], forward),), "ParaRel"))
    return found


def wiki_chains(path: Path) -> list[tuple[Asked, str]]:
    """2WikiMultihopQA's questions that ask for a chain of relations from one topic, each with its name."""
    found = []
    for row in rows(path):
        triples = row["evidence_triples"]
        if row["type"] not in ("compositional", "inference") or len(triples) != 2 or triples[0][2] != triples[1][0]:
            continue
        topic = triples[0][0]
        names = (topic, re.sub(r"\s*\([^)]*\)", "", topic))
        said = next((made for name in names if (made := masked(row["question"], name))), None)
        if said is not None:
            path_ = tuple((triple[1], True) for triple in triples)
            found.append((Asked(said, path_, "2WikiMultihopQA"), topic))
    return found


def wiki_world(folder: Path, to: Path) -> None:
    """Write 2WikiMultihopQA's evidence as a graph of one's own, with questions of dev and of train, to `to`.

    triples.txt holds the evidence of all its files; dev.jsonl and train.jsonl hold every type of question. An answer is
    right by its own spelling and by the graph's.
    """
    files = {"dev": "dev.jsonl.gz", "more": "dev_distractor.jsonl.gz", "train": "train_distractor.jsonl.gz"}
    read = {name: list(rows(folder / file)) for name, file in files.items()}
    evidence = [row["evidence_triples"] for own in read.values() for row in own]
    triples = {tuple(" ".join(part.split()) for part in triple) for own in evidence for triple in own}
    spelt: dict[str, set[str]] = defaultdict(set)
    for head, _, tail in triples:
        spelt[head.casefold()].add(head)
        spelt[tail.casefold()].add(tail)
    to.mkdir(parents=True, exist_ok=True)
    lines = sorted("|".join(triple) for triple in triples if "|" not in "".join(triple))
    (to / "triples.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name in ("dev", "train"):
        asked = [
            {"question": row["question"], "answers": _spellings(row, spelt), "form": row["type"]} for row in read[name]
        ]
        text = "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in asked)
        (to / f"{name}.jsonl").write_text(text, encoding="utf-8")


def _spellings(row: dict[str, Any], spelt: dict[str, set[str]]) -> list[str]:
    """The ways in which a question's answer may be written: as given, as in the graph, as in its evidence."""
    answer = row["answer"]
    found = {answer} | spelt.get(answer.casefold(), set())
    evidence = row["evidence_triples"]
    if row["type"] in ("compositional", "inference"):
        return sorted({*found, evidence[-1][2]})
    heads = {triple[0].casefold(): triple[0] for triple in evidence}
    near = [] if answer in ("yes", "no") else get_close_matches(answer.casefold(), heads, 1, 0.6)
    return sorted(found | {heads[one] for one in near})


def film_questions(folder: Path, per_set: int = 6000) -> list[Asked]:
    """MetaQA's wordings with their patterns, by weak labels: what most often leads to the answers, shortest first."""
    graph = TypedWalks(read_triples(folder / "kb.txt.gz"))
    votes: dict[str, Counter[Path_]] = defaultdict(Counter)
    for hops in (1, 2, 3):
        with gzip.open(folder / f"{hops}-hop" / "qa_train_regenerated.txt.gz", "rt", encoding="utf-8") as lines:
            chosen = list(lines)
        for line in chosen[:: max(1, len(chosen) // per_set)]:
            text, answers = line.rstrip("\n").split("\t")
            topic = text[text.index("[") + 1 : text.rindex("]")]
            said = text.replace(f"[{topic}]", "it")
            if sum(votes[said].values()) >= _ENOUGH:
                continue
            patterns = graph.shortest(topic, answers.split("|"), max_hops=hops) if len(answers) < 400 else []
            votes[said].update(tuple((hop.relation, hop.forward) for hop in pattern) for pattern in patterns)
    return [Asked(said, count.most_common(1)[0][0], "MetaQA") for said, count in votes.items() if count]
