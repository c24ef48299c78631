"""Where the packaged sample lies."""

from __future__ import annotations

from pathlib import Path

SCOPE = "kg:metaqa"
KB = Path(__file__).parent / "metaqa" / "kb.txt.gz"
VECTORS = Path(__file__).parent / "metaqa" / "vectors.safetensors"
TRIPLES = 132_313
