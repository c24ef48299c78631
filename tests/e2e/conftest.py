"""`clause serve` as a process of its own, on the real server, with a small graph loaded; and a client for it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from clause.graph.wire import Address
from tests.faults.serving import serving
from tests.servers import environ_of

SCOPE = "kg:e2e"
TRIPLES = """\
Kes|directed_by|Ken Loach
Riff-Raff|directed_by|Ken Loach
Looks and Smiles|directed_by|Ken Loach
Kes|written_by|Barry Hines
Looks and Smiles|written_by|Barry Hines
Kes|release_year|1969
Riff-Raff|release_year|1991
Naked|directed_by|Mike Leigh
Naked|release_year|1993
"""

CLIMATE = "kg:e2e-climate"
CAUSES = """\
Climate change|caused_by|Greenhouse gas emissions
Climate change|caused_by|Deforestation
Climate change|causes|Sea level rise
Climate change|causes|Crop failure
Greenhouse gas emissions|caused_by|Burning of coal
Deforestation|caused_by|Cattle ranching
Sea level rise|causes|Coastal flooding
Cattle ranching|located_in|Brazil
Coastal flooding|located_in|Bangladesh
Brazil|capital|Brasília
Bangladesh|capital|Dhaka
Soil erosion|causes|Crop failure
Soil erosion|causes|Dust storms
Brazil|surface area|8515767 km2
Bangladesh|surface area|147570 km2
"""

MARINA = "kg:e2e-marina"
BOATS = """\
Sea Lark|skipper|Nora Voss
Sea Lark|built by|Hallam Yard
Sea Lark|berth|Pier 4
Sea Lark|is_a|Boat
Sea Lark|length_m|14
Grey Gull|skipper|Ivo Brandt
Grey Gull|built by|Corran Boatworks
Grey Gull|berth|Pier 2
Grey Gull|is_a|Boat
Grey Gull|length_m|11
Nora Voss|married_to|Per Aalto
Ivo Brandt|married_to|Lena Brandt
Ivo Brandt|sister|Mila Brandt
Per Aalto|profession|sailmaker
Mila Brandt|profession|welder
Lena Brandt|lives_in|Tarnsund
Hallam Yard|founder|Otto Hallam
Hallam Yard|located_in|Tarnsund
Corran Boatworks|founder|Greta Lund
Otto Hallam|born_in|Corran
Greta Lund|born_in|Oulu
Pier 4|warden|Jonas Lund
Pier 2|warden|Mila Brandt
Tarnsund|river|Sel
"""

KENNELS = "kg:e2e-kennels"
DOGS = """\
Kennel 1|max_dogs|4
Kennel 1|area_m2|30
Kennel 1|looked_after_by|Ida Moss
Kennel 2|max_dogs|6
Kennel 2|area_m2|24
Kennel 2|looked_after_by|Hal Dane
Rex|stays_in|Kennel 2
Fly|stays_in|Kennel 1
Tess|stays_in|Kennel 1
"""

SHOP = "kg:e2e-shop"
ORDERS = "".join(
    f"Order {number}|{said}\n"
    for number in range(101, 161)
    for said in (
        f"placed by|{'Boris Holm' if number % 3 else 'Ana Dahl'}",
        f"placed on|2024-05-{number % 28 + 1:02}",
        f"total eur|{number * 7}",
    )
)


@pytest.fixture(scope="session")
def served_address(migrated_address: Address, tmp_path_factory: pytest.TempPathFactory) -> Address:
    """The test server, holding the small graph, and some of which no policy knows the types."""
    folder = tmp_path_factory.mktemp("e2e")
    graphs = (
        ("films", SCOPE, TRIPLES),
        ("climate", CLIMATE, CAUSES),
        ("marina", MARINA, BOATS),
        ("kennels", KENNELS, DOGS),
        ("shop", SHOP, ORDERS),
    )

    async def load() -> None:
        from clause.graph.catalogue import Catalogue
        from clause.graph.database import replace_embedding_model
        from clause.graph.runner import Graph
        from clause.ingest.triples import load_triples
        from clause.text.embedder import SentenceTransformerEmbedder

        embedder = SentenceTransformerEmbedder()
        async with Graph(migrated_address, Catalogue.load()) as graph:
            await replace_embedding_model(graph, embedder.model, embedder.dimension)
            for name, scope, triples in graphs:
                file = folder / f"{name}.txt"
                file.write_text(triples, encoding="utf-8")
                await load_triples(graph, embedder, file, scope)
        embedder.close()

    asyncio.run(load())
    return migrated_address


@pytest.fixture(scope="package")
def service(served_address: Address, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a running `clause serve`, ready; gone before other tests, whose jobs and clusters it would work on."""
    folder: Path = tmp_path_factory.mktemp("serve")
    with serving(folder, environ_of(served_address, folder)) as url:
        yield url


@pytest.fixture
def http(service: str) -> Iterator[httpx.Client]:
    """A client of the running service."""
    with httpx.Client(base_url=service, timeout=60, trust_env=False) as client:
        yield client


def coordinated(http: httpx.Client, query: str, scope: str, status: int = 200, **more: Any) -> dict[str, Any]:
    """The answer of `/coordinate`, or the problem that was told."""
    answered = http.post("/api/clause/coordinate", json={"query": query, "budgets": {}, "scopes": [scope], **more})
    assert answered.status_code == status, answered.text
    found: dict[str, Any] = answered.json()
    return found


def names(result: dict[str, Any]) -> set[str]:
    return set() if result["abstained"] else {answer["name"] for answer in result["answers"]}
