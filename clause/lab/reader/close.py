"""Training of the reader of pairs for both that it tells: how two statements stand, and whether a text answers."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, dropout

from clause.arrays import Floats
from clause.lab.pair_training import batches, started, trained
from clause.lab.pairs import Pair
from clause.lab.reader.lessons import GROUP, Lessons, Notebook
from clause.lab.reader.training import apart
from clause.policy.train.encoder import Matcher, TokenEncoder, mixed_precision
from clause.text.statements.pair_classifier import ANSWERS, LONGEST_PAIR, STANDINGS, ReaderWeights, read_weights

Report = Callable[[str], None]
ScorerParts = tuple[TokenEncoder, Matcher]
PairParts = tuple[TokenEncoder, nn.Linear]
_WARM = 60  # steps in which the rates rise
_HARD = 9  # rivals are drawn from so many


@dataclass(frozen=True, slots=True)
class CloseRecipe:
    """The recipe of that training: lists of a right text and some that the scorer takes for right, and statements.

    Args:
        rivals: wrong texts of a list, of the nine that the scorer finds likeliest; one more is drawn from all.
        unanswered: questions of a notebook in a batch that none of its notes answers, with four of the likeliest.
        apart: what telling each text by itself weighs beside telling the right one from its rivals.
        statements: batches of pairs of statements in a step.
        base: folder of another BERT to begin from, in place of the reader that is trained on.
        of: paths of readers whose mean is learned; it, `hard` and `shares` as in `ReaderRecipe`.
    """

    steps: int = 900
    minutes: float = 45.0
    groups: int = 3
    rivals: int = 5
    unanswered: int = 3
    apart: float = 0.6
    statements: int = 2
    encoder_rate: float = 5e-5
    head_rate: float = 1e-3
    seed: int = 7
    shares: tuple[float, ...] = (0.10, 0.18, 0.03, 0.05, 0.05, 0.38, 0.21)
    base: str = ""
    of: tuple[str, ...] = ()
    hard: float = 0.2


class CloseLists:
    """Draws lists of a question with texts, the right one first; and questions with texts of which none is right."""

    def __init__(self, lessons: Lessons, books: Sequence[Notebook], scorer: ScorerParts, recipe: CloseRecipe) -> None:
        self._lessons, self._recipe = lessons, recipe
        self._encoder, self._matcher = scorer
        self._books = [book for book in books if any(not answering for _, answering in book.questions)]
        self._rng = random.Random(recipe.seed)  # noqa: S311 - a reproducible draw

    def draw(self) -> tuple[list[list[tuple[str, str]]], list[tuple[str, str]]]:
        """The lists of a batch, of one length, and pairs of a question and a text that does not answer it."""
        batch, rng = self._lessons.batch(self._recipe.groups), self._rng
        lists = []
        for place, scores in enumerate(self._scores(batch.questions, batch.patterns)):
            allowed = [i for i in range(len(scores)) if not batch.ignored[place, i] and i != batch.right[place]]
            hard = sorted(allowed, key=lambda i: -scores[i])[:_HARD]
            chosen = [int(batch.right[place]), *rng.sample(hard, self._recipe.rivals), rng.choice(allowed)]
            lists.append([(batch.questions[place], batch.patterns[i]) for i in chosen])
        books = [rng.choice(self._books) for _ in range(self._recipe.unanswered)]
        return lists, [pair for book in books for pair in self._unanswered(book)]

    def _unanswered(self, book: Notebook) -> list[tuple[str, str]]:
        question = self._rng.choice([text for text, answering in book.questions if not answering])
        scores = self._scores([question], book.notes)[0]
        likely = sorted(range(len(scores)), key=lambda i: -scores[i])[:GROUP]
        return [(question, book.notes[i]) for i in self._rng.sample(likely, GROUP // 2)]

    @torch.inference_mode()
    def _scores(self, questions: Sequence[str], texts: Sequence[str]) -> list[list[float]]:
        with mixed_precision():
            asked, said = self._encoder(questions), self._encoder(texts)
        return self._matcher(self._matcher.question(asked), self._matcher.pattern(said)).float().tolist()  # type: ignore[no-any-return]


def close_loss(
    reader: PairParts, lists: CloseLists, recipe: CloseRecipe, others: Sequence[PairParts] = ()
) -> tuple[Tensor, float]:
    """The loss of telling what answers, by itself or as `others` do; the share of lists whose right text is first."""
    own, unanswered = lists.draw()
    pairs = [pair for one in own for pair in one] + unanswered
    told, listed = _told(*reader, pairs)[:, ANSWERS], len(pairs) - len(unanswered)
    table, wanted = told[:listed].view(len(own), -1), torch.zeros_like(told)
    wanted[: listed : table.shape[1]] = 1
    loss = cross_entropy(table, torch.zeros(len(own), dtype=torch.long))
    loss = loss + recipe.apart * binary_cross_entropy_with_logits(told, wanted)
    if others:
        mean = _mean(others, pairs)[:, ANSWERS]
        soft = recipe.apart * binary_cross_entropy_with_logits(told, mean.sigmoid())
        loss = recipe.hard * loss + soft + _far(table, mean[:listed].view_as(table))
    return loss, float((table.argmax(1) == 0).float().mean())


def standing_loss(
    reader: PairParts, pairs: Sequence[Pair], recipe: CloseRecipe, others: Sequence[PairParts] = ()
) -> Tensor:
    """The loss of telling how the statements of each pair stand; beside `others`, as `close_loss`."""
    texts = [(pair.a, pair.b) for pair in pairs]
    standing = _told(*reader, texts)[:, :ANSWERS]
    loss = cross_entropy(standing, torch.tensor([STANDINGS.index(pair.label) for pair in pairs]), label_smoothing=0.05)
    return recipe.hard * loss + _far(standing, _mean(others, texts)[:, :ANSWERS]) if others else loss


def _far(own: Tensor, others: Tensor) -> Tensor:
    return apart(own, others) + apart(own, others, 2.0) / 2


def _told(encoder: TokenEncoder, head: nn.Linear, pairs: Sequence[tuple[str, str]], dropped: float = 0.1) -> Tensor:
    with mixed_precision():
        states = encoder(pairs).states[:, 0]
    return head(dropout(states, dropped))  # type: ignore[no-any-return]


@torch.no_grad()
def _mean(others: Sequence[PairParts], pairs: Sequence[tuple[str, str]]) -> Tensor:
    return torch.stack([_told(*other, pairs, 0.0) for other in others]).mean(0)


def _parts(start: ReaderWeights | None, base: str) -> PairParts:
    return started(start, TokenEncoder.packaged(Path(base), LONGEST_PAIR) if base else None)


def _known(path: Path) -> PairParts:
    start = read_weights(path)
    return _parts(start, next((one["base"] for one in start.about.get("close", ()) if one.get("base")), ""))


def train_close(
    lists: CloseLists, statements: Sequence[Pair], start: ReaderWeights, recipe: CloseRecipe, report: Report = print
) -> tuple[dict[str, Floats], tuple[Floats, Floats]]:
    """Train a reader of pairs on for both: its layers' weights, and what tells, [d, k] and [k]."""
    torch.manual_seed(recipe.seed)
    rng = random.Random(recipe.seed)  # noqa: S311 - a reproducible draw
    encoder, head = reader = _parts(None if recipe.base else start, recipe.base)
    others = [_known(Path(one)) for one in recipe.of]
    tuned = [parameter for parameter in encoder.parameters() if parameter.requires_grad]
    groups = [{"params": tuned, "lr": recipe.encoder_rate}, {"params": head.parameters(), "lr": recipe.head_rate}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    waiting: list[list[Pair]] = []
    began, told_of = time.monotonic(), Counter[str]()
    for step in range(1, recipe.steps + 1):
        done = max(step / recipe.steps, (time.monotonic() - began) / (60 * recipe.minutes))
        for group, rate in zip(optimizer.param_groups, (recipe.encoder_rate, recipe.head_rate), strict=True):
            group["lr"] = rate * max(0.0, min(step / _WARM, 1 - done))
        loss, right = close_loss(reader, lists, recipe, others)
        for _ in range(recipe.statements):
            waiting = waiting or batches(statements, rng)
            own = standing_loss(reader, waiting.pop(), recipe, others)
            told_of.update({"standing": own.item() / recipe.statements})
            loss = loss + own / recipe.statements
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(tuned, 1.0)
        optimizer.step()
        told_of.update({"loss": loss.item(), "right": right, "steps": 1})
        if step % 25 == 0 or done >= 1:
            means = ", ".join(f"{name} {value / told_of['steps']:.3f}" for name, value in sorted(told_of.items()))
            report(f"step {step}: {means}, {time.monotonic() - began:.0f} s")
            told_of.clear()
        if done >= 1:
            break
    return trained(encoder, head)
