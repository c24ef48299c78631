"""Makes the packed vectors of the sample: `python -m clause.sample.build` (minutes on two cores)."""

from __future__ import annotations

import asyncio
import sys

from clause.sample.files import KB, VECTORS
from clause.sample.loader import names_of
from clause.sample.vectors import pack, save
from clause.text.embedder import SentenceTransformerEmbedder


async def build() -> int:
    """Embed every name and write the file; how many names."""
    names = names_of(KB)
    embedder = SentenceTransformerEmbedder()
    save(pack(names, await embedder.embed(names), embedder.model), VECTORS)
    embedder.close()
    return len(names)


if __name__ == "__main__":
    sys.stderr.write(f"{asyncio.run(build())} vectors in {VECTORS}\n")
