"""Figures of a run for TensorBoard."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType


class Board:
    """Writes scalars below `<folder>/tensorboard` while the block is open."""

    def __init__(self, folder: Path) -> None:
        from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415 -- takes a second

        self._writer = SummaryWriter(str(folder / "tensorboard"))

    def __enter__(self) -> Board:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._writer.close()

    def write(self, phase: str, step: int, figures: Mapping[str, float]) -> None:
        """The figures of one step of a phase."""
        for name, value in figures.items():
            self._writer.add_scalar(f"{phase}/{name}", value, step)
