"""The checkpoints at hand: the shipped one, and those that were promoted into this installation's folder."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clause.errors import BadInputError, ConflictError
from clause.policy.serve.checkpoint import SHIPPED
from clause.policy.serve.pattern_scorer import TAUGHT
from clause.reasoning.agents.policy import Policy
from clause.workers import CpuPool

if TYPE_CHECKING:
    from clause.arrays import Floats
    from clause.policy.serve.grounded import GroundedPolicy
    from clause.reasoning.agents.statements import StatementPolicy

SHIPPED_NAME = "learned"
RESERVED = frozenset({SHIPPED_NAME, "heuristic", "grounded", "statements", "text-walk", "two-step", "pagerank"})
ENDINGS = (".safetensors", ".json")
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


class CheckpointStore:
    """Checkpoint files by name.

    Args:
        folder: where promoted checkpoints lie; it need not exist.
        model, dimension: the embedder of the graph; checkpoints for others are not at hand.
        backend: what runs them, "onnx" or "torch".
    """

    def __init__(self, folder: Path, model: str, dimension: int, backend: str = "onnx") -> None:
        self.folder, self._backend = folder, backend
        self._model, self._dimension = model, dimension
        self._digests: dict[str, tuple[tuple[int, ...], str]] = {}

    def paths(self) -> dict[str, Path]:
        """The usable checkpoints by name, without their endings."""
        found = {SHIPPED_NAME: SHIPPED} | {file.stem: file.with_suffix("") for file in self.folder.glob("*.json")}
        return {name: path for name, path in sorted(found.items()) if self._fits(path)}

    def policies(self, pool: CpuPool) -> dict[str, Callable[[], Policy]]:
        """A maker for each checkpoint; nothing is read before it is called."""
        return {
            "grounded": lambda: _grounded(pool, self._backend),
            "statements": lambda: _statements(pool, self._backend),
            **{name: self.maker(name, path, pool) for name, path in self.paths().items()},
        }

    def maker(self, name: str, path: Path, pool: CpuPool) -> Callable[[], Policy]:
        """Makes the policy of one checkpoint, wherever it lies: trained agents, or a taught reader."""

        def make() -> Policy:
            from clause.policy.serve.inference import LearnedPolicy  # noqa: PLC0415 -- when it is asked for

            taught = _about(path).get("kind") == TAUGHT
            return LearnedPolicy(
                SHIPPED if taught else path,
                name=name,
                embedder=self._model,
                dimension=self._dimension,
                pool=pool,
                backend=self._backend,
                grounded=_grounded(pool, self._backend, path if taught else None),
            )

        return make

    def __contains__(self, name: str) -> bool:
        """Tell whether a checkpoint lies here under a name."""
        return _NAME.fullmatch(name) is not None and (self.folder / f"{name}.json").is_file()

    def find(self, name: str, pool: CpuPool) -> Callable[[], Policy] | None:
        """The maker of a checkpoint that came after the start; None where there is no file of that name."""
        return self.maker(name, self.folder / name, pool) if name in self else None

    def kept_aside(self, name: str) -> list[tuple[str, tuple[str, ...]]]:
        """The questions that training kept aside for the gate, with their answers; none without a checkpoint here."""
        about = _about(self.folder / name) if name in self else {}
        return [(one["question"], tuple(one["answers"])) for one in about.get("kept_aside", ())]

    def sha256(self, name: str) -> str:
        """The digest of a checkpoint's weights, read where its file is new; empty for a policy without one here."""
        if name in RESERVED or not _NAME.fullmatch(name):
            return ""
        try:
            file = (self.folder / f"{name}.json").stat()
        except OSError:
            return ""
        stamp = (file.st_mtime_ns, file.st_ino, file.st_size)
        if name not in self._digests or self._digests[name][0] != stamp:
            self._digests[name] = stamp, str(_about(self.folder / name).get("sha256", ""))
        return self._digests[name][1]

    def put(self, source: Path, name: str) -> Path:
        """Copy a checkpoint into the store; the JSON last, so that half a copy is never at hand.

        A name stands for the same weights for ever: answers that were given under it can be repeated.

        Raises:
            BadInputError: the name is reserved or malformed, or a file is missing.
            ConflictError: other weights have the name.
        """
        check_name(name)
        missing = [ending for ending in ENDINGS if not source.with_suffix(ending).is_file()]
        if missing:
            raise BadInputError(f"no checkpoint at {source}", remedy="name it without its ending", field="checkpoint")
        known = _about(self.folder / name)
        if known and known.get("sha256") != _about(source).get("sha256"):
            raise ConflictError(
                f"another policy is called {name!r} already", remedy="choose another name", field="name"
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        for ending in ENDINGS:
            draft = self.folder / f".{name}{ending}"
            shutil.copyfile(source.with_suffix(ending), draft)
            draft.replace(self.folder / f"{name}{ending}")
        return self.folder / name

    def remove(self, name: str) -> None:
        """Take a checkpoint out of the store."""
        for ending in reversed(ENDINGS):
            (self.folder / f"{check_name(name)}{ending}").unlink(missing_ok=True)

    def _fits(self, path: Path) -> bool:
        return _about(path).get("embedder") == {"model": self._model, "dimension": self._dimension}


def _about(path: Path) -> dict[str, Any]:
    """The JSON of a checkpoint; empty where it is none."""
    try:
        found = json.loads(path.with_name(f"{path.name}.json").read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _grounded(pool: CpuPool, backend: str, taught: Path | None = None) -> GroundedPolicy:
    from clause.policy.serve.grounded import GroundedPolicy  # noqa: PLC0415 -- when it is asked for

    return GroundedPolicy(pool=pool, backend=backend, taught=taught)


def _statements(pool: CpuPool, backend: str) -> StatementPolicy:
    from clause.policy.serve.grounded import shipped  # noqa: PLC0415 -- when it is asked for
    from clause.reasoning.agents.statements import StatementPolicy  # noqa: PLC0415
    from clause.text.statements.pair_classifier import shipped_pair_reader  # noqa: PLC0415

    async def compare(asked: str, texts: Sequence[str]) -> Floats:
        return await pool.run(lambda: shipped(backend).fits(asked, texts))

    async def beside(asked: str, texts: Sequence[str]) -> Floats:
        return await pool.run(lambda: shipped_pair_reader().answering(asked, texts))

    return StatementPolicy(compare, beside)


def check_name(name: str) -> str:
    """`name` itself, when a promoted policy may have it.

    >>> check_name("films-2")
    'films-2'
    >>> check_name("learned")
    Traceback (most recent call last):
    ...
    clause.errors.BadInputError: 'learned' cannot be a policy's name; lower-case letters, digits, _ -, not learned
    """
    if name in RESERVED or not _NAME.fullmatch(name):
        raise BadInputError(
            f"{name!r} cannot be a policy's name",
            remedy="lower-case letters, digits, _ -, not learned",
            field="name",
        )
    return name
