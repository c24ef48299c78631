"""Makes the packed vectors of the sample: `python -m clause.lab.sample_vectors` (minutes on two cores)."""

from __future__ import annotations

import asyncio
import sys

from clause.ingest.samples import VECTORS, pack_sample, save
from clause.text.embedder import SentenceTransformerEmbedder


async def build() -> int:
    """Embed every name and write the file; how many vectors."""
    embedder = SentenceTransformerEmbedder()
    packed = await pack_sample(embedder)
    embedder.close()
    save(packed, VECTORS)
    return len(packed.rows)


if __name__ == "__main__":
    sys.stderr.write(f"{asyncio.run(build())} vectors in {VECTORS}\n")
