"""Training of the pair classifier: published pairs that may train shipped weights, and pairs made from them.

To make a pair, one thing of a sentence is changed, by the word lists and by rule. Changes that keep the meaning give
duplicates, changes of one slot or value give contradictions, additions give neutral pairs. Some pairs are marked
`blind`: the lists are not asked about the exchanged words when they are read, so that the classifier learns to judge
words that no list holds.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from sklearn.neural_network import MLPClassifier
from torch import nn
from torch.nn.functional import cross_entropy, dropout

from clause.arrays import Floats, Longs
from clause.errors import BadInputError
from clause.lab.pairs import Pair, embed_pairs
from clause.policy.train.encoder import TokenEncoder, mixed_precision, packaged_encoder
from clause.text.embedder import Embedder
from clause.text.statements.lexicon import FOLDER, Relation
from clause.text.statements.pair_classifier import (
    ANSWERS,
    LABELS,
    LONGEST_PAIR,
    STANDINGS,
    PairClassifier,
    ReaderWeights,
    pair_features,
    read_pair,
)

_WORD = re.compile(r"[A-Za-z]+")
_NUMBER_WORDS = "two three four five six seven eight nine ten twenty"
_ADDITION_TEXT = """alone|at night|in the rain|with a friend|for the last time|near the station|before lunch|in secret
without permission|in winter|on Sunday|under a bridge|for money|at home|in London|by mistake|while singing"""
_ADJECTIVE_WORDS = "old young tall red blue wooden broken expensive famous foreign wet lonely second-hand tired"
_MANNER_WORDS = """slowly quickly happily calmly carefully loudly quietly eagerly beautifully skillfully suddenly
proudly"""
_TURN_WORDS = "nearly almost formerly allegedly rarely never reportedly hardly supposedly occasionally"

_NUMBERS = _NUMBER_WORDS.split()
_HEAVY = _ADDITION_TEXT.replace("\n", "|").split("|")
_ADJECTIVES = _ADJECTIVE_WORDS.split()
_MANNERS = _MANNER_WORDS.split()
_TURNS = _TURN_WORDS.split()
_LIGHT = {
    "a dog": "some dog", "people": "a group of people", "in": "right in", "a man": "some man",
    "standing": "just standing", "sitting": "just sitting", "walking": "just walking",
}  # fmt: skip
_FILMS = ("Heat", "Ali", "The Sting", "Blue Moon", "Casino", "Alien", "Big Fish", "Ran", "Psycho", "Fargo", "Jaws")
_PEOPLE = ("Michael Mann", "Ann Lee", "Bob Hart", "Ridley Scott", "Jane Hill", "Akira Sato", "Tom Ford", "Eva Green")
_WORDINGS = (
    ("{f} was directed by {p}", "{p} directed {f}", "{p} is the director of {f}", "the director of {f} is {p}"),
    ("{f} was written by {p}", "{p} wrote {f}", "{p} is the writer of {f}", "the writer of {f} is {p}"),
    ("{p} starred in {f}", "{p} acted in {f}", "{p} is an actor in {f}", "{f} stars {p}"),
)


@dataclass(frozen=True, slots=True)
class MadePair:
    """A pair, and whether the lists are not asked when it is read."""

    pair: Pair
    blind: bool = False


@dataclass(frozen=True)
class Swaps:
    """Words that may be exchanged: for the same meaning, for a wider or narrower one, for another value."""

    same: dict[str, list[str]]
    wider: dict[str, list[str]]
    other: dict[str, list[str]]

    @classmethod
    def load(cls) -> Swaps:
        """The swaps of the shipped lists; phrases of several words are left out."""
        same: dict[str, list[str]] = {}
        wider: dict[str, list[str]] = {}
        other: dict[str, list[str]] = {}
        for line in _lines("synonyms"):
            _link(same, [[word] for word in line.split()])
        for line in _lines("hypernyms"):
            wide, narrow = line.split(":")
            for word in narrow.split():
                _link(wider, [[wide], [word]])
        for line in _lines("antonyms"):
            _link(other, [half.split() for half in line.split("|")])
        for line in _lines("exclusive"):
            _link(other, [value.split("/") for value in line.split(":")[1].split()])
        return cls(same, wider, other)


def made_pairs(sentences: Sequence[str], rng: random.Random) -> list[MadePair]:
    """Pairs from every sentence that a change applies to, then those of the film wordings; equal ones once."""
    swaps = Swaps.load()
    found = [made for sentence in sentences for made in _changed(sentence, swaps, rng)]
    found += _film_pairs(rng)
    return list({(made.pair.a, made.pair.b): made for made in found if made.pair.a != made.pair.b}.values())


def _changed(sentence: str, swaps: Swaps, rng: random.Random) -> Iterator[MadePair]:
    for held, label in ((swaps.same, "duplicate"), (swaps.other, "contradiction"), (swaps.wider, "neutral")):
        swapped = _swap(sentence, held, rng)
        if swapped:
            yield MadePair(Pair(*_some_order(sentence, swapped, rng), label), blind=rng.random() < 0.6)
    changes: list[tuple[Callable[[str, random.Random], str], str, float]] = [
        (_plain_forms, "duplicate", 0.4), (_light, "duplicate", 0.3), (_passive, "duplicate", 1.0),
        (_manner, "duplicate", 0.3), (_turn, "neutral", 0.2), (_heavy, "neutral", 0.4), (_adjective, "neutral", 0.4),
        (_negated, "contradiction", 0.4), (_renumbered, "contradiction", 0.6), (_roles, "contradiction", 1.0),
    ]  # fmt: skip
    for change, label, share in changes:
        changed = change(sentence, rng) if rng.random() < share else ""
        if changed and changed != sentence:
            yield MadePair(Pair(*_some_order(sentence, changed, rng), label))


def _some_order(a: str, b: str, rng: random.Random) -> tuple[str, str]:
    return (a, b) if rng.random() < 0.5 else (b, a)


def _swap(sentence: str, held: dict[str, list[str]], rng: random.Random) -> str:
    """`sentence` with one word exchanged for a mate in `held`, in the same plural or -ing form; `` if none fits."""
    hits = [(hit, base, ending) for hit in _WORD.finditer(sentence) for base, ending in _splits(hit[0].lower(), held)]
    if not hits:
        return ""
    hit, base, ending = rng.choice(hits)
    mate = rng.choice(held[base])
    form = _inflect(mate, ending)
    form = form.capitalize() if hit[0][0].isupper() else form
    return sentence[: hit.start()] + form + sentence[hit.end() :]


def _splits(word: str, held: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    if word in held:
        yield word, ""
    elif word.endswith("s") and word[:-1] in held:
        yield word[:-1], "s"
    elif word.endswith("ing"):
        stem = word[:-3]
        bases = [base for base in (stem, stem + "e", stem[:-1]) if base in held]
        if bases:
            yield bases[0], "ing"


def _inflect(word: str, ending: str) -> str:
    if ending == "s":
        return word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")
    if ending == "ing":
        if re.search(r"[^aeiou][aeiou][bdgmnprt]$", word):
            word += word[-1]
        return re.sub(r"(?<=[^eo])e$", "", word) + "ing"
    return word


def _plain_forms(sentence: str, rng: random.Random) -> str:
    """Other articles, and the plain present for the progressive."""
    changed = re.sub(r"\bis (\w+?)ing\b", lambda hit: f"{hit[1]}s", sentence) if rng.random() < 0.5 else sentence
    return re.sub(r"^An? ", "The ", changed) if rng.random() < 0.6 else re.sub(r"^The ", "A ", changed)


def _light(sentence: str, rng: random.Random) -> str:
    hits = [words for words in _LIGHT if re.search(rf"\b{words}\b", sentence)]
    if not hits:
        return ""
    words = rng.choice(hits)
    return re.sub(rf"\b{words}\b", _LIGHT[words], sentence, count=1)


def _passive(sentence: str, _rng: random.Random) -> str:
    hit = re.match(r"^(An?|The) (\w+) (is|was) (\w+?)ing (an?|the) (\w+)\s*\.?$", sentence)
    if not hit:
        return ""
    _, subject, be, stem, article, thing = hit.groups()
    return f"{article.capitalize()} {thing} {be} being {stem}ed by {hit[1].lower()} {subject}"


def _manner(sentence: str, rng: random.Random) -> str:
    return _before_verb(sentence, rng.choice(_MANNERS))


def _turn(sentence: str, rng: random.Random) -> str:
    return _before_verb(sentence, rng.choice(_TURNS))


def _before_verb(sentence: str, adverb: str) -> str:
    return re.sub(r"\b(is|are) (?=\w+ing\b)", rf"\1 {adverb} ", sentence, count=1)


def _heavy(sentence: str, rng: random.Random) -> str:
    return f"{sentence.rstrip('. ')} {rng.choice(_HEAVY)}"


def _adjective(sentence: str, rng: random.Random) -> str:
    hits = list(re.finditer(r"\b([Aa]n?|[Tt]he) (?=[a-z])", sentence))
    if not hits:
        return ""
    hit = rng.choice(hits)
    return f"{sentence[: hit.end()]}{rng.choice(_ADJECTIVES)} {sentence[hit.end() :]}"


def _negated(sentence: str, rng: random.Random) -> str:
    if rng.random() < 0.4 and re.match(r"^An? \w+", sentence):
        return re.sub(r"^An? (.+?) (?:is|are) ", r"There is no \1 ", sentence, count=1)
    return re.sub(r"\b(is|are|was|were|can|will|has)\b", r"\1 not", sentence, count=1)


def _renumbered(sentence: str, rng: random.Random) -> str:
    hit = re.search(rf"\b({'|'.join(_NUMBERS)}|\d+)\b", sentence, re.IGNORECASE)
    if not hit:
        return ""
    other = str(int(hit[0]) + rng.randint(1, 9)) if hit[0].isdigit() else rng.choice(_NUMBERS)
    other = other.capitalize() if hit[0][0].isupper() else other
    return sentence[: hit.start()] + other + sentence[hit.end() :]


def _roles(sentence: str, _rng: random.Random) -> str:
    hit = re.match(r"^(An?|The) (\w+) (is|was) (\w+ing) (an?|the) (\w+)(.*)$", sentence)
    if not hit:
        return ""
    first, subject, be, verb, second, thing, rest = hit.groups()
    return f"{second.capitalize()} {thing} {be} {verb} {first.lower()} {subject}{rest}"


def _film_pairs(rng: random.Random) -> list[MadePair]:
    found = []
    for film in _FILMS:
        for wordings in _WORDINGS:
            one, two = rng.sample(wordings, 2)
            person, other = rng.sample(_PEOPLE, 2)
            elsewhere = rng.choice([name for name in _FILMS if name != film])
            said = one.format(f=film, p=person)
            found.append(Pair(said, two.format(f=film, p=person), "duplicate"))
            exclusive = "star" not in wordings[0]  # a film has many actors
            found.append(Pair(said, two.format(f=film, p=other), "contradiction" if exclusive else "neutral"))
            found.append(Pair(said, one.format(f=elsewhere, p=person), "neutral"))
    return [MadePair(pair) for pair in found]


def _link(held: dict[str, list[str]], values: list[list[str]]) -> None:
    """Join every word of one value with every word of the others; phrases are left out."""
    for index, value in enumerate(values):
        mates = [word for other, words in enumerate(values) if other != index for word in words if "_" not in word]
        for word in value:
            if mates and "_" not in word:
                held.setdefault(word, []).extend(mates)


def _lines(name: str) -> list[str]:
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


LONGEST = 140
"""Sentences of more characters are not changed into made pairs."""

_SMALLEST_DEVIATION = 1e-3


async def train_pair_classifier(
    published: Sequence[Pair],
    embedder: Embedder,
    *,
    sentences: int = 7000,
    units: int = 64,
    decay: float = 3.0,
    seed: int = 0,
) -> PairClassifier:
    """A classifier trained on `published` and on pairs made from its sentences.

    Args:
        published: contradictions and neutral pairs; their sentences are changed into duplicates and more of both.
        embedder: gives the vectors.
        sentences: how many sentences are changed, drawn with the seed.
        units: H, the width of the hidden layer.
        decay: the L2 penalty.
        seed: of the draw, of the changes and of the training.

    Raises:
        BadInputError: `published` lacks contradictions or neutral pairs.
    """
    if not {"contradiction", "neutral"} <= {pair.label for pair in published}:
        raise BadInputError("contradictions and neutral pairs are needed", field="published")
    rng = random.Random(seed)  # noqa: S311 -- a reproducible draw
    texts = dict.fromkeys(text for pair in published for text in (pair.a, pair.b) if len(text) < LONGEST)
    drawn = rng.sample(sorted(texts), min(sentences, len(texts)))
    examples = [*made_pairs(drawn, rng), *(MadePair(pair) for pair in published)]
    counts = Counter(example.pair.label for example in examples)
    vectors = await embed_pairs([example.pair for example in examples], embedder)
    features = np.stack([_features(example, vectors) for example in examples])
    labels = np.array([LABELS.index(example.pair.label) for example in examples])
    about = {"pairs": len(examples), "labels": dict(counts), "published": len(published), "sentences": len(drawn)}
    about |= {"units": units, "decay": decay, "seed": seed, "embedder": embedder.model}
    network = MLPClassifier((units,), alpha=decay, early_stopping=True, random_state=seed, max_iter=60, batch_size=256)
    return _fit(network, features, labels, about)


def _features(example: MadePair, vectors: Mapping[str, Floats]) -> Floats:
    a, b = example.pair.a, example.pair.b
    reading = read_pair(a, b, _unknown) if example.blind else read_pair(a, b)
    return pair_features(reading, vectors[a], vectors[b])


def _unknown(_one: str, _other: str) -> Relation:
    return Relation.UNKNOWN


def _fit(network: MLPClassifier, features: Floats, labels: Longs, about: dict[str, object]) -> PairClassifier:
    mean, scale = features.mean(axis=0), features.std(axis=0) + np.float32(_SMALLEST_DEVIATION)
    network.fit((features - mean) / scale, labels)
    (w1, w2), (b1, b2) = network.coefs_, network.intercepts_
    parts = [np.asarray(part, dtype=np.float32) for part in (w1, b1, w2, b2)]
    return PairClassifier(
        mean.astype(np.float32), scale.astype(np.float32), (parts[0], parts[1]), (parts[2], parts[3]), about
    )


def train_beside(
    lessons: Sequence[Pair],
    *,
    epochs: float = 3,
    seed: int = 0,
    start: ReaderWeights | None = None,
    report: Callable[[str], None] = print,
) -> tuple[dict[str, Floats], tuple[Floats, Floats]]:
    """Train all layers of the encoder, and a head on its first token's state; the layers' weights, and the head's.

    From `start` on it is trained more gently, and reads two statements in the order in which they are served.
    """
    torch.manual_seed(seed)
    rng = random.Random(seed)  # noqa: S311 -- a reproducible draw
    encoder, head = started(start)
    rates = (5e-5, 1e-3)
    if start is not None:
        lessons, rates = [Pair(min(one.a, one.b), max(one.a, one.b), one.label) for one in lessons], (3e-5, 3e-4)
    tuned = [parameter for parameter in encoder.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW([{"params": tuned, "lr": rates[0]}, {"params": head.parameters(), "lr": rates[1]}])
    steps = max(1, int(epochs * len(lessons) / _BATCH))
    slope = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, step / 100) * (1 - step / steps))
    waiting: list[list[Pair]] = []
    for step in range(steps):
        waiting = waiting or batches(lessons, rng)
        batch = waiting.pop()
        with mixed_precision():
            states = encoder([(pair.a, pair.b) for pair in batch]).states[:, 0]
        wanted = torch.tensor([STANDINGS.index(pair.label) for pair in batch])
        loss = cross_entropy(head(dropout(states, 0.1))[:, :ANSWERS], wanted, label_smoothing=0.05)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(tuned, 1.0)
        optimizer.step()
        slope.step()
        if step % 50 == 0:
            report(f"step {step} of {steps}, loss {loss.item():.3f}")
    return trained(encoder, head)


def started(start: ReaderWeights | None, bert: TokenEncoder | None = None) -> tuple[TokenEncoder, nn.Linear]:
    """A BERT, the packaged one or `bert`, and what tells, as `start` has them; what is told of anew begins near 0."""
    encoder, head = bert or packaged_encoder(LONGEST_PAIR), nn.Linear(384, ANSWERS + 1)
    encoder.word.requires_grad_(False)
    encoder.place.requires_grad_(False)
    nn.init.normal_(head.weight, std=0.02)
    if start is not None:
        encoder.load_state_dict({name: torch.tensor(value) for name, value in start.layers.items()}, strict=False)
        known = len(start.out[1])
        with torch.no_grad():
            head.weight[:known] = torch.tensor(start.out[0].T)
            head.bias[:known] = torch.tensor(start.out[1])
    return encoder, head


def trained(encoder: TokenEncoder, head: nn.Linear) -> tuple[dict[str, Floats], tuple[Floats, Floats]]:
    """The layers' weights by name, and what tells, [d, k] and [k]."""
    state = encoder.state_dict()
    layers = {name: np.asarray(state[name]) for name in state if name.startswith(("norm.", "layers."))}
    return layers, (head.weight.detach().numpy().T.copy(), head.bias.detach().numpy())


_BATCH = 32


def batches(lessons: Sequence[Pair], rng: random.Random) -> list[list[Pair]]:
    """All lessons in batches of texts of like length, in a fresh order."""
    order = rng.sample(list(lessons), len(lessons))
    slices = [order[at : at + 20 * _BATCH] for at in range(0, len(order), 20 * _BATCH)]
    found = []
    for one in slices:
        one.sort(key=lambda pair: len(pair.a) + len(pair.b))
        found += [one[at : at + _BATCH] for at in range(0, len(one), _BATCH)]
    return rng.sample(found, len(found))
